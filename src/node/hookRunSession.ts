/** A session of tools and an HTTP API behind the rules of a run. Knows the session only by the few methods it may have. */
import { type Args, isPlainObject } from "../core/call";
import { labelled } from "../core/hookRules/ruleRun";
import type { HookEvent, HookRequest, HookResponse } from "../core/hookRules/types";
import { callTool } from "./hookRunCall";
import { withLabels } from "./hookRunContext";
import { detached } from "./hookRunCopy";
import { HookError } from "./hookRunErrors";
import type { RunCore } from "./hookRunFire";
import { type ApiAddress, httpRequests, type RequestFunction, readResponse } from "./hookRunHttp";
import { plainRequest } from "./hookRunPath";
import { type ToolMap, type Wrapped, wrapTools } from "./hookRunWrap";
import { nodeIds } from "./ports";

/** What a session may have; a run asks only for what is used. */
export interface Session {
  readonly vendor?: string;
  call?(toolName: string, input: Args): unknown;
  /** Functions by name, or an object that has them under `impls`. */
  toolkit?(): unknown;
  /** Its own transport. */
  request?: RequestFunction;
  /** Where its API is, when it has no transport of its own. */
  readonly api?: ApiAddress;
}

export interface SessionOptions {
  readonly vendor?: string;
  /** A transport of the caller's, with its own authentication; goes before the session's. */
  readonly requestFn?: RequestFunction;
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** `hook_context` is there when rules have something to say to the agent. */
export type SessionResponse = HookResponse & { readonly hook_context?: readonly string[] };

type GivenToolkit<S> = S extends { toolkit(): infer T } ? Awaited<T> : unknown;

type GovernedToolkit<T> = T extends { readonly impls: infer I extends ToolMap }
  ? Omit<T, "impls"> & { readonly impls: Wrapped<I> }
  : T extends ToolMap
    ? Wrapped<T>
    : unknown;

export interface GovernedSession<S extends Session = Session> {
  call(toolName: string, input?: Args): Promise<unknown>;
  /** The session's toolkit with every function behind the rules. */
  toolkit(): Promise<GovernedToolkit<GivenToolkit<S>>>;
  /** 4xx and 5xx are returned, not thrown. */
  request(method: string, path: string, options?: RequestOptions): Promise<SessionResponse>;
}

export function governSession<S extends Session>(
  core: RunCore,
  session: S,
  options: SessionOptions,
): GovernedSession<S> {
  const vendor = options.vendor ?? session.vendor;
  const transport = options.requestFn ?? transportOf(session);
  return {
    async call(toolName, input = {}) {
      const { call } = session;
      if (call === undefined) throw new HookError("the session has no `call`");
      const run = ([final]: readonly unknown[]): unknown =>
        call.call(session, toolName, (final ?? {}) as Args);
      return callTool(core, { toolName, vendor, args: [input], run });
    },
    async toolkit() {
      const { toolkit } = session;
      if (toolkit === undefined) throw new HookError("the session has no `toolkit`");
      // The same toolkit with other functions: its type says so.
      const governed = governToolkit(core, await toolkit.call(session), vendor);
      return governed as GovernedToolkit<GivenToolkit<S>>;
    },
    async request(method, path, { query, body } = {}) {
      if (transport === undefined) {
        throw new HookError("the session has no API: give `requestFn`, or a session with `request` or `api`");
      }
      const request = plainRequest({ method, path, query: query ?? null, body: body ?? null });
      return sendRequest(core, request, { vendor, transport });
    },
  };
}

function governToolkit(core: RunCore, given: unknown, vendor: string | undefined): unknown {
  if (typeof given !== "object" || given === null) throw new HookError("the session's toolkit is no object");
  const impls: unknown = Reflect.get(given, "impls");
  if (!isPlainObject(impls)) return wrapTools(core, given as ToolMap, { vendor });
  // A function of the toolkit's own could call a tool past the rules.
  const data = Object.entries(given).filter(([, value]) => typeof value !== "function");
  return { ...Object.fromEntries(data), impls: wrapTools(core, impls as ToolMap, { vendor }) };
}

function transportOf(session: Session): RequestFunction | undefined {
  const { request, api } = session;
  if (request !== undefined) return (asked) => request.call(session, asked);
  return api === undefined ? undefined : httpRequests(api);
}

async function sendRequest(
  core: RunCore,
  request: HookRequest,
  how: { vendor: string | undefined; transport: RequestFunction },
): Promise<SessionResponse> {
  // Before anything is waited for: the caller may change what it handed in.
  const event: HookEvent = {
    ...core.base(how.vendor),
    event: "pre_request",
    call_id: nodeIds("call"),
    request: detached(request),
  };
  return core.during(() => throughRules(core, event, how.transport));
}

async function throughRules(
  core: RunCore,
  event: HookEvent,
  transport: RequestFunction,
): Promise<SessionResponse> {
  core.meters.count("requests");
  const before = await core.fire(event);
  const { request } = before.event;
  if (request === undefined) throw new HookError("the rules left no request");
  const response = await checkedResponse(await transport(detached(request)));
  const after = await core.fire({ ...before.event, event: "post_response", response });
  // An object stays an object when contexts are put beside it.
  const labels = [...before.contexts, ...after.contexts].map(labelled);
  return withLabels(after.event.response ?? response, labels) as SessionResponse;
}

async function checkedResponse(response: unknown): Promise<HookResponse> {
  if (response instanceof Response) return readResponse(response);
  if (typeof response === "object" && response !== null) {
    const { status, body, headers } = response as Partial<HookResponse>;
    if (typeof status === "number") return { status, body: body ?? null, headers: headers ?? {} };
  }
  throw new HookError("a transport must answer { status, body, headers }");
}
