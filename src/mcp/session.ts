/** One client's connection: handshake, requests in flight and their cancellation. Knows no stream, and of tools only how they are called. */
import * as z from "zod";
import { visibleLine } from "../core/visible";
import { nodeIds } from "../node/ports";
import { version } from "../version";
import {
  errorLine,
  type Message,
  notificationLine,
  ProtocolError,
  type RequestId,
  readMessage,
  readParams,
  resultLine,
} from "./jsonRpc";
import type { Line } from "./lines";
import type { Caller, ToolCalls } from "./toolCalls";
import { LISTED_TOOLS } from "./toolList";

export interface SessionDeps {
  readonly calls: ToolCalls;
  /** Takes one whole line. */
  readonly write: (line: string) => void;
}

export interface Session {
  take(line: Line): void;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
  /** Ends what is in flight; nothing is answered any more. */
  abort(): void;
}

/** Newest first: it is what a client is offered that asks for one we do not have. */
const VERSIONS = ["2025-11-25", "2025-06-18"] as const;
/** Calls at one time; more are refused unrun, so that a client that floods us cannot use up memory. */
const MAX_IN_FLIGHT = 64;
const INSTRUCTIONS =
  "These tools are governed by Countersign. What would destroy data needs a person's approval; nobody can be asked here, so such a call is denied. A result with kind 'denied' says why: tell the user, and do not try the same in another form. Every call is on record.";

const initializeSchema = z.object({
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
});
const cancelledSchema = z.object({ requestId: z.union([z.string(), z.int()]) });
const listSchema = z.object({ cursor: z.string().exactOptional() });

type Request = Extract<Message, { kind: "request" }>;
type Notification = Extract<Message, { kind: "notification" }>;

export function createSession({ calls, write }: SessionDeps): Session {
  const sessionId = nodeIds("mcp");
  const inFlight = new Map<RequestId, { readonly abort: AbortController; readonly done: Promise<void> }>();
  let caller: Caller | undefined;

  const initialize = (params: unknown): unknown => {
    if (caller !== undefined) throw new ProtocolError("request", "initialize was sent before");
    const { protocolVersion, clientInfo } = readParams(initializeSchema, params);
    caller = { agent: agentName(clientInfo.name), sessionId };
    return {
      protocolVersion: VERSIONS.find((known) => known === protocolVersion) ?? VERSIONS[0],
      capabilities: { tools: {} },
      serverInfo: { name: "countersign", title: "Countersign", version },
      instructions: INSTRUCTIONS,
    };
  };

  const known = (): Caller => {
    if (caller === undefined) throw new ProtocolError("request", "initialize comes first");
    return caller;
  };

  const answer = ({ id, method, params }: Request): unknown => {
    switch (method) {
      case "initialize":
        return initialize(params);
      case "ping":
        return {};
      case "tools/list":
        known();
        return list(params);
      case "tools/call":
        return begin(id, params);
      default:
        throw new ProtocolError("method", `There is no method ${method.slice(0, 200)}`);
    }
  };

  const begin = (id: RequestId, params: unknown): undefined => {
    const from = known();
    if (inFlight.has(id)) throw new ProtocolError("request", `The request id ${id} is in use`);
    if (inFlight.size >= MAX_IN_FLIGHT)
      throw new ProtocolError("request", `More than ${MAX_IN_FLIGHT} calls at one time; wait for an answer`);
    const abort = new AbortController();
    // A cancelled request is not answered, and nothing more is said about it.
    const say = (line: string) => {
      if (!abort.signal.aborted) write(line);
    };
    const notify = (method: string, body: unknown) => say(notificationLine(method, body));
    const done = calls
      .run(params, { caller: from, signal: abort.signal, notify })
      .then(
        (result) => say(resultLine(id, result)),
        (error: unknown) => say(errorLine(id, error)),
      )
      .finally(() => inFlight.delete(id));
    inFlight.set(id, { abort, done });
    return undefined;
  };

  const hear = ({ method, params }: Notification): void => {
    if (method !== "notifications/cancelled") return;
    const read = cancelledSchema.safeParse(params);
    // Late, unknown or malformed cancellations are ignored: the protocol wants it so.
    if (read.success) inFlight.get(read.data.requestId)?.abort.abort();
  };

  return {
    take(line) {
      const message = readMessage(line);
      switch (message.kind) {
        case "bad":
          return write(errorLine(message.id, message.error));
        case "response":
          return;
        case "notification":
          return hear(message);
        case "request":
          return reply(message, answer, write);
        default:
          message satisfies never;
      }
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all([...inFlight.values()].map((one) => one.done));
    },
    abort() {
      for (const one of inFlight.values()) one.abort.abort();
    },
  };
}

/** `undefined` is answered later. */
function reply(request: Request, answer: (request: Request) => unknown, write: (line: string) => void): void {
  try {
    const result = answer(request);
    if (result !== undefined) write(resultLine(request.id, result));
  } catch (error) {
    write(errorLine(request.id, error));
  }
}

function list(params: unknown): unknown {
  const { cursor } = readParams(listSchema, params);
  if (cursor !== undefined) throw new ProtocolError("params", "There is no such page");
  return { tools: LISTED_TOOLS };
}

/** What a client says of itself goes into records and dialogs: one line, all of it visible, of bounded length. */
function agentName(given: string): string {
  const name = visibleLine(given.slice(0, 200)).slice(0, 80);
  return name === "" ? "mcp" : name;
}
