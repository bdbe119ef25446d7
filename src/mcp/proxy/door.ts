/**
 * Door C in the editor: calls that a proxy holds become governed calls here, with the window's rules, grants, person and log.
 * Knows nothing of sockets, dialogs or the editor.
 */

import type { BrokerAnswer, BrokerRequest } from "../../agents/hookRequest";
import { refusal } from "../../agents/ownToolResults";
import type { Args, ToolCall } from "../../core/call";
import { messageOf } from "../../core/errors";
import type { Governed, Governor } from "../../core/govern";
import type { RunOutcome } from "../../core/hook";
import { stableText } from "../../core/values";
import type { Hasher, Ids, Log } from "../../ports";
import { PROXY_OBSERVER, type ProxyAnswer, type ProxyRequest, readRequest } from "./doorMessages";
import { toolCallOf } from "./judge";
import { pinWasApproved } from "./pinApproval";

/** A call that a hook saw and let through before the proxy did. */
export interface ClaimedCall {
  readonly call: ToolCall;
  readonly outcome: RunOutcome;
}

/** What a hook would have seen of the same call. */
export interface Claim {
  readonly toolUseId?: string;
  readonly conversationId?: string;
  readonly server: string;
  readonly tool: string;
  /** Hash of the arguments. */
  readonly hash: string;
}

export interface McpDoorDeps {
  readonly governor: Pick<Governor, "govern" | "finish">;
  /** Takes over a call that a hook has judged, once: its verdict and its record are this call's. */
  readonly claim: (claim: Claim) => ClaimedCall | undefined;
  /** Asks a person by the editor's own dialog. */
  readonly confirm: (asked: {
    readonly title: string;
    readonly lines: readonly string[];
  }) => Promise<boolean>;
  readonly hash: Hasher;
  readonly ids: Ids;
  readonly log: Log;
}

interface Ticket {
  readonly session: string;
  ended(result: unknown): void;
  failed(why: string): void;
  readonly governed: Promise<Governed<unknown>>;
  readonly own: { result?: unknown };
}

type Ended = Extract<ProxyRequest, { kind: "post" }>["ended"];
/** Dialogs that may wait. */
const MAX_WAITING = 3;
const GONE = "ended unknown: the proxy went away before the server answered";

export type McpDoor = (
  request: BrokerRequest,
  ctx: { readonly signal: AbortSignal },
) => Promise<BrokerAnswer>;

export function createMcpDoor(deps: McpDoorDeps): McpDoor {
  const sessions = new Set<string>();
  const tickets = new Map<string, Ticket>();
  let dialogs: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function pre(
    request: Extract<ProxyRequest, { kind: "pre" }>,
    cwd: string,
    signal: AbortSignal,
  ): Promise<ProxyAnswer> {
    const { session, server, callId, call: given } = request;
    if (!sessions.has(session)) throw new Error("this proxy has not announced itself");
    const begun = Promise.withResolvers<RunOutcome & { readonly args: Args }>();
    const ended = Promise.withResolvers<unknown>();
    // Nobody may be waiting yet when it fails.
    ended.promise.catch(() => undefined);
    const call = toolCallOf(given, { server, sessionId: session, callId, cwd });
    const handler = (args: Args, outcome: RunOutcome): Promise<unknown> => {
      begun.resolve({ ...outcome, args });
      return ended.promise;
    };
    const governed = governedOf(call, { given, handler, signal });
    governed.catch(() => undefined);
    const ticket = deps.ids("ticket");
    const first = await Promise.race([begun.promise, governed]);
    if ("outcome" in first) {
      if (first.outcome.kind === "run") throw new Error("the call ran without its server");
      return { kind: "refused", said: refusal(call.toolName, first.outcome) };
    }
    const own: Ticket["own"] = {};
    const entry: Ticket = {
      session,
      own,
      governed,
      ended: (result) => {
        own.result = result;
        ended.resolve(result);
      },
      failed: (why) => ended.reject(new Error(why)),
    };
    tickets.set(ticket, entry);
    const lose = (): void => end(ticket)?.failed(GONE);
    if (signal.aborted || !sessions.has(session)) lose();
    signal.addEventListener("abort", lose, { once: true });
    return {
      kind: "run",
      ticket,
      ...(first.rewritten ? { args: first.args } : {}),
      pinApproved: pinWasApproved(first),
    };
  }

  /** A hook's verdict on this very call is taken over, where it is not about a changed tool; else the call is judged here. */
  function governedOf(
    call: ToolCall,
    run: {
      readonly given: Extract<ProxyRequest, { kind: "pre" }>["call"];
      readonly handler: (args: Args, outcome: RunOutcome) => Promise<unknown>;
      readonly signal: AbortSignal;
    },
  ): Promise<Governed<unknown>> {
    const { given, handler, signal } = run;
    const { toolUseId, conversationId, sighting, tool } = given;
    const claimed =
      sighting.state === "changed"
        ? undefined
        : deps.claim({
            ...(toolUseId === undefined ? {} : { toolUseId }),
            ...(conversationId === undefined ? {} : { conversationId }),
            server: String(call.extra.mcpServer),
            tool,
            hash: deps.hash(stableText(given.input)),
          });
    if (claimed === undefined) return deps.governor.govern(call, handler, { signal });
    // The host has made whatever was rewritten its own: what came is what was let through.
    const outcome: RunOutcome = { ...claimed.outcome, args: given.input, rewritten: false };
    return deps.governor.finish(claimed.call, outcome, () => handler(given.input, outcome));
  }

  function end(ticket: string): Ticket | undefined {
    const found = tickets.get(ticket);
    tickets.delete(ticket);
    return found;
  }

  async function post(session: string, ticket: string, ended: Ended): Promise<ProxyAnswer> {
    const entry = tickets.get(ticket)?.session === session ? end(ticket) : undefined;
    if (entry === undefined) throw new Error("no such call is open");
    if ("error" in ended) entry.failed(ended.error);
    else entry.ended(ended.result);
    try {
      const governed = await entry.governed;
      if (!("result" in governed)) return { kind: "refused", said: refusal("the tool", governed.outcome) };
      const { contexts } = governed.outcome;
      const changed = governed.result !== entry.own.result;
      return {
        kind: "ended",
        ...(changed ? { result: { value: governed.result ?? null } } : {}),
        contexts: [...contexts],
      };
    } catch (error) {
      return { kind: "ended", error: messageOf(error), contexts: [] };
    }
  }

  function presence(session: string, signal: AbortSignal): Promise<ProxyAnswer> {
    return new Promise((resolve) => {
      const gone = (): void => {
        sessions.delete(session);
        for (const [ticket, entry] of tickets) if (entry.session === session) end(ticket)?.failed(GONE);
        resolve({ kind: "gone" });
      };
      if (signal.aborted) return gone();
      signal.addEventListener("abort", gone, { once: true });
    });
  }

  /** One dialog at a time; whoever floods is refused, and an answer that nobody waits for any more is none. */
  async function confirmed(
    asked: Parameters<McpDoorDeps["confirm"]>[0],
    signal: AbortSignal,
  ): Promise<boolean> {
    if (waiting >= MAX_WAITING) return false;
    waiting += 1;
    const turn = dialogs.then(async () => !signal.aborted && (await deps.confirm(asked)));
    dialogs = turn.catch(() => undefined);
    try {
      return (await turn) && !signal.aborted;
    } finally {
      waiting -= 1;
    }
  }

  async function answer(request: ProxyRequest, cwd: string, signal: AbortSignal): Promise<ProxyAnswer> {
    switch (request.kind) {
      case "hello":
        sessions.add(request.session);
        return { kind: "welcome" };
      case "presence":
        return presence(request.session, signal);
      case "pre":
        return pre(request, cwd, signal);
      case "post":
        return post(request.session, request.ticket, request.ended);
      case "confirm":
        return { kind: "answer", agreed: await confirmed(request, signal) };
      default:
        return request satisfies never;
    }
  }

  return async (request, ctx) => {
    const read = readRequest(request.payload);
    if (!read.ok) throw new Error(`the proxy's request cannot be read: ${read.why}`);
    return { stdout: JSON.stringify(await answer(read.value, request.cwd, ctx.signal)) };
  };
}

export function isForMcpDoor(request: BrokerRequest): boolean {
  return request.observer === PROXY_OBSERVER;
}
