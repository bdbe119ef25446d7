/**
 * Between one client and one server: passes every line on as it came, but for tool calls, which are judged first, and answers
 * that nobody asked for. Knows no stream and no guard; whoever hands lines in writes what it hands out.
 */
import { isPlainObject } from "../../core/call";
import { visibleLine } from "../../core/visible";
import type { Log } from "../../ports";
import { errorLine, ProtocolError } from "../jsonRpc";
import { createCalls } from "./calls";
import type { Judge } from "./judge";
import type { PinStore } from "./pinFile";
import type { RawLine } from "./rawLines";
import { ambiguityOf, idKey, passedOn, readLine, type WireMessage } from "./wire";

export interface RelayDeps {
  readonly judge: Judge;
  readonly pins: PinStore;
  readonly toClient: (line: Buffer | string) => void;
  readonly toServer: (line: Buffer | string) => void;
  readonly log: Log;
}

export interface Relay {
  fromClient(line: RawLine): void;
  fromServer(line: RawLine): void;
  /** Answers whatever waits for the server; nothing is sent to it any more. */
  serverEnded(why: string): void;
  /** Ends what is being judged; nothing is answered any more. */
  clientGone(): void;
  /** Resolves when no call is in flight. */
  idle(): Promise<void>;
}

/** A request that the server has, and what is to be done with its answer. */
export interface Waiting {
  readonly id: unknown;
  readonly method: string;
  /** Takes the answer; absent = it is passed on. */
  readonly take?: (answer: WireMessage) => void;
  /** The server has ended without one; absent = the client is told so. */
  readonly lost?: (why: string) => void;
}

const MAX_WAITING = 10_000;

export function createRelay(deps: RelayDeps): Relay {
  const waiting = new Map<string, Waiting>();
  const state: { client: string; ended?: string } = { client: "mcp" };
  const say = (id: unknown, why: string): void =>
    deps.toClient(errorLine(isId(id) ? id : null, new ProtocolError("request", why)));
  /** For what comes from the server and is not for the client. */
  const drop = (why: string): void => deps.log.warn(`from the server, not passed on: ${why}`);

  const lose = ({ id, lost }: Waiting, why: string): void => (lost === undefined ? say(id, why) : lost(why));
  const ask = (key: string, request: Waiting, line: Buffer | string) => {
    if (state.ended !== undefined) return lose(request, state.ended);
    waiting.set(key, request);
    deps.toServer(line);
  };
  const calls = createCalls({
    ...deps,
    ask,
    forget: (key) => waiting.delete(key),
    client: () => state.client,
  });

  const request = (message: WireMessage, bytes: () => Buffer | string) => {
    const { id, method } = message.value;
    const key = idKey(message);
    if (key === undefined) return say(null, "The id of a request is a text or a number");
    if (waiting.has(key) || calls.has(key)) return say(id, `The request id ${String(id)} is in use`);
    if (waiting.size >= MAX_WAITING) return say(id, "Too many requests at one time; wait for an answer");
    const name = String(method);
    if (name === "tools/call") return calls.begin(key, message);
    if (isLookAlike(name))
      return say(id, `Not passed on: ${JSON.stringify(name.slice(0, 80))} could be taken for another method`);
    if (/^resources\/(?:read|subscribe)$/.test(name) && namesFile(message))
      return calls.beginRead(key, message);
    if (name === "tasks/result" && calls.fetch(key, message)) return;
    if (name === "initialize") state.client = clientName(message.value.params) ?? state.client;
    const take = name === "tools/list" ? listed(deps) : undefined;
    ask(key, { id, method: name, ...(take === undefined ? {} : { take }) }, bytes());
  };

  const fromClientMessage = (message: WireMessage, bytes: () => Buffer | string) => {
    const unclear = ambiguityOf(message);
    const { method } = message.value;
    if (unclear !== undefined) return say(message.value.id, `Not passed on: ${unclear}`);
    // An answer to a question of the server, or nothing that it would take for a call.
    if (method === undefined) return pass(deps, state, bytes());
    if ("id" in message.value) return request(message, bytes);
    if (method === "tools/call" || isLookAlike(String(method)))
      return deps.log.warn(`a ${String(method).slice(0, 80)} without an id is not passed on`);
    if (method === "notifications/cancelled" && calls.cancelled(message)) return;
    pass(deps, state, bytes());
  };

  const answer = (message: WireMessage, bytes: () => Buffer | string) => {
    const key = idKey(message);
    // An error about a line that could not be read names no request.
    if (key === undefined && "error" in message.value) return deps.toClient(bytes());
    const request = key === undefined ? undefined : waiting.get(key);
    if (key === undefined || request === undefined) return drop("an answer that nobody waits for");
    waiting.delete(key);
    if (request.take !== undefined) request.take(message);
    if (request.take === undefined || request.method === "tools/list") deps.toClient(bytes());
  };

  const fromServerMessage = (message: WireMessage, bytes: () => Buffer | string) => {
    const { value } = message;
    const answers = "result" in value || "error" in value;
    if ("method" in value) return answers ? drop("both a request and an answer") : deps.toClient(bytes());
    if (!answers) return drop("no message");
    answer(message, bytes);
  };

  return {
    fromClient(line) {
      if (line.kind === "oversized") return say(null, `The message is over the limit (${line.size} bytes)`);
      const read = readLine(line.bytes);
      if (read.kind === "blank") return;
      if (read.kind === "bad")
        return deps.toClient(errorLine(null, new ProtocolError(read.code, `Not passed on: ${read.why}`)));
      if (read.kind === "message") return fromClientMessage(read.message, () => passedOn(line.bytes));
      // Where nothing is judged the batch stays one; else its messages go singly, so that one can be held alone.
      if (read.messages.every(isPlain)) return plainBatch(read.messages, line.bytes);
      for (const message of read.messages) fromClientMessage(message, () => `${message.text}\n`);
    },
    fromServer(line) {
      if (line.kind === "oversized") return drop(`a line of ${line.size} bytes`);
      const read = readLine(line.bytes);
      if (read.kind === "blank") return;
      if (read.kind === "bad")
        return drop(`${read.why}: ${visibleLine(line.bytes.toString("utf8", 0, 300))}`);
      if (read.kind === "message") return fromServerMessage(read.message, () => passedOn(line.bytes));
      if (read.messages.every((message) => isUnheld(message, waiting))) {
        for (const message of read.messages) waiting.delete(idKey(message) ?? "");
        return deps.toClient(passedOn(line.bytes));
      }
      for (const message of read.messages) fromServerMessage(message, () => `${message.text}\n`);
    },
    serverEnded(why) {
      state.ended = why;
      for (const [key, request] of waiting) {
        waiting.delete(key);
        lose(request, why);
      }
      calls.serverEnded(why);
    },
    clientGone: calls.abort,
    idle: calls.idle,
  };

  function plainBatch(messages: readonly WireMessage[], bytes: Buffer) {
    const keys = messages.flatMap((message) => ("id" in message.value ? [idKey(message)] : []));
    const fresh = keys.every((key) => key !== undefined && !waiting.has(key) && !calls.has(key));
    if (!fresh || new Set(keys).size < keys.length)
      return say(null, "A request id in the batch is in use or unreadable");
    if (state.ended !== undefined) return say(null, state.ended);
    for (const { value } of messages)
      if ("id" in value && "method" in value)
        waiting.set(`${typeof value.id === "string" ? "s" : "n"}:${String(value.id)}`, {
          id: value.id,
          method: String(value.method),
        });
    deps.toServer(passedOn(bytes));
  }
}

const JUDGED = new Set([
  "tools/call",
  "tools/list",
  "tasks/result",
  "resources/read",
  "resources/subscribe",
  "initialize",
]);

/** `tools/Call`, `tools/call/`: some reader could take it for a method that is judged here. */
function isLookAlike(method: string): boolean {
  if (JUDGED.has(method)) return false;
  const plain = method
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z]/g, "");
  return [...JUDGED].some((known) => known.replace("/", "") === plain);
}

/** Of other addresses only the server knows what they are. */
function namesFile({ value }: WireMessage): boolean {
  const { params } = value;
  return isPlainObject(params) && typeof params.uri === "string" && isReach(params.uri);
}

/** A file of this machine, or a place on the network. */
const isReach = (uri: string): boolean =>
  /^\s*(?:file|https?|ftp):/i.test(uri) || /^\s*(?:[/~\\]|\.\.?[/\\]|[a-z]:[/\\])/i.test(uri);

/** Nothing that is judged, noted or answered here. */
function isPlain(message: WireMessage): boolean {
  const { method, id } = message.value;
  if (ambiguityOf(message) !== undefined) return false;
  if (typeof id === "number" && !Number.isSafeInteger(id)) return false;
  if (typeof method !== "string") return true;
  return (
    !/^(?:tools\/|tasks\/|resources\/|initialize$|notifications\/cancelled$)/.test(method) &&
    !isLookAlike(method)
  );
}

function isUnheld(message: WireMessage, waiting: ReadonlyMap<string, Waiting>): boolean {
  const { value } = message;
  if ("method" in value) return !("result" in value || "error" in value);
  const request = waiting.get(idKey(message) ?? "");
  return request !== undefined && request.take === undefined;
}

function pass(deps: RelayDeps, state: { readonly ended?: string }, line: Buffer | string): void {
  if (state.ended === undefined) deps.toServer(line);
}

/** The server's list of tools, looked at and passed on. */
function listed({ pins }: RelayDeps): (answer: WireMessage) => void {
  return ({ value }) => {
    const { result } = value;
    if (typeof result !== "object" || result === null || !("tools" in result)) return;
    if (Array.isArray(result.tools)) void pins.listed(result.tools);
  };
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number";
}

/** What a client says of itself goes into records and dialogs: one line, all of it visible, of bounded length. */
function clientName(params: unknown): string | undefined {
  if (typeof params !== "object" || params === null || !("clientInfo" in params)) return undefined;
  const { clientInfo } = params;
  if (typeof clientInfo !== "object" || clientInfo === null || !("name" in clientInfo)) return undefined;
  if (typeof clientInfo.name !== "string") return undefined;
  const name = visibleLine(clientInfo.name.slice(0, 200)).slice(0, 80);
  return name === "" ? undefined : name;
}
