/** Policies whose words are given, and what several make of one call. */
import { callSubject } from "../../../src/agents/callSubject";
import type { Args } from "../../../src/core/call";
import { callPolicies } from "../../../src/core/policies/callPolicies";
import type { CallPolicies, PolicyAnswer, PolicyRun, RunnablePolicy } from "../../../src/core/policies/types";
import { call } from "../fixtures";

export const NEVER = new AbortController().signal;

/** What a policy answers: a decision, an answer as it comes from its process, or a function of the event's input. */
export type Word = unknown | ((input: Args) => unknown);

const isAnswer = (value: unknown): value is PolicyAnswer =>
  typeof value === "object" && value !== null && "kind" in value;

export function policy(
  word: Word,
  more: Partial<RunnablePolicy> & { readonly after?: PolicyAnswer; readonly seen?: Args[] } = {},
): RunnablePolicy {
  const { after, seen, ...rest } = more;
  return {
    name: "p",
    kind: "enforcement",
    has: (callback) => (callback === "beforeToolCall" ? word !== undefined : after !== undefined),
    matches: () => true,
    async run(callback, { json }) {
      const { input } = JSON.parse(json);
      if (callback === "afterToolCall") return after ?? { kind: "returned", value: undefined };
      seen?.push(input);
      const value = typeof word === "function" ? word(input) : word;
      return isAnswer(value) ? value : { kind: "returned", value };
    },
    ...rest,
  };
}

export const observer = (word: Word, more: Parameters<typeof policy>[1] = {}): RunnablePolicy =>
  policy(word, { name: "o", kind: "observer", ...more });

export function policiesOf(policies: readonly RunnablePolicy[]): CallPolicies {
  return callPolicies(policies, {
    clock: { monotonic: () => 0 },
    subject: callSubject,
    issues: () => [],
    dispose: async () => undefined,
  });
}

export const ask = (policies: readonly RunnablePolicy[], input: Args = { x: 1 }): Promise<PolicyRun> =>
  policiesOf(policies).before(call("t", input), input, NEVER);
