/**
 * Door A: hook requests of VS Code become governed calls, and outcomes become answers.
 * Knows nothing of sockets, dialogs or the editor; never rejects.
 */
import type { ToolCall } from "../core/call";
import { messageOf } from "../core/errors";
import type { Ended, Governor } from "../core/govern";
import type { Outcome } from "../core/hook";
import { stableText } from "../core/values";
import type { Clock, Hasher, Ids, Log } from "../ports";
import { createCallTable, type Seen, type Sighting } from "./callTable";
import { broken } from "./denial";
import type { BrokerAnswer, BrokerRequest, HookEvent } from "./hookRequest";
import {
  type CallPayload,
  type HookHost,
  type NoticePayload,
  readHookPayload,
  writeDeny,
  writeOutcome,
} from "./vscodeHooks";

export interface HookSeen {
  readonly event: HookEvent;
  readonly host: HookHost;
  readonly agent: string;
  readonly observer: string;
  readonly sessionId: string;
  readonly toolName?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface HookDoorDeps {
  readonly governor: Pick<Governor, "authorize" | "settle" | "ranUngoverned">;
  /** Tools that Countersign itself serves: another door judges, asks and records them. */
  readonly isOwnTool: (toolName: string) => boolean;
  readonly canonicalName: (toolName: string) => string;
  readonly profile: () => string;
  readonly hash: Hasher;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Told of every event that arrives and can be read: the door is alive. */
  readonly onSeen?: (seen: HookSeen) => void;
  /** How long each harness lets a hook hold a call, in milliseconds; absent = as long as a person takes. */
  readonly holdMs?: Partial<Record<HookHost, number>>;
}

export type HookDoor = (
  request: BrokerRequest,
  ctx: { readonly signal: AbortSignal },
) => Promise<BrokerAnswer>;

const nothing: BrokerAnswer = { stdout: "" };
/** A long hold is unproven in the Agent Host: the agent is sent away and comes back. */
const AGENT_HOST_HOLD_MS = 20_000;
/** Results may come in after the turn has ended. */
const LATE_RESULT_MS = 10_000;
const retry =
  "Waiting for a person to answer in the editor. Call the tool again with the same arguments in a moment.";

export function createHookDoor(deps: HookDoorDeps): HookDoor {
  const state = createDoorState(deps);
  return async (request, ctx) => {
    try {
      const read = readHookPayload(request.event, request.payload);
      if (!read.ok) {
        deps.log.warn(`hook ${request.event} of ${request.observer}: ${read.reason}`);
        return broken({ ...request, reason: read.reason });
      }
      const payload = read.value;
      const { host, agent, sessionId } = payload;
      const tool = payload.kind === "notice" ? {} : { toolName: payload.toolName };
      deps.onSeen?.({
        event: request.event,
        host,
        agent,
        observer: request.observer,
        sessionId,
        ...tool,
        at: deps.clock.now(),
      });
      if (payload.kind === "notice") return state.notice(request.event, payload);
      if (deps.isOwnTool(payload.toolName)) return nothing;
      return payload.kind === "pre"
        ? await state.pre(request, payload, ctx.signal)
        : state.post(request, payload);
    } catch (error) {
      deps.log.error(`hook ${request.event} of ${request.observer}: ${messageOf(error)}`);
      return broken({ ...request, reason: messageOf(error) });
    }
  };
}

/** A call that is being judged, and who waits for it. */
interface Held {
  readonly seen: Seen;
  readonly gone: AbortController;
  waiting: number;
  /** Its caller was told to come back. */
  detached: boolean;
}

function createDoorState(deps: HookDoorDeps) {
  const table = createCallTable();
  const held = new Map<Seen, Held>();
  const subagents = new Map<string, Set<string>>();
  const background = (work: Promise<void>): void => {
    work.catch((error: unknown) => deps.log.error(`hook: ${messageOf(error)}`));
  };

  function sightingOf(request: BrokerRequest, payload: CallPayload): Sighting {
    const { sessionId, toolName, toolUseId } = payload;
    const hash = deps.hash(stableText(payload.input));
    return {
      sessionId,
      toolName,
      hash,
      observer: request.observer,
      ...(toolUseId === undefined ? {} : { toolUseId }),
    };
  }

  function begin(sighting: Sighting, call: ToolCall): Held {
    const gone = new AbortController();
    const holder: { held?: Held } = {};
    const options = { signal: gone.signal, detached: () => holder.held?.detached === true };
    const verdict = deps.governor.authorize(call, options);
    const seen: Seen = {
      first: sighting,
      call,
      verdict,
      at: deps.clock.now(),
      startedAt: deps.clock.monotonic(),
      done: false,
      observers: new Set([sighting.observer]),
      reported: new Set(),
    };
    const entry: Held = { seen, gone, waiting: 0, detached: false };
    holder.held = entry;
    held.set(seen, entry);
    for (const lost of table.add(seen)) background(endUnknown(lost));
    const judged = (outcome: Outcome): void => {
      held.delete(seen);
      seen.outcome = outcome;
      seen.finalHash = deps.hash(stableText(outcome.args));
      // Nobody took this verdict away: nothing ran on it, and no result belongs to it.
      if (!entry.detached) return;
      seen.done = true;
      for (const observer of seen.observers) seen.reported.add(observer);
    };
    verdict.then(judged, () => held.delete(seen));
    return entry;
  }

  /** The call that was sent away to wait and now comes again: it takes its place at the same question. */
  function returning(sighting: Sighting): Held | undefined {
    const found = [...held.values()].find(
      ({ seen, detached }) =>
        detached &&
        seen.first.sessionId === sighting.sessionId &&
        seen.first.toolName === sighting.toolName &&
        seen.first.hash === sighting.hash &&
        seen.observers.has(sighting.observer),
    );
    if (found !== undefined) found.detached = false;
    return found;
  }

  async function pre(
    request: BrokerRequest,
    payload: CallPayload,
    signal: AbortSignal,
  ): Promise<BrokerAnswer> {
    const sighting = sightingOf(request, payload);
    const shared = table.share(sighting, deps.clock.now());
    if (shared?.outcome !== undefined) return { stdout: writeOutcome(payload, shared.outcome) };
    const joined = shared === undefined ? undefined : held.get(shared);
    const entry = joined ?? returning(sighting) ?? begin(sighting, callOf(sighting, request, payload));
    const outcome = await wait(entry, payload.host, signal);
    return { stdout: outcome === "later" ? writeDeny(payload.host, retry) : writeOutcome(payload, outcome) };
  }

  async function wait(entry: Held, host: HookHost, signal: AbortSignal): Promise<Outcome | "later"> {
    const leave = (): void => {
      entry.waiting -= 1;
      if (entry.waiting === 0 && !entry.detached) entry.gone.abort();
    };
    entry.waiting += 1;
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    const limit = deps.holdMs?.[host] ?? (host === "agentHost" ? AGENT_HOST_HOLD_MS : undefined);
    const timer = limit === undefined ? undefined : deps.clock.timer(limit);
    const later = timer?.done.then(() => "later" as const);
    const outcome = await Promise.race(
      later === undefined ? [entry.seen.verdict] : [entry.seen.verdict, later],
    );
    timer?.cancel();
    signal.removeEventListener("abort", leave);
    if (!signal.aborted) entry.waiting -= 1;
    if (outcome === "later" && entry.waiting === 0) entry.detached = true;
    return outcome;
  }

  function callOf(sighting: Sighting, request: BrokerRequest, payload: CallPayload): ToolCall {
    const { sessionId, toolName, toolUseId, host, input } = payload;
    const agent = request.agent === "vscode" ? payload.agent : request.agent;
    const cwd = payload.cwd ?? request.cwd;
    const active = subagents.get(sessionId);
    // The host does not say who calls: with exactly one subagent at work it is that one, since its parent waits for it.
    const subagent = payload.agentId ?? (active?.size === 1 ? [...active][0] : undefined);
    return {
      callId: toolUseId === undefined || table.knows(sighting) ? deps.ids("call") : toolUseId,
      runId: sessionId,
      sessionId,
      agent,
      ...(subagent === undefined ? {} : { subagent }),
      toolName,
      canonicalName: deps.canonicalName(toolName),
      input,
      ...(cwd === "" ? {} : { cwd }),
      profile: deps.profile(),
      traceId: sessionId,
      extra: {
        door: "A",
        host,
        observer: request.observer,
        ...(toolUseId === undefined ? {} : { toolUseId }),
      },
    };
  }

  function post(request: BrokerRequest, payload: CallPayload): BrokerAnswer {
    const sighting = sightingOf(request, payload);
    const joined = table.join(sighting);
    const ended: Ended = { result: payload.response ?? null, error: null };
    if (joined.kind === "ungoverned") {
      background(deps.governor.ranUngoverned(callOf(sighting, request, payload), ended));
    } else if (joined.kind === "settle") {
      background(settle(joined.seen, ended));
    }
    // Handed over: nobody waits for the record of a result.
    return nothing;
  }

  async function settle(seen: Seen, ended: Ended): Promise<void> {
    seen.done = true;
    const durationMs = Math.max(0, Math.round(deps.clock.monotonic() - seen.startedAt));
    if (seen.outcome?.kind === "run")
      return deps.governor.settle(seen.call, seen.outcome, { ...ended, durationMs });
    deps.log.error(
      `${seen.first.toolName} ran although it was ${seen.outcome === undefined ? "still held" : "denied"}`,
    );
    return deps.governor.ranUngoverned(seen.call, { ...ended, durationMs });
  }

  async function endUnknown(seen: Seen): Promise<void> {
    if (seen.done || seen.outcome?.kind !== "run") return;
    seen.done = true;
    await deps.governor.settle(seen.call, seen.outcome, {
      result: null,
      error: "ended unknown: no result was reported",
    });
  }

  function notice(event: HookEvent, payload: NoticePayload): BrokerAnswer {
    const { sessionId, agentId } = payload;
    const active = subagents.get(sessionId) ?? new Set();
    if (event === "subagent-start" && agentId !== undefined) subagents.set(sessionId, active.add(agentId));
    if (event === "subagent-stop" && agentId !== undefined) active.delete(agentId);
    if (event === "stop") {
      subagents.delete(sessionId);
      background(closeTurn(table.open(sessionId)));
    }
    return nothing;
  }

  /** A failed, cancelled or killed call reports nothing: at the end of the turn that is written down. */
  async function closeTurn(open: readonly Seen[]): Promise<void> {
    if (open.length === 0) return;
    await deps.clock.timer(LATE_RESULT_MS).done;
    for (const seen of open) await endUnknown(seen);
  }

  return { pre, post, notice };
}
