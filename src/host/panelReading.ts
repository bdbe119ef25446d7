/** Reads the panel's log: its newest rows at once, then all of it, then what it gains. Knows nothing of messages or VS Code. */
import { stat } from "node:fs/promises";
import { type Newest, newestRows } from "../node/auditNewest";
import { type AuditRows, auditRows, type Growth } from "../node/auditRows";
import type { HostState } from "../panel/messages";
import type { Clock } from "../ports";
import { newestList } from "./panelListNewest";

/** A log up to this size is read at once; of a bigger one the newest rows are shown first. */
const READ_AT_ONCE = 256 << 10;
/** So much of the end is read for the newest rows, and more where most of it is the log's own upkeep. */
const NEWEST_BYTES = [64 << 10, 256 << 10, 1 << 20] as const;
const SCREEN_ROWS = 60;
const READY_MS = 2000;
const TOLD_MS = 250;

export interface ReadingOptions {
  auditPath(): string;
  indexFile?(path: string): string | undefined;
  readonly clock: Clock;
  /** The newest rows are here, all others are still to be read. */
  readonly onNewest: () => void;
  readonly onProgress: () => void;
}

export type PanelReading = ReturnType<typeof panelReading>;

export function panelReading(options: ReadingOptions) {
  const { clock } = options;
  let path = options.auditPath();
  let rows: AuditRows = open();
  let newest: Newest | null = null;
  let lastLine: number | null = null;
  let progress: HostState["reading"] = { done: 0, total: 0 };
  let log = 0;
  let pageReady: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => {
    pageReady = resolve;
  });

  function open(): AuditRows {
    const indexFile = options.indexFile?.(path);
    return auditRows(path, indexFile === undefined ? {} : { indexFile });
  }

  async function readNewest(): Promise<Newest> {
    for (const bytes of NEWEST_BYTES) {
      const found = await newestRows(path, bytes);
      if (newestList(found, { filter: {}, upkeep: "hidden" }).total() >= SCREEN_ROWS) return found;
    }
    return newestRows(path, NEWEST_BYTES[2]);
  }

  /** Reading a big log, or its index, would take the processor from the page that is just being drawn. */
  async function untilDrawn(): Promise<void> {
    const patience = clock.timer(READY_MS);
    await Promise.race([isReady, patience.done]);
    patience.cancel();
  }

  /** Reads the log through; of a big one the newest rows are there while that goes on. */
  async function start(): Promise<void> {
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    if (size > READ_AT_ONCE) {
      progress = { done: 0, total: size };
      newest = await readNewest();
      options.onNewest();
      await untilDrawn();
    }
    let told = clock.monotonic();
    await rows.follow((done, total) => {
      progress = { done, total };
      if (newest !== null) lastLine ??= rows.linesUntil(newest.end) ?? null;
      if (clock.monotonic() - told < TOLD_MS) return;
      told = clock.monotonic();
      options.onProgress();
    });
    if (newest !== null) lastLine ??= rows.linesUntil(newest.end) ?? null;
    newest = null;
    progress = null;
  }

  return {
    start,
    /** From the beginning, for another file perhaps. */
    restart(): Promise<void> {
      path = options.auditPath();
      rows.stop();
      rows = open();
      newest = null;
      lastLine = null;
      log += 1;
      progress = { done: 0, total: 0 };
      return start();
    },
    /** What the log gained. */
    async follow(): Promise<Growth> {
      const growth = await rows.follow();
      if (growth.reset) log += 1;
      return growth;
    },
    facts: () => ({ file: path, log, reading: progress, lastLine }),
    rows: () => rows,
    newest: () => newest,
    isOtherFile: () => options.auditPath() !== path,
    /** The page is drawn: the rest may be read. */
    pageReady: () => pageReady(),
    stop: () => rows.stop(),
    /** Line through all files for a line of one file; 0 where it cannot be shown (yet). */
    lineOf(file: string | undefined, line: number): number {
      const files = rows.files();
      const part =
        file === undefined && files.length <= 1 ? files[0] : files.find((one) => one.file === file);
      const found = line < 1 || part === undefined ? 0 : part.linesBefore + line;
      return found <= rows.index.lines() ? found : 0;
    },
  };
}
