/** The events of one HTTP answer, taken up again where the connection broke off. Knows what an answer to a request is, and nothing else of the protocol. */
import { isPlainObject } from "../../core/call";
import { messageOf } from "../../core/errors";
import type { HttpAnswer } from "./httpRequest";
import { MAX_RAW_LINE } from "./rawLines";
import { createEventCutter, type EventHooks } from "./sse";

export interface StreamHooks {
  /** Asks for the stream again, from behind the event that is named. */
  readonly reopen: (last: string | undefined) => Promise<HttpAnswer>;
  readonly onData: (data: string) => void;
  readonly onOversized: () => void;
  /** Told of each connection while it is read. */
  readonly reading: { add(answer: HttpAnswer): void; delete(answer: HttpAnswer): void };
  readonly signal: AbortSignal;
}

export interface Unanswered {
  readonly ids: readonly (string | number)[];
  readonly why: string;
}

/** Milliseconds before a broken stream is taken up again where the server does not say, and how often in a row. */
const RETRY_MS = 1_000;
const RETRIES = 5;

/** Reads until each of `ids` has its answer, or, with none, until the server ends it for good. What has no answer then is told. */
export async function readStream(
  ids: Unanswered["ids"],
  first: HttpAnswer,
  hooks: StreamHooks,
): Promise<Unanswered | undefined> {
  const open = new Set(ids.map(String));
  const isDone = (): boolean => hooks.signal.aborted || (ids.length > 0 && open.size === 0);
  const given = (why: string): Unanswered | undefined =>
    isDone() || ids.length === 0 ? undefined : { ids: ids.filter((id) => open.has(String(id))), why };
  const seen: { last?: string; wait: number; tries: number } = { wait: RETRY_MS, tries: 0 };
  let answer: HttpAnswer | undefined = first;
  for (;;) {
    const broke =
      answer === undefined
        ? "it cannot be reached"
        : await readOnce(answer, hooks, {
            onEvent({ data, id }) {
              seen.tries = 0;
              if (id !== undefined) seen.last = id;
              const answered = answeredBy(data);
              if (answered !== undefined) open.delete(answered);
              hooks.onData(data);
            },
            onRetry(ms) {
              seen.wait = ms;
            },
          });
    if (isDone()) return undefined;
    const resumable = seen.last !== undefined || ids.length === 0;
    seen.tries += 1;
    if (!resumable || seen.tries > RETRIES) return given(broke ?? "the connection ended");
    await pause(seen.wait, hooks.signal);
    answer = await hooks.reopen(seen.last).catch(() => undefined);
    if (answer === undefined || answer.status === 200) continue;
    answer.drain();
    return given(`HTTP ${answer.status}`);
  }
}

/** The reason where the connection broke. */
async function readOnce(
  answer: HttpAnswer,
  { reading, onOversized }: StreamHooks,
  hooks: Pick<EventHooks, "onEvent" | "onRetry">,
): Promise<string | undefined> {
  const cutter = createEventCutter({ ...hooks, limit: MAX_RAW_LINE, onOversized });
  reading.add(answer);
  try {
    await answer.read((text) => cutter.push(text));
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    reading.delete(answer);
  }
}

/** The request that a message answers. */
function answeredBy(data: string): string | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isPlainObject(value) && !("method" in value) ? String(value.id) : undefined;
  } catch {
    return undefined;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
