/** One handler asked once: a copy of the event for each, ended at its timeout, whatever it does. Knows no rule. */
import type { Clock } from "../../ports";
import { DeadlineExceeded, within } from "../deadline";
import { messageOf } from "../errors";
import type { Handler, HandlerAnswer, HookEvent } from "./types";

/** Milliseconds that a handler may take which says nothing of it. */
export const DEFAULT_TIMEOUT_MS = 30_000;

const KINDS: ReadonlySet<unknown> = new Set(["result", "context", "deny", "failed", "broken"]);

/** Never rejects. */
export async function callHandler(
  handler: Handler,
  clock: Clock,
  given: { readonly event: HookEvent; readonly signal: AbortSignal },
): Promise<HandlerAnswer> {
  const abort = new AbortController();
  const gone = gonePromise(given.signal, abort);
  const ms = handler.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  try {
    if (given.signal.aborted) return { kind: "failed", why: "the caller has gone" };
    const work = within(clock, ms, () => handler.run(given.event, abort.signal));
    const answer = await Promise.race([work, gone.promise]);
    return KINDS.has(answer?.kind) ? answer : { kind: "failed", why: "the handler gave no answer" };
  } catch (error) {
    const why =
      error instanceof DeadlineExceeded ? `no answer within ${ms / 1000} s` : messageOf(error) || "it threw";
    return { kind: "failed", why };
  } finally {
    gone.dispose();
    abort.abort();
  }
}

/** Resolves as a failure when the caller goes, so that nobody waits for a handler that does not listen. */
function gonePromise(
  signal: AbortSignal,
  abort: AbortController,
): { readonly promise: Promise<HandlerAnswer>; dispose(): void } {
  let listener = (): void => undefined;
  const promise = new Promise<HandlerAnswer>((resolve) => {
    listener = () => {
      abort.abort();
      resolve({ kind: "failed", why: "the caller has gone" });
    };
    signal.addEventListener("abort", listener, { once: true });
  });
  return { promise, dispose: () => signal.removeEventListener("abort", listener) };
}
