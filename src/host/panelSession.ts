/**
 * What the audit panel's page asks and is told: reads the log, answers queries, follows it, verifies and exports it.
 * Knows nothing of VS Code and changes nothing: a page's message can only choose what is shown, or bring a dialog back.
 */
import { stat } from "node:fs/promises";
import type { DecisionCounts, RowFilter } from "../core/audit/query";
import type { VerifyReport } from "../core/audit/verifyReport";
import { messageOf } from "../core/errors";
import { type AuditRows, auditRows, newestRows } from "../node/auditRows";
import {
  type ExportFormat,
  type HostMessage,
  type HostState,
  PAGE_ROWS,
  type PageMessage,
  type PendingAsk,
  pageMessage,
} from "../panel/protocol";
import type { Clock, Log } from "../ports";
import { chartOf, detailsOf, type Newest, stateMessage } from "./panelAnswers";
import { exportRows } from "./panelExport";
import { type FullList, fullList, newestList, type PanelList } from "./panelList";
import { panelVerify, type Watch } from "./panelVerify";

export interface PanelSources {
  auditPath(): string;
  /** Where the index of a log is kept between openings; undefined = nowhere. */
  indexFile?(path: string): string | undefined;
  chainState(): HostState["chain"];
  /** Decisions of today. */
  counts(): DecisionCounts;
  verify(path: string, watch: Watch): Promise<VerifyReport>;
  /** Asks the person for a file to write; undefined where none was picked. */
  pickExport(format: ExportFormat): Promise<string | undefined>;
  /** Questions that wait for a person. */
  pending(): readonly PendingAsk[];
  /** Brings a waiting question's dialog back. */
  answer(askId: string): void;
  openLog(): void;
}

export interface PanelSessionOptions extends PanelSources {
  readonly post: (message: HostMessage) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly locale: string;
  readonly strings: Readonly<Record<string, string>>;
}

export interface PanelSession {
  /** What the page can draw before it has asked anything: the state, and the newest rows. Never rejects. */
  first(): Promise<HostMessage[]>;
  /** Takes a message as it came from the page; one that is malformed is logged and dropped. */
  receive(message: unknown): void;
  /** The log may have grown; many calls in a short time read it once. */
  poke(): void;
  /** Something shown beside the records changed. */
  refresh(): void;
  dispose(): void;
}

/** A log up to this size is read at once; of a bigger one the newest rows are shown first. */
const READ_AT_ONCE = 256 << 10;
const NEWEST_BYTES = 64 << 10;
/** The page does not wait longer for its first rows; they follow. */
const FIRST_MS = 300;
const READY_MS = 2000;
const COALESCE_MS = 150;
/** Rows sent along with the news of them; more are asked for by the page. */
const ANNOUNCED_ROWS = 100;

type Query = Extract<PageMessage, { type: "query" }>;

export function panelSession(options: PanelSessionOptions): PanelSession {
  const { post, clock, log } = options;
  let disposed = false;
  let path = options.auditPath();
  let rows: AuditRows = open();
  let newest: Newest | null = null;
  let lastLine: number | null = null;
  let reading: HostState["reading"] = { done: 0, total: 0 };
  let problem: string | null = null;
  let epoch = 0;
  let filter: RowFilter = {};
  let token = 0;
  let list: PanelList | FullList | null = null;
  let searching: AbortController | null = null;
  let listReady: Promise<void> = Promise.resolve();
  let poked: { cancel(): void } | null = null;
  let started: Promise<void> | null = null;
  let firstRows: () => void = () => undefined;
  const hasFirst = new Promise<void>((resolve) => {
    firstRows = resolve;
  });
  let pageReady: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => {
    pageReady = resolve;
  });
  let exporting: AbortController | null = null;
  const verifier = panelVerify({
    verify: options.verify,
    clock,
    send,
    rowOf(file, line) {
      const files = rows.files();
      const part =
        file === undefined && files.length <= 1 ? files[0] : files.find((one) => one.file === file);
      const row = line < 1 || part === undefined ? 0 : part.linesBefore + line;
      return row <= rows.index.lines() ? row : 0;
    },
  });

  function open(): AuditRows {
    const indexFile = options.indexFile?.(path);
    return auditRows(path, indexFile === undefined ? {} : { indexFile });
  }

  function send(message: HostMessage): void {
    if (!disposed) post(message);
  }

  function sendState(): void {
    send(stateMessage({ epoch, file: path, reading, lastLine, problem }, { rows, newest, from: options }));
  }

  function failed(error: unknown): void {
    problem = messageOf(error);
    log.error(`The audit panel could not read ${path}: ${problem}`);
    sendState();
  }

  /** Reads the log through; of a big one the newest rows are listed while that goes on. */
  async function start(): Promise<void> {
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    if (size > READ_AT_ONCE) {
      reading = { done: 0, total: size };
      newest = await newestRows(path, NEWEST_BYTES);
      rebuild();
      firstRows();
      sendState();
      // Reading a big log, or its index, would take the processor from the page that is just being drawn.
      const patience = clock.timer(READY_MS);
      await Promise.race([isReady, patience.done]);
      patience.cancel();
    }
    let last = clock.monotonic();
    await rows.follow((done, total) => {
      reading = { done, total };
      if (newest !== null) lastLine ??= rows.linesUntil(newest.end) ?? null;
      if (clock.monotonic() - last < 250) return;
      last = clock.monotonic();
      sendState();
    });
    if (newest !== null) lastLine ??= rows.linesUntil(newest.end) ?? null;
    newest = null;
    reading = null;
    problem = null;
    rebuild();
    await listReady;
    firstRows();
    sendState();
    verifier.again();
  }

  /** The list for the current filter; everything kept of the old one is void. */
  function rebuild(): void {
    searching?.abort();
    const mine = new AbortController();
    searching = mine;
    epoch += 1;
    list = newest === null ? null : newestList(newest, filter);
    if (list !== null) return;
    const of = token;
    listReady = fullList(rows, filter, {
      signal: mine.signal,
      onProgress: (done, total) => send({ type: "searching", token: of, done, total }),
    }).then(
      (built) => {
        if (built !== null && searching === mine) list = built;
      },
      (error: unknown) => failed(error),
    );
  }

  async function follow(): Promise<void> {
    if (started === null) return;
    if (problem !== null) return restart();
    if (reading !== null) return;
    if (options.auditPath() !== path) return restart();
    const growth = await rows.follow();
    if (growth.reset) {
      rebuild();
      await listReady;
      return sendState();
    }
    if (growth.added === 0 && growth.changed.length === 0) return;
    await listReady;
    const before = list?.total() ?? 0;
    const grown = list !== null && "grow" in list ? await list.grow(growth) : null;
    if (grown === null || list === null) {
      rebuild();
      await listReady;
    } else {
      const added = Math.min(list.total() - before, ANNOUNCED_ROWS);
      const fresh =
        added === list.total() - before ? Array.from({ length: added }, (_, i) => before + i) : [];
      await announce(list, [...grown.changed.slice(0, ANNOUNCED_ROWS), ...fresh]);
    }
    sendState();
  }

  async function announce(grown: PanelList, changed: readonly number[]): Promise<void> {
    const at = { token, epoch, total: grown.total() };
    const updates = await Promise.all(
      changed.map(async (position) => ({ position, row: (await grown.rows(position, 1))[0] })),
    );
    // The filter may have changed meanwhile; its own answer tells how many there are.
    if (grown !== list) return;
    send({
      type: "appended",
      ...at,
      changed: updates.flatMap(({ position, row }) =>
        row === undefined ? [] : [{ position, row: { ...row, lines: [...row.lines] } }],
      ),
    });
  }

  async function restart(): Promise<void> {
    path = options.auditPath();
    rows.stop();
    rows = open();
    lastLine = null;
    verifier.forget();
    reading = { done: 0, total: 0 };
    started = start().catch(failed);
    await started;
  }

  async function query(message: Query): Promise<void> {
    if (
      message.token !== token ||
      list === null ||
      JSON.stringify(filter) !== JSON.stringify(message.filter)
    ) {
      const same = JSON.stringify(filter) === JSON.stringify(message.filter) && list !== null;
      token = message.token;
      filter = message.filter;
      if (!same) rebuild();
    }
    await listReady;
    const of = list;
    if (of === null || message.token !== token) return;
    const at = { token, epoch, total: of.total(), offset: message.offset };
    const page = await of.rows(message.offset, message.limit);
    if (at.epoch !== epoch) return;
    send({ type: "rows", ...at, rows: page.map((row) => ({ ...row, lines: [...row.lines] })) });
  }

  /** The page that shows the newest rows, as the page itself would ask for it. */
  async function newestPage(): Promise<HostMessage[]> {
    if (list === null || Object.keys(filter).length > 0) return [];
    const total = list.total();
    const offset = Math.max(0, Math.ceil(total / PAGE_ROWS) - 1) * PAGE_ROWS;
    const at = { token: 0, epoch, total, offset };
    const page = await list.rows(offset, PAGE_ROWS);
    return [{ type: "rows", ...at, rows: page.map((row) => ({ ...row, lines: [...row.lines] })) }];
  }

  async function first(): Promise<HostMessage[]> {
    started ??= start().catch(failed);
    const patience = clock.timer(FIRST_MS);
    await Promise.race([hasFirst, started, patience.done]);
    patience.cancel();
    const page = await newestPage().catch(() => []);
    return [
      stateMessage({ epoch, file: path, reading, lastLine, problem }, { rows, newest, from: options }),
      ...page,
    ];
  }

  async function runExport(format: ExportFormat): Promise<void> {
    if (exporting !== null) return;
    const mine = new AbortController();
    exporting = mine;
    const none = { type: "exported", file: null, records: 0, leftOut: 0, problem: null } as const;
    try {
      const file = await options.pickExport(format);
      await started;
      await listReady;
      if (file === undefined || list === null || !("each" in list)) return send(none);
      send({ type: "exporting", done: 0, total: 0 });
      let said = clock.monotonic();
      const onProgress = (done: number, total: number) => {
        if (clock.monotonic() - said < 100) return;
        said = clock.monotonic();
        send({ type: "exporting", done, total });
      };
      const written = await exportRows({ file, format, list, rows, signal: mine.signal, onProgress });
      send({ ...none, ...written, file });
    } catch (error) {
      send({ ...none, problem: mine.signal.aborted ? null : messageOf(error) });
    } finally {
      exporting = null;
    }
  }

  async function handle(message: PageMessage): Promise<void> {
    switch (message.type) {
      case "ready":
        pageReady();
        sendState();
        verifier.again();
        started ??= start();
        return started;
      case "query":
        return query(message);
      case "details":
        return send(await detailsOf(message.line, { rows, newest }));
      case "locate":
        await listReady;
        return send({ ...message, type: "located", found: (await list?.locate(message.target)) ?? null });
      case "chart": {
        await listReady;
        if (message.token !== token) return;
        const chart = list !== null && "each" in list ? chartOf(list, rows, message.offsetMinutes) : null;
        return send({ type: "chart", token, chart });
      }
      case "verify":
        return verifier.run(path);
      case "cancelVerify":
        return verifier.cancel();
      case "export":
        return runExport(message.format);
      case "cancelExport":
        return exporting?.abort();
      case "openLog":
        return options.openLog();
      case "answer":
        return options.answer(message.askId);
      default:
        message satisfies never;
    }
  }

  return {
    first,
    receive(message) {
      const parsed = pageMessage.safeParse(message);
      if (parsed.success) void handle(parsed.data).catch(failed);
      else log.warn("The audit panel's page sent a message that is none; it was dropped.");
    },
    poke() {
      if (poked !== null || disposed) return;
      const timer = clock.timer(COALESCE_MS);
      poked = timer;
      void timer.done.then(async () => {
        await follow().catch(failed);
        poked = null;
      });
    },
    refresh: sendState,
    dispose() {
      disposed = true;
      rows.stop();
      searching?.abort();
      verifier.cancel();
      exporting?.abort();
      poked?.cancel();
    },
  };
}
