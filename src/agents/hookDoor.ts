/**
 * Doors A and D: hook requests of agents become governed calls, and outcomes become answers.
 * Knows nothing of sockets, dialogs, the editor or any agent's own words; never rejects.
 */
import type { ToolCall } from "../core/call";
import { messageOf } from "../core/errors";
import type { Governor } from "../core/govern";
import type { EndedRun } from "../core/hookRules/runEnd";
import { stableText } from "../core/values";
import type { Clock, Hasher, Ids, Log } from "../ports";
import type { AgentDoor, CallPayload, HookHost, HookPayload, NoticePayload } from "./agentDoor";
import { agentDoors, doorOf } from "./agentDoors";
import { createCallResults } from "./callResults";
import { type CallTable, createCallTable, type Sighting } from "./callTable";
import { broken } from "./denial";
import { createHeldCalls } from "./heldCalls";
import type { BrokerAnswer, BrokerRequest, HookEvent } from "./hookRequest";
import { createTelling, writeContexts } from "./postAnswer";
import { createRunEnds, type Stopped } from "./runEnds";

export interface HookSeen {
  readonly event: HookEvent;
  readonly host: HookHost;
  /** Whose call it was. */
  readonly agent: string;
  readonly observer: string;
  readonly sessionId: string;
  readonly toolName?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface HookDoorDeps {
  readonly governor: Pick<Governor, "authorize" | "settle" | "ranUngoverned">;
  /** Tools that Countersign itself serves in the editor's agent mode: another door judges, asks and records them. */
  readonly isOwnTool: (toolName: string) => boolean;
  readonly canonicalName: (toolName: string) => string;
  readonly profile: () => string;
  readonly hash: Hasher;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Told of every event that arrives and can be read: the door is alive. */
  readonly onSeen?: (seen: HookSeen) => void;
  /** Told when a call ran with other arguments than were let through; `approved` names those by their hash. */
  readonly onRanOther?: (call: ToolCall, approved: string) => void;
  /** Where another door takes calls over that it runs itself. */
  readonly table?: CallTable;
  /** Puts the end of a run to the rules; absent = nobody asks. */
  readonly endRun?: (run: EndedRun) => Promise<void>;
  /** How long each harness lets a hook hold a call, in milliseconds; absent = as long as a person takes. */
  readonly holdMs?: Partial<Record<HookHost, number>>;
}

export type HookDoor = (
  request: BrokerRequest,
  ctx: { readonly signal: AbortSignal },
) => Promise<BrokerAnswer>;

interface Seen {
  readonly request: BrokerRequest;
  readonly payload: CallPayload;
  readonly door: AgentDoor;
}

const nothing: BrokerAnswer = { stdout: "" };
/** A long hold is unproven in the Agent Host: the agent is sent away and comes back. */
const AGENT_HOST_HOLD_MS = 20_000;
const retry =
  "Waiting for a person to answer in the editor. Call the tool again with the same arguments in a moment.";

export function createHookDoor(deps: HookDoorDeps): HookDoor {
  const { table = createCallTable() } = deps;
  const held = createHeldCalls(deps);
  const results = createCallResults({ ...deps, table });
  const subagents = createSubagents();
  const runEnds = createRunEnds();

  async function pre({ request, payload, door }: Seen, signal: AbortSignal): Promise<BrokerAnswer> {
    const { host } = payload;
    const sighting = sightingOf(deps, request, payload);
    const shared = table.share(sighting, deps.clock.now());
    if (shared?.outcome !== undefined) return door.writeOutcome(payload, shared.outcome);
    const entry = held.of(shared) ?? held.returning(sighting) ?? begin(sighting, request, payload);
    const limitMs = deps.holdMs?.[host] ?? (host === "agentHost" ? AGENT_HOST_HOLD_MS : undefined);
    const outcome = await held.wait(entry, { limitMs, signal });
    return outcome === "later" ? door.writeDeny(payload, retry) : door.writeOutcome(payload, outcome);
  }

  function begin(sighting: Sighting, request: BrokerRequest, payload: CallPayload) {
    const entry = held.begin(sighting, callOf(sighting, request, payload));
    results.forget(table.add(entry.seen));
    return entry;
  }

  function callOf(sighting: Sighting, request: BrokerRequest, payload: CallPayload): ToolCall {
    // A second call under one id needs an id of its own, or its records could not be told apart.
    const callId =
      payload.toolUseId === undefined || table.knows(sighting) ? deps.ids("call") : payload.toolUseId;
    const { namesSubagents } = agentDoors[payload.agent].capabilities;
    const subagent =
      payload.agentId ?? (namesSubagents === true ? undefined : subagents.only(payload.sessionId));
    return toolCallOf(deps, { request, payload, callId, subagent });
  }

  function notice(request: BrokerRequest, payload: NoticePayload): BrokerAnswer {
    subagents.note(request.event, payload);
    if (request.event === "stop") {
      results.turnOver(payload.sessionId);
      const ended = runEnds.ended(stoppedRun(deps, request, payload), deps.clock.now());
      if (ended !== undefined)
        void deps.endRun?.(ended).catch((error: unknown) => deps.log.error(`run_end: ${messageOf(error)}`));
    }
    return nothing;
  }

  return async (request, ctx) => {
    try {
      const door = doorOf(request.agent);
      if (door === undefined) return broken({ ...request, reason: `no agent is called ${request.agent}` });
      const read = door.readPayload(request.event, request.payload);
      if (!read.ok) {
        deps.log.warn(`hook ${request.event} of ${request.observer}: ${read.reason}`);
        return broken({ ...request, reason: read.reason });
      }
      const payload = read.value;
      deps.onSeen?.(seenOf(deps, request, payload));
      if (payload.kind === "notice") return notice(request, payload);
      // Only the editor lends these names to nobody else: to other agents any server may offer a tool of the same name.
      if (request.agent === "vscode" && deps.isOwnTool(payload.toolName)) return nothing;
      if (payload.kind === "pre") return await pre({ request, payload, door }, ctx.signal);
      const sighting = sightingOf(deps, request, payload);
      const telling = createTelling(payload.host, { clock: deps.clock, signal: ctx.signal });
      const callOfIt = () => callOf(sighting, request, payload);
      const { response = null, error = null } = payload;
      results.report(sighting, { result: response, error, tell: telling.tell, callOf: callOfIt });
      return { stdout: writeContexts(await telling.told) };
    } catch (error) {
      deps.log.error(`hook ${request.event} of ${request.observer}: ${messageOf(error)}`);
      return broken({ ...request, reason: messageOf(error) });
    }
  };
}

function seenOf(deps: HookDoorDeps, request: BrokerRequest, payload: HookPayload): HookSeen {
  const { host, agent, sessionId } = payload;
  const tool = payload.kind === "notice" ? {} : { toolName: payload.toolName };
  const { event, observer } = request;
  return { event, host, agent, observer, sessionId, ...tool, at: deps.clock.now() };
}

function sightingOf(deps: HookDoorDeps, request: BrokerRequest, payload: CallPayload): Sighting {
  const { sessionId, toolName, toolUseId } = payload;
  const hash = deps.hash(stableText(payload.input));
  const { observer } = request;
  return { sessionId, toolName, hash, observer, ...(toolUseId === undefined ? {} : { toolUseId }) };
}

function toolCallOf(
  deps: HookDoorDeps,
  seen: { request: BrokerRequest; payload: CallPayload; callId: string; subagent: string | undefined },
): ToolCall {
  const { request, payload, callId, subagent } = seen;
  const { sessionId, toolName, toolUseId, host, input } = payload;
  const cwd = payload.cwd ?? request.cwd;
  return {
    callId,
    runId: sessionId,
    sessionId,
    agent: payload.agent,
    ...(subagent === undefined ? {} : { subagent }),
    toolName,
    canonicalName: deps.canonicalName(toolName),
    input,
    ...(cwd === "" ? {} : { cwd }),
    profile: deps.profile(),
    traceId: sessionId,
    extra: {
      door: request.agent === "vscode" ? "A" : "D",
      host,
      observer: request.observer,
      ...(toolUseId === undefined ? {} : { toolUseId }),
      ...(agentDoors[payload.agent].capabilities.unseenInput === true ? { unseenInput: true } : {}),
    },
  };
}

function stoppedRun(deps: HookDoorDeps, request: BrokerRequest, payload: NoticePayload): Stopped {
  const { sessionId, finalText } = payload;
  const cwd = payload.cwd ?? request.cwd;
  return {
    sessionId,
    agent: request.agent === "vscode" ? payload.agent : request.agent,
    observer: request.observer,
    ...(cwd === "" ? {} : { cwd }),
    profile: deps.profile(),
    report: finalText ?? null,
  };
}

/** Which subagents are at work in a session. The host does not say who calls, only who starts and stops. */
function createSubagents() {
  const active = new Map<string, Set<string>>();
  return {
    note(event: HookEvent, payload: NoticePayload): void {
      const { sessionId, agentId } = payload;
      if (event === "stop") active.delete(sessionId);
      if (agentId === undefined) return;
      const ids = active.get(sessionId) ?? new Set();
      if (event === "subagent-start") active.set(sessionId, ids.add(agentId));
      if (event === "subagent-stop") ids.delete(agentId);
    },
    /** With exactly one at work it is that one who calls, since its parent waits for it. */
    only(sessionId: string): string | undefined {
      const ids = active.get(sessionId);
      return ids?.size === 1 ? [...ids][0] : undefined;
    },
  };
}
