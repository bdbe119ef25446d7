/** The tool calls of one client: judged, then run by the server, then answered. Knows what a call and its answer look like; knows no guard. */
import * as z from "zod";
import { type Args, isPlainObject } from "../../core/call";
import { messageOf } from "../../core/errors";
import type { Log } from "../../ports";
import { errorLine, ProtocolError, type RequestId } from "../jsonRpc";
import { answerLine, errorOf, failedLine, refusedLine, ServerError, taskOf } from "./answers";
import { progressWhileHeld } from "./heldProgress";
import type { Allowed, Judge, ProxyCall, ProxyVerdict } from "./judge";
import type { PinStore } from "./pinFile";
import type { Waiting } from "./relay";
import { createTasks } from "./tasks";
import { namedKey, type WireMessage, withArguments, withResult } from "./wire";

export interface CallsDeps {
  readonly judge: Judge;
  readonly pins: PinStore;
  readonly toClient: (line: Buffer | string) => void;
  /** Sends a request to the server. */
  readonly ask: (key: string, request: Waiting, line: Buffer | string) => void;
  /** The server's answer to this request is not wanted any more. */
  readonly forget: (key: string) => void;
  /** As the client named itself. */
  readonly client: () => string;
  readonly log: Log;
}

export interface Calls {
  begin(key: string, message: WireMessage): void;
  /** `resources/read` of a file or an address: judged as a tool that reads it. */
  beginRead(key: string, message: WireMessage): void;
  has(key: string): boolean;
  /** True where the call had not reached the server, which then need not be told. */
  cancelled(notice: WireMessage): boolean;
  /** `tasks/result` of a task that one of our calls became. False = it is none of ours. */
  fetch(key: string, message: WireMessage): boolean;
  serverEnded(why: string): void;
  abort(): void;
  /** Resolves when no call is in flight. */
  idle(): Promise<void>;
}

interface Entry {
  readonly abort: AbortController;
  /** The server has it, or had it. */
  sent: boolean;
  /** A cancelled request is not answered. */
  silent: boolean;
}

interface Running {
  readonly key: string;
  /** Of the request that is answered with the result: the call's own, or the one that fetches its task. */
  id: RequestId;
  readonly message: WireMessage;
  readonly call: ProxyCall;
  readonly entry: Entry;
  readonly held: { stop(): void };
  answer?: WireMessage;
  task?: string;
}

/** Calls at one time; more are refused unrun, so that a client that floods us cannot use up memory. */
const MAX_IN_FLIGHT = 256;

const paramsSchema = z.looseObject({
  name: z.string().min(1).max(256),
  arguments: z.record(z.string(), z.unknown()).nullish(),
  _meta: z.looseObject({}).nullish(),
});
type Params = z.infer<typeof paramsSchema>;

export function createCalls(deps: CallsDeps): Calls {
  const inFlight = new Map<string, Entry>();
  const all = new Set<Entry>();
  const open = new Set<Promise<void>>();
  const tasks = createTasks(deps);

  const begin = (key: string, message: WireMessage) => {
    // The caller made sure that it is one of the two.
    const id = message.value.id as RequestId;
    const refuse = (kind: "params", why: string): void =>
      deps.toClient(errorLine(id, new ProtocolError(kind, why)));
    const read = paramsSchema.safeParse(message.value.params);
    if (!read.success) return refuse("params", `Wrong parameters: ${z.prettifyError(read.error)}`);
    start({ key, id, message }, read.data);
  };

  const beginRead = (key: string, message: WireMessage): void => {
    const { params, method } = message.value;
    const uri = isPlainObject(params) ? params.uri : undefined;
    start(
      { key, id: message.value.id as RequestId, message },
      { name: String(method).replace("/", "_"), arguments: { uri } },
    );
  };

  const start = (one: Pick<Running, "key" | "id" | "message">, params: Params): void => {
    const { key, id } = one;
    if (inFlight.size >= MAX_IN_FLIGHT) {
      const why = `More than ${MAX_IN_FLIGHT} calls at one time; wait for an answer`;
      deps.toClient(errorLine(id, new ProtocolError("request", why)));
      return;
    }
    const entry: Entry = { abort: new AbortController(), sent: false, silent: false };
    inFlight.set(key, entry);
    all.add(entry);
    const done = run({ ...one, entry }, params).finally(() => {
      all.delete(entry);
      if (inFlight.get(key) === entry) inFlight.delete(key);
      open.delete(done);
    });
    open.add(done);
  };

  const run = async (
    one: Pick<Running, "key" | "id" | "message" | "entry">,
    params: Params,
  ): Promise<void> => {
    const { entry } = one;
    const { signal } = entry.abort;
    const say = (line: Buffer | string): void => {
      if (!entry.silent) deps.toClient(line);
    };
    const held = progressWhileHeld(params._meta?.progressToken, say);
    const call = await proxyCall(params, deps);
    const running: Running = { ...one, call, held };
    const runTool = async (allowed: Allowed): Promise<unknown> => {
      entry.sent = true;
      const answer = await onServer(running, allowed);
      const task = taskOf(answer);
      if (task === undefined) return resultOf(running, answer);
      running.task = task;
      // What it comes to is fetched later; until then the call is not over, but its id is free.
      say(`${answer.text}\n`);
      inFlight.delete(one.key);
      const fetched = await tasks.result(task, signal);
      running.id = fetched.id;
      return resultOf(running, fetched.answer);
    };
    const line = await verdictOf(running, runTool);
    held.stop();
    if (running.task === undefined) say(line);
    else tasks.over(running.task, line);
  };

  const verdictOf = async (
    one: Running,
    runTool: (allowed: Allowed) => Promise<unknown>,
  ): Promise<string> => {
    try {
      const verdict = await deps.judge.govern(one.call, runTool, one.entry.abort.signal);
      if (verdict.kind === "refused") return refusal(one, verdict.said);
      if (one.answer === undefined) throw new Error("the call ended without an answer");
      return isCall(one.message) ? answerLine(one.answer, verdict) : readLine(one.answer, verdict);
    } catch (error) {
      if (error instanceof ServerError) return failedLine(one.id, error);
      deps.log.error(`${one.call.tool}: ${messageOf(error)}`);
      const message = `guard broken: ${messageOf(error)}`;
      return refusal(one, {
        kind: "denied",
        tool: one.call.tool,
        reason: message,
        message,
        by: "security",
      });
    }
  };

  const onServer = async (one: Running, allowed: Allowed): Promise<WireMessage> => {
    const { key, id, message, entry, call, held } = one;
    const { signal } = entry.abort;
    held.stop();
    if (allowed.rewritten && !isCall(message))
      throw new Error("the address of a resource cannot be rewritten");
    const { digest } = call.sighting;
    if (allowed.pinApproved && digest !== undefined) await deps.pins.approve(call.tool, digest);
    const text = allowed.rewritten ? withArguments(message, allowed.args) : message.text;
    return new Promise((resolve, reject) => {
      const lost = (why: string): void => reject(new ServerError(why));
      const stop = (): void => {
        deps.forget(key);
        lost("the client cancelled the call");
      };
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      deps.ask(key, { id, method: String(message.value.method), take: resolve, lost }, `${text}\n`);
    });
  };

  return {
    begin,
    beginRead,
    has: (key) => inFlight.has(key),
    cancelled(notice) {
      const found = inFlight.get(namedKey(notice) ?? "");
      if (found === undefined) return false;
      silence(found);
      return !found.sent;
    },
    fetch: tasks.fetch,
    serverEnded(why) {
      tasks.serverEnded(why);
      // Nobody need think about a call that cannot run any more.
      for (const entry of all) if (!entry.sent) entry.abort.abort();
    },
    abort() {
      for (const entry of all) silence(entry);
    },
    async idle() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

const isCall = (message: WireMessage): boolean => message.value.method === "tools/call";

/** A tool's refusal is a result for the model to read; other requests know only errors. */
function refusal({ id, message }: Pick<Running, "id" | "message">, said: Args): string {
  if (isCall(message)) return refusedLine(id, said);
  const why = textOf(said.message) ?? textOf(said.reason) ?? "refused";
  return errorLine(id, new ProtocolError("request", why));
}

/** What a resource holds, with what rules made of it. */
function readLine(answer: WireMessage, ran: Extract<ProxyVerdict, { kind: "ran" }>): string {
  if (!ran.changed) return `${answer.text}\n`;
  const result = isPlainObject(ran.value) ? ran.value : { contents: [] };
  return `${withResult(answer, result)}\n`;
}

function silence(entry: Entry): void {
  entry.silent = true;
  entry.abort.abort();
}

function resultOf(one: Running, answer: WireMessage): unknown {
  one.answer = answer;
  const failed = errorOf(answer);
  if (failed !== undefined) throw failed;
  return answer.value.result;
}

async function proxyCall({ name, arguments: input, _meta }: Params, deps: CallsDeps): Promise<ProxyCall> {
  const meta: Args = isPlainObject(_meta) ? _meta : {};
  const toolUseId = textOf(meta["claudecode/toolUseId"]);
  const conversationId = textOf(meta["vscode.conversationId"]);
  return {
    tool: name,
    input: input ?? {},
    client: deps.client(),
    ...(toolUseId === undefined ? {} : { toolUseId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    sighting: await deps.pins.of(name),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= 500 ? value : undefined;
}
