/** Grants: who approved what, for how long. A grant is minted only from the return value of our own dialog; knows nothing of the dialog. */
import type { Clock, Hasher } from "../ports";
import type { Args, ToolCall } from "./call";
import { stableText } from "./values";

const ONCE_MS = 10 * 60_000;
const SESSION_MS = 30 * 60_000;
const SESSION_CALLS = 10;

export interface Grants {
  /** One call with this fingerprint, within ten minutes. */
  mintOnce(fingerprint: string): void;
  /** Compare-and-set: true for exactly one caller per grant. */
  consumeOnce(fingerprint: string): boolean;
  /** Up to ten calls of one scope within thirty minutes, the approved call included. */
  mintSession(scope: string): void;
  consumeSession(scope: string): boolean;
  /** Denies every call of this agent's session until `resume`. */
  pause(session: string): void;
  paused(session: string): boolean;
  resume(): readonly string[];
  endSession(session: string): void;
}

export function createGrants(clock: Clock): Grants {
  const once = new Map<string, number[]>();
  const scopes = new Map<string, { left: number; until: number }>();
  const pausedSessions = new Set<string>();
  return {
    mintOnce(fingerprint) {
      once.set(fingerprint, [...(once.get(fingerprint) ?? []), clock.now() + ONCE_MS]);
    },
    consumeOnce(fingerprint) {
      const live = (once.get(fingerprint) ?? []).filter((until) => until > clock.now());
      const taken = live.shift() !== undefined;
      if (live.length === 0) once.delete(fingerprint);
      else once.set(fingerprint, live);
      return taken;
    },
    mintSession(scope) {
      scopes.set(scope, { left: SESSION_CALLS, until: clock.now() + SESSION_MS });
    },
    consumeSession(scope) {
      const grant = scopes.get(scope);
      if (grant === undefined || grant.until <= clock.now() || grant.left <= 0) {
        scopes.delete(scope);
        return false;
      }
      grant.left -= 1;
      return true;
    },
    pause: (session) => void pausedSessions.add(session),
    paused: (session) => pausedSessions.has(session),
    resume() {
      const all = [...pausedSessions];
      pausedSessions.clear();
      return all;
    },
    endSession(session) {
      pausedSessions.delete(session);
      for (const key of scopes.keys()) if (key.startsWith(`${session}\n`)) scopes.delete(key);
    },
  };
}

/** One agent in one session: what a session grant and a pause are held against. */
export function sessionKey(call: ToolCall): string {
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
