/** Policies that a program defines itself: they run within it, and are trusted as its own code is. A loop of theirs cannot be ended. */

import { callSubject } from "../../agents/callSubject";
import { DeadlineExceeded, within } from "../../core/deadline";
import { CountersignError, messageOf } from "../../core/errors";
import { callPolicies } from "../../core/policies/callPolicies";
import type { ToolPolicy } from "../../core/policies/define";
import { policyMatcher, policyName } from "../../core/policies/matcher";
import type { CallPolicies, PolicyAnswer, PolicyEventText, RunnablePolicy } from "../../core/policies/types";
import type { Clock } from "../../ports";
import { decisionText, readPolicy, textOf } from "./realm";

const DEFAULT_TIMEOUT_MS = 25_000;

/** Throws a CountersignError for what is no policy. */
export function definedPolicies(policies: readonly ToolPolicy[], clock: Clock): CallPolicies {
  const made = policies.map((policy, place) => runnable(policy, String(place + 1), clock));
  return callPolicies(made, {
    clock,
    subject: callSubject,
    issues: () => [],
    dispose: async () => undefined,
  });
}

function runnable(given: ToolPolicy, name: string, clock: Clock): RunnablePolicy {
  const { policy, report } = checked(given, name);
  const matcher = policyMatcher(report.matcher ?? undefined);
  if (!matcher.ok) throw mistake(name, matcher.why);
  const ms = report.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  return {
    name: policyName(name),
    kind: report.kind,
    has: (callback) => (callback === "beforeToolCall" ? report.before : report.after),
    matches: matcher.matches,
    async run(callback, text, signal) {
      if (signal.aborted) return { kind: "aborted" };
      const work = callback === "beforeToolCall" ? policy.before : policy.after;
      return answerOf(async () => {
        const value = await within(clock, ms, () => work?.(eventOf(text)));
        return callback === "beforeToolCall" ? JSON.parse(decisionText(value, JSON.stringify)) : undefined;
      });
    },
  };
}

function checked(given: ToolPolicy, name: string): ReturnType<typeof readPolicy> {
  try {
    return readPolicy({ default: given });
  } catch (error) {
    throw mistake(name, messageOf(error));
  }
}

const mistake = (name: string, why: string): CountersignError =>
  new CountersignError("usage", `policy ${name}: ${why}`, {
    hint: "Make it with defineToolPolicy from countersign/policy.",
  });

/** Each callback has its own copy. */
function eventOf({ json, subject }: PolicyEventText): unknown {
  const event = JSON.parse(json);
  Object.defineProperty(event.input, "toString", {
    value: () => subject,
    configurable: true,
    writable: true,
  });
  return event;
}

async function answerOf(work: () => Promise<unknown>): Promise<PolicyAnswer> {
  try {
    return { kind: "returned", value: await work() };
  } catch (error) {
    if (error instanceof DeadlineExceeded) return { kind: "late", ms: error.ms };
    return { kind: "failed", why: textOf(error) };
  }
}
