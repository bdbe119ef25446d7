/**
 * What the audit panel's page asks and is told: reads the log, answers queries, follows it, verifies it.
 * Knows nothing of VS Code and changes nothing: a page's message can only choose what is shown, or bring a dialog back.
 */
import { stat } from "node:fs/promises";
import type { DecisionCounts, RowFilter } from "../core/audit/query";
import { messageOf } from "../core/errors";
import { type AuditRows, auditRows, newestRows } from "../node/auditRows";
import {
  type HostMessage,
  type HostState,
  type PageMessage,
  type PanelVerifyReport,
  type PendingAsk,
  pageMessage,
} from "../panel/protocol";
import type { Clock, Log } from "../ports";
import { detailsOf, type Newest, stateMessage, verification } from "./panelAnswers";
import { type FullList, fullList, newestList, type PanelList } from "./panelList";

export interface PanelSources {
  auditPath(): string;
  chainState(): HostState["chain"];
  /** Decisions of today. */
  counts(): DecisionCounts;
  verify(path: string): Promise<PanelVerifyReport>;
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
  /** Takes a message as it came from the page; one that is malformed is logged and dropped. */
  receive(message: unknown): void;
  /** The log may have grown; many calls in a short time read it once. */
  poke(): void;
  /** Something shown beside the records changed. */
  refresh(): void;
  dispose(): void;
}

/** A log up to this size is read at once; of a bigger one the newest rows are shown first. */
const READ_AT_ONCE = 8 << 20;
const NEWEST_BYTES = 512 << 10;
const COALESCE_MS = 150;
/** Rows sent along with the news of them; more are asked for by the page. */
const ANNOUNCED_ROWS = 100;

type Query = Extract<PageMessage, { type: "query" }>;

export function panelSession(options: PanelSessionOptions): PanelSession {
  const { post, clock, log } = options;
  let disposed = false;
  let path = options.auditPath();
  let rows: AuditRows = auditRows(path);
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
      newest = await newestRows(path, NEWEST_BYTES);
      rebuild();
      sendState();
    }
    let last = clock.monotonic();
    await rows.follow((done, total) => {
      reading = { done, total };
      if (newest !== null && lastLine === null && done >= newest.end) lastLine = rows.index.lines();
      if (clock.monotonic() - last < 250) return;
      last = clock.monotonic();
      sendState();
    });
    newest = null;
    reading = null;
    problem = null;
    rebuild();
    await listReady;
    sendState();
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
    rows = auditRows(path);
    lastLine = null;
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

  async function handle(message: PageMessage): Promise<void> {
    switch (message.type) {
      case "ready":
        sendState();
        started ??= start();
        return started;
      case "query":
        return query(message);
      case "details":
        return send(await detailsOf(message.line, { rows, newest }));
      case "locate":
        await listReady;
        return send({ ...message, type: "located", position: list?.locate(message.line) ?? null });
      case "verify":
        send({ type: "verifying" });
        return send(await verification(path, options));
      case "openLog":
        return options.openLog();
      case "answer":
        return options.answer(message.askId);
      default:
        message satisfies never;
    }
  }

  return {
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
      searching?.abort();
      poked?.cancel();
    },
  };
}
