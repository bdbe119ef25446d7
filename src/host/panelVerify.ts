/** A verification that the page asked for: its progress, its end, and where damage stands in the list. Knows nothing of VS Code. */

import type { VerifyReport } from "../core/audit/verifyReport";
import { messageOf } from "../core/errors";
import type { HostMessage, PanelReport } from "../panel/messages";
import type { Clock } from "../ports";

/** Bytes done so far, of all. */
export interface Watch {
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
  readonly signal: AbortSignal;
}

export interface PanelVerifyOptions {
  readonly verify: (path: string, watch: Watch) => Promise<VerifyReport>;
  readonly clock: Clock;
  readonly send: (message: HostMessage) => void;
  /** Line through all files for a line of one file; 0 where it cannot be shown (yet). */
  readonly rowOf: (file: string | undefined, line: number) => number;
  /** Called before the outcome is told: rows with damage must be in the list by then. */
  readonly reveal: () => Promise<void>;
}

const DAMAGES = 200;
const PROGRESS_MS = 100;

type Outcome = Extract<HostMessage, { type: "verifyResult" }>;

export function panelVerify({ verify, clock, send, rowOf, reveal }: PanelVerifyOptions) {
  let running: AbortController | null = null;
  let last: { at: string; report: VerifyReport } | { at: string; problem: string } | null = null;

  function outcome(): Outcome | null {
    if (last === null) return null;
    const { at } = last;
    return "problem" in last
      ? { type: "verifyResult", at, report: null, problem: last.problem }
      : { type: "verifyResult", at, report: shown(last.report), problem: null };
  }

  function shown(report: VerifyReport): PanelReport {
    const { ok, firstBad, count, level, damage, warnings, segments, checkpoints } = report;
    return {
      ok,
      firstBad,
      count,
      level,
      damage: damage.slice(0, DAMAGES).map((one) => ({ ...one, row: rowOf(one.file, one.line) })),
      damages: damage.length,
      warnings: [...warnings],
      files: segments?.length ?? 1,
      ...(checkpoints === undefined ? {} : { checkpoints: { ...checkpoints } }),
    };
  }

  return {
    /** One at a time: a second call while one runs changes nothing. */
    async run(path: string): Promise<void> {
      if (running !== null) return;
      const mine = new AbortController();
      running = mine;
      let said = Number.NEGATIVE_INFINITY;
      send({ type: "verifying", done: 0, total: 0 });
      const onProgress: Watch["onProgress"] = ({ done, total }) => {
        if (clock.monotonic() - said < PROGRESS_MS) return;
        said = clock.monotonic();
        send({ type: "verifying", done, total });
      };
      const at = () => new Date(clock.now()).toISOString();
      try {
        last = { report: await verify(path, { onProgress, signal: mine.signal }), at: at() };
      } catch (error) {
        if (!mine.signal.aborted) last = { problem: messageOf(error), at: at() };
      } finally {
        running = null;
      }
      if (!mine.signal.aborted) await reveal();
      const end = mine.signal.aborted ? null : outcome();
      send(end ?? { type: "verifyCancelled" });
    },
    cancel: () => running?.abort(),
    /** Lines through all files at which the last verification found damage. */
    damagedLines(): number[] {
      if (last === null || "problem" in last) return [];
      return last.report.damage.map((one) => rowOf(one.file, one.line)).filter((line) => line > 0);
    },
    /** Tells the outcome again: to a page that came back, or once lines have their places. */
    again(): void {
      const end = running === null ? outcome() : null;
      if (end !== null) send(end);
    },
    forget(): void {
      last = null;
    },
  };
}
