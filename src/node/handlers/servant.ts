/** A process that answers events for as long as it is wanted: started on demand, replaced when it hangs or dies. Knows no language. */
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { messageOf } from "../../core/errors";
import type { HandlerAnswer } from "../../core/hookRules/types";
import { failed, MAX_ANSWER, readAnswerValue } from "./answerText";
import { abortText } from "./command";
import { readLines } from "./lines";
import { endTree } from "./processTree";
import type { ServantReply } from "./servantMessages";

export interface ServantChild {
  readonly child: ChildProcess;
  readonly input: Writable;
  readonly output: Readable;
  /** Value of the variable that its tree inherits. */
  readonly mark: string;
}

export interface ServantPlan {
  start(): ServantChild;
  /** Absent = the process ends with all that it started. */
  end?(running: ServantChild): Promise<void>;
  /** "end-all" = an abort ends the process at once, whoever else waits for it: what hangs is not left running. */
  readonly onAbort?: "end-all";
  /** Milliseconds for the code to load; default 10 000. */
  readonly loadLimitMs?: number;
  /** True for a line that is no reply, and has been dealt with. */
  overhears?(line: string): boolean;
  /** The line that is sent before any event, without its end. */
  readonly first: string;
}

export interface Servant {
  /** Undefined once the code is loaded and has that function, else why not. Never rejects. */
  load(fn: string, signal: AbortSignal): Promise<string | undefined>;
  /** `event` is JSON. Several at a time; an abort ends the process once nobody else waits for it. Never rejects. */
  ask(fn: string, event: string, signal: AbortSignal): Promise<HandlerAnswer>;
  /** As `ask`, with the reply as it came. Never rejects. */
  exchange(fn: string, event: string, signal: AbortSignal): Promise<ServantReply>;
  /** The reply to the first line, once there is a process that has given one. Never rejects. */
  ready(signal: AbortSignal): Promise<ServantReply>;
  close(): Promise<void>;
}

/** Why those ended that were asked beside one that was aborted. */
export const ENDED_WITH_ANOTHER = "it was ended together with another call that took too long";

type Settle = (reply: ServantReply) => void;

interface Session {
  readonly running: ServantChild;
  readonly waiting: Map<number, Settle>;
  /** Takes no new events, and ends with the last one that it has. */
  retired: boolean;
  ended?: Promise<void>;
  /** The reply to the first line. */
  ready: Promise<ServantReply>;
  /** The same, once it is there. */
  replied?: ServantReply;
  answered: number;
}

const NEVER = new Promise<never>(() => undefined);
/** Milliseconds for the code to load. */
const LOAD_LIMIT = 10_000;

/** A line holds an answer and little else. */
const MAX_LINE = MAX_ANSWER + 65_536;
const START = 0;

export function createServant(plan: ServantPlan): Servant {
  let current: Session | undefined;
  let isOpen = true;
  let nextId = 1;
  const sessions = new Set<Session>();

  const end = (session: Session, why: string): Promise<void> => {
    retire(session);
    for (const settle of [...session.waiting.values()]) settle({ ended: why });
    const { child, mark } = session.running;
    const endAll = () => plan.end?.(session.running) ?? endTree({ pid: child.pid ?? 0, mark });
    session.ended ??= child.pid === undefined ? Promise.resolve() : endAll();
    return session.ended.then(() => void sessions.delete(session));
  };
  const retire = (session: Session) => {
    session.retired = true;
    if (current !== session) return;
    current = undefined;
    // The next event finds another one ready. One that never answered would only fail again.
    if (isOpen && session.answered > 0) queueMicrotask(() => isOpen && tryBegin());
  };
  const wait = (session: Session, id: number, signal?: AbortSignal): Promise<ServantReply> =>
    new Promise((resolve) => {
      const settle = (reply: ServantReply) => {
        signal?.removeEventListener("abort", onAbort);
        session.waiting.delete(id);
        hold(session);
        resolve(reply);
        if (session.retired && session.waiting.size === 0) void end(session, "it was ended");
      };
      const onAbort = () => {
        retire(session);
        settle({ ended: signal === undefined ? "it was ended" : abortText(signal) });
        if (plan.onAbort === "end-all") void end(session, ENDED_WITH_ANOTHER);
      };
      session.waiting.set(id, settle);
      hold(session);
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  const begin = (): Session => {
    if (current !== undefined) return current;
    const running = plan.start();
    const session: Session = { running, waiting: new Map(), ready: NEVER, answered: 0, retired: false };
    sessions.add(session);
    current = session;
    listen(session, plan, (why) => void end(session, why));
    session.ready = started(session);
    running.input.write(`${plan.first}\n`);
    return session;
  };
  const started = async (session: Session): Promise<ServantReply> => {
    const limit = setTimeout(
      () => void end(session, "it took too long to load"),
      plan.loadLimitMs ?? LOAD_LIMIT,
    );
    const reply = await wait(session, START);
    clearTimeout(limit);
    if (!("ended" in reply) && !reply.ok) void end(session, reply.error);
    session.replied = reply;
    return reply;
  };
  const tryBegin = () => {
    try {
      begin();
    } catch {
      // The next event tries again, and tells why it cannot.
    }
  };
  /** Who gives up waiting leaves the code loading, for the next one. */
  const loaded = async (session: Session, signal: AbortSignal): Promise<string | undefined> => {
    const abort = session.replied === undefined ? aborted(signal) : undefined;
    const reply = session.replied ?? (await Promise.race([session.ready, abort?.promise]));
    abort?.forget();
    if (reply === undefined) return abortText(signal);
    if ("ended" in reply) return reply.ended;
    return reply.ok ? undefined : reply.error;
  };
  /** `rest` is what stands in the request behind its id. */
  const request = async (rest: string, signal: AbortSignal): Promise<ServantReply> => {
    try {
      const session = begin();
      const why = await loaded(session, signal);
      if (why !== undefined || session.retired) return { ended: why ?? "it ended before it was asked" };
      const id = nextId++;
      const reply = wait(session, id, signal);
      session.running.input.write(`{"id":${id},${rest}}\n`);
      const said = await reply;
      if (!("ended" in said)) session.answered++;
      return said;
    } catch (error) {
      return { ended: `it cannot be started: ${messageOf(error)}` };
    }
  };

  const exchange: Servant["exchange"] = (fn, event, signal) =>
    request(`"fn":${JSON.stringify(fn)},"event":${event}`, signal);

  return {
    async load(fn, signal) {
      const reply = await request(`"fn":${JSON.stringify(fn)}`, signal);
      if ("ended" in reply) return reply.ended;
      return reply.ok ? undefined : reply.error;
    },
    async ask(fn, event, signal) {
      return answerOf(await exchange(fn, event, signal));
    },
    exchange,
    async ready(signal) {
      try {
        const session = begin();
        const why = await loaded(session, signal);
        return why === undefined ? await session.ready : { ended: why };
      } catch (error) {
        return { ended: `it cannot be started: ${messageOf(error)}` };
      }
    },
    async close() {
      isOpen = false;
      await Promise.all([...sessions].map((session) => end(session, "it was closed")));
    },
  };
}

function answerOf(reply: ServantReply): HandlerAnswer {
  if ("ended" in reply) return failed(reply.ended);
  return reply.ok ? readAnswerValue(reply.value) : failed(reply.error);
}

/** What is not wanted any more is to be forgotten: a signal may live as long as the program. */
function aborted(signal: AbortSignal): { readonly promise: Promise<undefined>; forget(): void } {
  let onAbort = (): void => undefined;
  const promise = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  return { promise, forget: () => signal.removeEventListener("abort", onAbort) };
}

function listen(session: Session, plan: ServantPlan, lost: (why: string) => void): void {
  const { child, input, output } = session.running;
  let said: string | undefined;
  for (const stream of [input, output]) stream.on("error", () => undefined);
  child.on("error", (error) => lost(`it cannot be started: ${error.message}`));
  // What it sent before it died is heard first.
  child.on("close", (code, name) => lost(said ?? `its process ended with ${name ?? `status ${code}`}`));
  child.on("exit", () => setTimeout(() => output.destroy(), 200).unref());
  readLines(output, MAX_LINE, {
    line(text) {
      if (plan.overhears?.(text) === true) return;
      const reply = readReply(text);
      if (reply === undefined) lost("its process sent what is no answer");
      else if ("ended" in reply) said = reply.ended;
      else session.waiting.get(reply.id)?.(reply);
    },
    tooLong: () => lost("its answer is larger than 1 MiB"),
  });
}

function readReply(text: string): ServantReply | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    const reply = value as Partial<Record<"id" | "ok" | "error" | "ended" | "value", unknown>>;
    if (typeof reply.ended === "string") return { ended: reply.ended };
    if (typeof reply.id !== "number") return undefined;
    if (reply.ok === true) return { id: reply.id, ok: true, value: reply.value };
    return { id: reply.id, ok: false, error: String(reply.error) };
  } catch {
    return undefined;
  }
}

/** An idle process keeps nobody alive. */
function hold({ running, waiting }: Session): void {
  const word = waiting.size > 0 ? "ref" : "unref";
  running.child[word]();
  for (const stream of [running.input, running.output]) {
    const handle: unknown = Reflect.get(stream, word);
    if (typeof handle === "function") handle.call(stream);
  }
}
