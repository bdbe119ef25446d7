/** Grants: who approved what, for how long. A grant is minted only from the return value of our own dialog; knows nothing of the dialog. */
import type { Clock, Hasher } from "../ports";
import type { Args, ToolCall } from "./call";
import { stableText } from "./values";

const ONCE_MS = 10 * 60_000;
const SESSION_MS = 30 * 60_000;
const SESSION_CALLS = 10;

/** Whose consent it was, and what it covers in the person's words. */
export interface GrantOrigin {
  /** The question that a person answered. */
  readonly askId: string;
  readonly call: Pick<ToolCall, "sessionId" | "agent" | "cwd">;
  /** The wider scope as it was shown; absent = one call. */
  readonly shape?: string;
}

/** What is left of a grant, told when it is given and when it ends. */
export interface GrantState extends GrantOrigin {
  readonly scope: "once" | "session";
  /** Calls that may still run under it. */
  readonly left: number;
  readonly calls: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** `ended` is set where this use was the last, or the grant was found to have run out of time. */
export interface GrantUse {
  readonly lifted: boolean;
  readonly grant: GrantState;
  readonly ended?: GrantEnd;
}

export type GrantEnd = "used_up" | "expired" | "revoked" | "window_closed";

export interface Grants {
  /** What a mint would give: for the record that comes first. */
  once(origin: GrantOrigin): GrantState;
  session(origin: GrantOrigin): GrantState;
  /** One call with this fingerprint, within ten minutes. */
  mintOnce(fingerprint: string, grant: GrantState): void;
  /** Compare-and-set: lifts for exactly one caller per grant. */
  consumeOnce(fingerprint: string): GrantUse | undefined;
  /** Up to ten calls of one scope within thirty minutes, the approved call included. */
  mintSession(scope: string, grant: GrantState): void;
  consumeSession(scope: string): GrantUse | undefined;
  /** Denies every call of this agent's session until `resume`, and takes its grants back. */
  pause(session: string): readonly GrantState[];
  paused(session: string): boolean;
  resume(): readonly string[];
  /** Takes back what is left of every grant: nothing outlives the window. */
  endAll(): readonly GrantState[];
}

export function createGrants(clock: Clock): Grants {
  const once = new Map<string, GrantState[]>();
  const scopes = new Map<string, GrantState>();
  const pausedSessions = new Set<string>();
  const isLive = (grant: GrantState): boolean => grant.until > clock.now() && grant.left > 0;

  /** Takes every live grant back for which `is` holds. */
  function end(is: (grant: GrantState) => boolean): GrantState[] {
    const ended = [...scopes.values(), ...[...once.values()].flat()].filter(is);
    for (const [key, grant] of scopes) if (is(grant)) scopes.delete(key);
    for (const [key, all] of once) {
      const kept = all.filter((grant) => !is(grant));
      if (kept.length === 0) once.delete(key);
      else once.set(key, kept);
    }
    return ended.filter(isLive);
  }

  return {
    once: (origin) => ({ ...origin, scope: "once", left: 1, calls: 1, until: clock.now() + ONCE_MS }),
    session: (origin) => ({
      ...origin,
      scope: "session",
      left: SESSION_CALLS,
      calls: SESSION_CALLS,
      until: clock.now() + SESSION_MS,
    }),
    mintOnce(fingerprint, grant) {
      once.set(fingerprint, [...(once.get(fingerprint) ?? []), grant]);
    },
    consumeOnce(fingerprint) {
      const [first, ...rest] =
        once.get(fingerprint)?.toSorted((a, b) => Number(isLive(b)) - Number(isLive(a))) ?? [];
      if (first === undefined) return undefined;
      if (rest.length === 0) once.delete(fingerprint);
      else once.set(fingerprint, rest);
      return used(first, isLive(first));
    },
    mintSession(scope, grant) {
      scopes.set(scope, grant);
    },
    consumeSession(scope) {
      const grant = scopes.get(scope);
      if (grant === undefined) return undefined;
      const use = used(grant, isLive(grant));
      if (use.ended === undefined) scopes.set(scope, use.grant);
      else scopes.delete(scope);
      return use;
    },
    pause(session) {
      pausedSessions.add(session);
      return end((grant) => sessionKey(grant.call) === session);
    },
    paused: (session) => pausedSessions.has(session),
    resume() {
      const all = [...pausedSessions];
      pausedSessions.clear();
      return all;
    },
    endAll: () => end(() => true),
  };
}

function used(grant: GrantState, lifted: boolean): GrantUse {
  if (!lifted) return { lifted, grant, ended: "expired" };
  const now = { ...grant, left: grant.left - 1 };
  return now.left > 0 ? { lifted, grant: now } : { lifted, grant: now, ended: "used_up" };
}

/** One agent in one session: what a session grant and a pause are held against. */
export function sessionKey(call: Pick<ToolCall, "agent" | "sessionId">): string {
  return stableText([call.agent, call.sessionId]);
}

/**
 * Names the session scope `key` for this very agent and subagent, in this folder, under this configuration, with these
 * executed files. The paths are the key's own affair: other files of one folder may be what was approved.
 */
export function scopeKey({ call, binding, policyDigest }: GrantFacts, key: string): string {
  const kept = Object.entries(binding).filter(([name]) => !name.startsWith("path:"));
  const bound = [call.subagent ?? null, call.toolName, call.cwd ?? null, policyDigest, kept.sort()];
  return `${sessionKey(call)}\n${stableText([...bound, key])}`;
}

export interface GrantFacts {
  readonly call: ToolCall;
  /** Final arguments without confirm keys. */
  readonly args: Args;
  /** Real cwd, resolved paths, database, hashes of executed files. */
  readonly binding: Readonly<Record<string, string>>;
  readonly policyDigest: string;
  /** What a person is asked, and the wider scope that is offered; null = nothing is asked. */
  readonly question: unknown;
}

/** SHA-256 over everything a grant is bound to. */
export function fingerprint(hasher: Hasher, facts: GrantFacts): string {
  const { call } = facts;
  return hasher(
    stableText({
      tool: call.toolName,
      args: facts.args,
      session: call.sessionId,
      agent: call.agent,
      subagent: call.subagent ?? null,
      cwd: call.cwd ?? null,
      binding: facts.binding,
      policy: facts.policyDigest,
      question: facts.question,
    }),
  );
}

/** Which bound facts differ, in words for the person who is asked again. */
export function changedFacts(before: GrantFacts, after: GrantFacts): string[] {
  const changed: string[] = [];
  if (stableText(before.args) !== stableText(after.args)) changed.push("the arguments");
  if (before.policyDigest !== after.policyDigest) changed.push("the configuration");
  if (after.question !== null && stableText(before.question) !== stableText(after.question))
    changed.push("what it would do");
  for (const key of new Set([...Object.keys(before.binding), ...Object.keys(after.binding)])) {
    const [was, is] = [before.binding[key], after.binding[key]];
    if (was !== is) changed.push(changeInWords(key, was ?? "nothing", is ?? "nothing"));
  }
  return changed.sort();
}

/** `path:<argument>`, `executes <file>`, `cwd`, `database`: the keys that guards and adapters bind to. */
function changeInWords(key: string, was: string, is: string): string {
  if (key.startsWith("executes ")) return `${key.slice("executes ".length)} has other content now`;
  if (key === "database") return "the database";
  const what = key.startsWith("path:") ? key.slice("path:".length).replace(/:.*$/, "") : key;
  return `${what}: ${was} → ${is}`;
}
