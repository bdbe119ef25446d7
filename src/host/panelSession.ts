/**
 * What the audit panel's page asks and is told: reads the log, answers queries, follows it, verifies and exports it.
 * Knows nothing of VS Code and changes nothing: a page's message can only choose what is shown, or bring a dialog back.
 */
import type { DecisionCounts } from "../core/audit/query";
import type { VerifyReport } from "../core/audit/verifyReport";
import { messageOf } from "../core/errors";
import type { ExportFormat, HostMessage, HostState, PendingAsk } from "../panel/messages";
import { type PageMessage, pageMessage } from "../panel/protocol";
import type { Clock, Log } from "../ports";
import { chartOf, detailsOf, stateMessage } from "./panelAnswers";
import { panelExporting } from "./panelExporting";
import { panelListing } from "./panelListing";
import { panelReading } from "./panelReading";
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

/** The page does not wait longer for its first rows; they follow. */
const FIRST_MS = 300;
const COALESCE_MS = 150;

export function panelSession(options: PanelSessionOptions): PanelSession {
  const { post, clock, log } = options;
  let disposed = false;
  let problem: string | null = null;
  let poked: { cancel(): void } | null = null;
  let started: Promise<void> | null = null;
  let firstRows: () => void = () => undefined;
  const hasFirst = new Promise<void>((resolve) => {
    firstRows = resolve;
  });
  const reading = panelReading({
    auditPath: options.auditPath,
    ...(options.indexFile === undefined ? {} : { indexFile: options.indexFile }),
    clock,
    onNewest() {
      listing.rebuild();
      firstRows();
      sendState();
    },
    onProgress: sendState,
  });
  const verifier = panelVerify({ verify: options.verify, clock, send, rowOf: reading.lineOf, reveal });
  const listing = panelListing({ reading, damagedLines: verifier.damagedLines, send, failed });
  const exporter = panelExporting({ pick: options.pickExport, clock, send, list: readThrough });

  function send(message: HostMessage): void {
    if (!disposed) post(message);
  }

  function state(): HostState {
    const facts = { ...reading.facts(), epoch: listing.epoch(), problem };
    return stateMessage(facts, { rows: reading.rows(), newest: reading.newest(), from: options });
  }

  function sendState(): void {
    send(state());
  }

  function failed(error: unknown): void {
    problem = messageOf(error);
    log.error(`The audit panel could not read ${reading.facts().file}: ${problem}`);
    sendState();
  }

  /** What follows once the log is read through. */
  async function listed(): Promise<void> {
    problem = null;
    await listAnew();
    firstRows();
    verifier.again();
  }

  async function listAnew(): Promise<void> {
    listing.rebuild();
    await listing.whenReady();
    sendState();
  }

  /** Damage in rows that are hidden otherwise is shown. */
  async function reveal(): Promise<void> {
    if (listing.revealsAnew()) await listAnew();
  }

  const start = (): Promise<void> => {
    started ??= reading.start().then(listed).catch(failed);
    return started;
  };

  async function readThrough() {
    await started;
    const list = await listing.whenReady();
    return list !== null && "each" in list ? { list, rows: reading.rows() } : null;
  }

  async function follow(): Promise<void> {
    if (started === null) return;
    if (problem !== null || (reading.facts().reading === null && reading.isOtherFile())) {
      verifier.forget();
      started = reading.restart().then(listed).catch(failed);
      return started;
    }
    if (reading.facts().reading !== null) return;
    const growth = await reading.follow();
    if (growth.reset) {
      verifier.forget();
      return listAnew();
    }
    if (growth.added === 0 && growth.changed.length === 0) return;
    await listing.grow(growth);
    sendState();
  }

  async function first(): Promise<HostMessage[]> {
    const patience = clock.timer(FIRST_MS);
    await Promise.race([hasFirst, start(), patience.done]);
    patience.cancel();
    const page = await listing.newestPage().catch(() => null);
    return page === null ? [state()] : [state(), page];
  }

  async function handle(message: PageMessage): Promise<void> {
    switch (message.type) {
      case "ready":
        reading.pageReady();
        sendState();
        verifier.again();
        return start();
      case "query":
        return listing.query(message);
      case "details":
        return send(await detailsOf(message.line, { rows: reading.rows(), newest: reading.newest() }));
      case "locate": {
        const found = (await (await listing.whenReady())?.locate(message.target)) ?? null;
        const isHidden = typeof found === "string";
        return send({
          ...message,
          type: "located",
          found: isHidden ? null : found,
          hidden: isHidden ? found : null,
        });
      }
      case "chart": {
        const list = await listing.whenReady();
        if (!listing.isFor(message.token)) return;
        const chart =
          list !== null && "each" in list ? chartOf(list, reading.rows(), message.offsetMinutes) : null;
        return send({ type: "chart", token: message.token, chart });
      }
      case "verify":
        return verifier.run(reading.facts().file);
      case "cancelVerify":
        return verifier.cancel();
      case "export":
        return exporter.run(message.format);
      case "cancelExport":
        return exporter.cancel();
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
      reading.stop();
      listing.stop();
      verifier.cancel();
      exporter.cancel();
      poked?.cancel();
    },
  };
}
