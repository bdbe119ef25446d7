/** Sends records to an OTLP receiver as they are written: through a queue on the disk, in the background. Never blocks a call and never fails one. */

import { type OtelEntry, otelEntry } from "../../core/audit/exportOtel";
import { exportRecord, lineOf } from "../../core/audit/exportRecord";
import type { AuditRecord } from "../../core/audit/record";
import { createRedactor, type RedactOptions } from "../../core/audit/redact";
import { loadCodec, type Origin, type OtlpCodec } from "./encode";
import { backoffMs, LONGEST_WAIT_MS, type Posted, post, type Target } from "./post";
import { openQueue, type Queue, type QueueOptions } from "./queue";

export interface OtlpSinkOptions extends Omit<QueueOptions, "batchBytes"> {
  readonly target: Target;
  readonly origin: Origin;
  readonly redact?: RedactOptions;
  /** Told, at most once a minute, how many records could not be exported; the audit log still has them. */
  readonly onLost: (lost: { readonly count: number; readonly why: string }) => void;
  /** Told when sending begins to fail, once per row of failures. */
  readonly onProblem: (message: string) => void;
  /** Milliseconds to wait before the `attempt`-th try again; default one second, doubling to five minutes. */
  readonly backoff?: (attempt: number) => number;
  readonly batchBytes?: number;
}

export interface OtlpSink {
  add(record: AuditRecord): void;
  /** Bytes that wait on the disk. */
  waiting(): number;
  /** Sends what waits for at most `ms`; the rest stays on the disk for the next start. */
  close(ms: number): Promise<void>;
}

const LOST_EVERY_MS = 60_000;
/** Records that come together go together. */
const GATHER_MS = 200;

export function openOtlpSink(options: OtlpSinkOptions): OtlpSink {
  const queue = openQueue(options);
  const redactor = createRedactor(options.redact);
  const lost = createLostCounter(options.onLost);
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  let failures = 0;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const entriesOf = (lines: readonly string[]): OtelEntry[] =>
    lines.flatMap((line) => {
      const found = exportRecord(line, redactor);
      return found === undefined ? [] : [otelEntry(found.record, found.changed ? undefined : line)];
    });
  /** True when the batch is out of the queue. */
  const sendOne = async (
    codec: OtlpCodec,
    batch: NonNullable<ReturnType<Queue["next"]>>,
  ): Promise<boolean> => {
    lost.add(batch.strange, "the queue held lines that this log did not write; they were dropped");
    const entries = entriesOf(batch.lines);
    if (entries.length === 0) {
      batch.done();
      return true;
    }
    const posted = await post(options.target, codec.encode(entries), stop.signal);
    if (posted.kind === "later") return retryLater(posted);
    if (posted.kind === "refused") lost.add(entries.length, posted.why);
    else {
      const { count, why } = codec.rejected(posted.answer);
      if (count > 0) lost.add(count, `the receiver rejected them: ${why}`);
    }
    failures = 0;
    batch.done();
    return true;
  };
  const retryLater = async (posted: Extract<Posted, { kind: "later" }>): Promise<boolean> => {
    if (stop.signal.aborted) return false;
    if (failures === 0) options.onProblem(posted.why);
    const wait = options.backoff?.(failures) ?? backoffMs(failures, Math.random());
    failures += 1;
    await pause(Math.min(LONGEST_WAIT_MS, Math.max(posted.afterMs ?? 0, wait)));
    return false;
  };
  const run = async (): Promise<void> => {
    await pause(GATHER_MS);
    const codec = await loadCodec(options.origin);
    for (let batch = queue.next(); batch !== undefined && !stop.signal.aborted; batch = queue.next())
      await sendOne(codec, batch);
  };
  const start = (): void => {
    running ??= run()
      .catch((error: unknown) => options.onProblem(String(error)))
      .finally(() => {
        running = undefined;
      });
  };
  if (queue.size() > 0) start();

  return {
    waiting: () => queue.size(),
    add(record) {
      if (stop.signal.aborted) return;
      try {
        lost.add(queue.add(lineOf(record)), "the queue is full; the oldest were dropped");
        start();
      } catch (error) {
        lost.add(1, `the queue cannot be written: ${String(error)}`);
      }
    },
    async close(ms) {
      wake?.();
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([running, enough]);
      clearTimeout(timer);
      stop.abort();
      wake?.();
      await running;
      queue.close();
      lost.tell();
    },
  };
}

/** One message for many: a receiver that refuses everything must not fill the log. */
function createLostCounter(onLost: OtlpSinkOptions["onLost"]): {
  add(count: number, why: string): void;
  tell(): void;
} {
  let count = 0;
  let reason = "";
  let timer: NodeJS.Timeout | undefined;
  let isFirst = true;
  const tell = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (count === 0) return;
    const lost = { count, why: reason };
    count = 0;
    onLost(lost);
  };
  return {
    tell,
    add(more, why) {
      if (more === 0) return;
      count += more;
      reason = why;
      if (timer !== undefined) return;
      timer = setTimeout(tell, isFirst ? 0 : LOST_EVERY_MS);
      timer.unref();
      isFirst = false;
    },
  };
}
