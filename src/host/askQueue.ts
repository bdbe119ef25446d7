/**
 * One question at a time: first in, first out, with a cap per session, a deadline from the moment it is shown, and a
 * pause between dialogs. Knows nothing of VS Code: `present` shows one question to its end.
 */
import { messageOf } from "../core/errors";
import type { Ask, AskAnswer, AskRequest, Clock, Log } from "../ports";

/** What `present` needs while it has the screen. */
export interface Turn {
  /** Resolves once a dialog may be opened: at least the gap after the previous one ended. */
  pace(): Promise<void>;
  /** To be called when a dialog has closed. */
  ended(): void;
  /** True once the question is decided without the person: expired or cancelled. */
  over(): boolean;
  /** Aborted at that same moment. */
  readonly signal: AbortSignal;
}

export interface AskQueueOptions {
  /** Resolves with the person's answer; null when it stopped because the turn was over. */
  readonly present: (request: AskRequest, turn: Turn) => Promise<AskAnswer | null>;
  readonly clock: Clock;
  readonly log: Log;
  /** The person's time in milliseconds, from the moment the question is shown. */
  readonly timeoutMs: number;
  /** Milliseconds between the end of one dialog and the start of the next. */
  readonly gapMs: number;
  /** Unanswered questions one session may have, the one on screen included. */
  readonly perSession: number;
  /** The sentence for the agent when its session has too many. */
  readonly tooMany: () => string;
  /** Told the number of unanswered questions whenever it changes. */
  readonly onWaiting: (count: number) => void;
  /** An answer that came after the question was decided without it. */
  readonly onLate: (request: AskRequest, answer: AskAnswer) => void;
}

interface Waiting {
  readonly request: AskRequest;
  readonly settle: (answer: AskAnswer) => void;
  readonly over: AbortController;
  timer: { cancel(): void } | null;
}

/** The `Ask` port over a dialog. Never rejects. */
export function askQueue(options: AskQueueOptions): Ask {
  const { clock, log } = options;
  const queue: Waiting[] = [];
  let open: Waiting | null = null;
  /** The dialog on screen belongs to a question that is already decided: nobody sits there. */
  let stuck = false;
  let lastEnd = Number.NEGATIVE_INFINITY;

  const unanswered = () => [...(open === null || open.over.signal.aborted ? [] : [open]), ...queue];
  const report = () => options.onWaiting(unanswered().length);

  function finish(item: Waiting, answer: AskAnswer): void {
    if (item.over.signal.aborted) return;
    item.over.abort();
    const at = queue.indexOf(item);
    if (at >= 0) queue.splice(at, 1);
    if (item === open && item.timer !== null) abandon();
    item.timer?.cancel();
    item.timer = null;
    item.settle(answer);
    report();
  }

  /** Starts the person's clock for an item; when it runs out the item has expired. */
  function start(item: Waiting): void {
    if (item.timer !== null) return;
    const timer = clock.timer(options.timeoutMs);
    item.timer = timer;
    void timer.done.then(() => {
      if (item.timer === timer) finish(item, { kind: "expired" });
    });
  }

  /** A decided question's dialog cannot be closed by us; those behind it must not wait for ever. */
  function abandon(): void {
    stuck = true;
    for (const item of queue) start(item);
  }

  /** The screen is free: those still waiting get their full time once they are shown. */
  function free(): void {
    open = null;
    stuck = false;
    for (const item of queue) {
      item.timer?.cancel();
      item.timer = null;
    }
  }

  function turnOf(item: Waiting): Turn {
    return {
      pace: async () => {
        const wait = lastEnd + options.gapMs - clock.monotonic();
        if (wait > 0) await clock.timer(wait).done;
      },
      ended: () => {
        lastEnd = clock.monotonic();
      },
      over: () => item.over.signal.aborted,
      signal: item.over.signal,
    };
  }

  async function show(item: Waiting): Promise<void> {
    const turn = turnOf(item);
    let answer: AskAnswer | null;
    try {
      await turn.pace();
      if (turn.over()) return;
      start(item);
      answer = await options.present(item.request, turn);
    } catch (error) {
      log.error(`The question could not be shown: ${messageOf(error)}`);
      answer = { kind: "dismissed" };
    }
    free();
    if (turn.over()) {
      if (answer !== null) options.onLate(item.request, answer);
      return;
    }
    const final: AskAnswer = answer ?? { kind: "dismissed" };
    finish(item, final);
    if (final.kind === "deny" && final.pauseAgent === true) denyRest(item.request, final);
  }

  /** "Deny all": what the same agent's session still has waiting gets the same answer. */
  function denyRest({ call }: AskRequest, answer: AskAnswer): void {
    for (const item of [...queue]) {
      const other = item.request.call;
      if (other.sessionId === call.sessionId && other.agent === call.agent) finish(item, answer);
    }
  }

  async function drain(): Promise<void> {
    if (open !== null) return;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      open = next;
      await show(next);
      free();
    }
  }

  return {
    available: true,
    ask(request, signal) {
      if (signal.aborted) return Promise.resolve({ kind: "cancelled" });
      const mine = unanswered().filter((item) => item.request.call.sessionId === request.call.sessionId);
      if (mine.length >= options.perSession) {
        log.warn(`Denied without asking: ${options.perSession} questions of this session are unanswered.`);
        return Promise.resolve({ kind: "busy", reason: options.tooMany() });
      }
      return new Promise<AskAnswer>((settle) => {
        const item: Waiting = { request, settle, over: new AbortController(), timer: null };
        const cancel = () => finish(item, { kind: "cancelled" });
        signal.addEventListener("abort", cancel, { once: true });
        item.over.signal.addEventListener("abort", () => signal.removeEventListener("abort", cancel), {
          once: true,
        });
        queue.push(item);
        if (stuck) start(item);
        report();
        void drain();
      });
    },
  };
}
