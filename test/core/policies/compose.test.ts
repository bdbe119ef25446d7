import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { PolicyRun, RunnablePolicy } from "../../../src/core/policies/types";
import { ask, observer, policy } from "./rigs";

const deny = { action: "deny", reason: "no" };
const question = { action: "ask", reason: "sure?" };
const allow = { action: "allow" };
const log = { action: "log-only" };
const late = { kind: "late", ms: 50 };
const crash = { kind: "failed", why: "its process ended" };
const rewrite = (n: number) => ({ action: "allow", updatedInput: { n } });
const told = (text: string) => ({ action: "allow", additionalContext: text });

/** The verdict in a word. */
function word(run: PolicyRun): string {
  const parts = [
    run.deny === undefined ? "" : `deny: ${run.deny.reason}`,
    run.asks.length === 0 ? "" : `ask: ${run.asks.map(({ reason }) => reason).join(" | ")}`,
    run.rewritten ? `rewrite ${JSON.stringify(run.args)}` : "",
    run.logOnly ? "log-only" : "",
    ...run.contexts,
    ...run.findings.map(({ code, message, by }) => `${code} by ${by}: ${message}`),
  ];
  return parts.filter((part) => part !== "").join("; ") || "allow";
}

const rows: readonly (readonly [string, readonly RunnablePolicy[], string])[] = [
  ["none", [], "allow"],
  ["no decision", [policy(() => undefined)], "allow"],
  ["deny > ask", [policy(question), policy(deny)], "deny: no; ask: sure?"],
  [
    "ask > allow, with what was rewritten",
    [policy(rewrite(2), { name: "a" }), policy(question)],
    'ask: sure?; rewrite {"n":2}',
  ],
  ["allow > log-only", [policy(log), policy(allow)], "allow"],
  ["log-only > none", [policy(() => undefined), policy(log)], "log-only"],
  ["the first denial stands", [policy(deny), policy({ action: "deny", reason: "later" })], "deny: no"],
  [
    "the last rewrite holds",
    [
      policy(rewrite(1), { name: "a" }),
      policy((i: { n?: number }) => rewrite(i.n === undefined ? 0 : 2), { name: "b" }),
    ],
    'rewrite {"n":2}; rewrite_overruled by a: b rewrote what this policy had rewritten',
  ],
  [
    "contexts are joined in order",
    [policy(told("one")), policy(told("two"), { name: "@h/c/q" })],
    "[policy p] one; [policy @h/c/q] two",
  ],
  ["an empty context is none", [policy(told(""))], "allow"],
  ["an observer's denial", [observer(deny)], "log-only; would_deny by o: no"],
  ["an observer's question", [observer(question)], "log-only; would_ask by o: sure?"],
  ["an observer's rewrite applies", [observer(rewrite(3))], 'rewrite {"n":3}'],
  ["an observer's context applies", [observer(told("hi"))], "[policy o] hi"],
  ["an observer's error", [observer(crash)], "policy_failed by o: policy error: its process ended"],
  ["an observer's timeout", [observer(late)], "policy_failed by o: policy timeout (50 ms)"],
  [
    "an observer's unknown word",
    [observer({ action: "block" })],
    'policy_failed by o: policy error: its decision "block" is unknown; the decisions are "allow", "deny", "ask", "log-only" and undefined',
  ],
  [
    "an error",
    [policy(crash)],
    "deny: policy error: its process ended; policy_failed by p: policy error: its process ended",
  ],
  ["a timeout", [policy(late)], "deny: policy timeout (50 ms); policy_failed by p: policy timeout (50 ms)"],
  ["a denial without a reason is one", [policy({ action: "deny" })], "deny: Refused by the policy."],
  ["a denial with what nobody knows is one", [policy({ action: "deny", reason: "no", why: 1 })], "deny: no"],
  [
    "an allow with what nobody knows is none",
    [policy({ action: "allow", updated_input: {} })],
    "deny: policy error: its decision has an unknown key `updated_input`; policy_failed by p: policy error: its decision has an unknown key `updated_input`",
  ],
  [
    "input that is no object",
    [policy({ action: "allow", updatedInput: "x" })],
    "deny: policy error: updatedInput must be an object, it is a string; policy_failed by p: policy error: updatedInput must be an object, it is a string",
  ],
  [
    "context that is no text",
    [policy({ action: "allow", additionalContext: 1 })],
    "deny: policy error: additionalContext must be text, it is a number; policy_failed by p: policy error: additionalContext must be text, it is a number",
  ],
  [
    "true is no decision",
    [policy(true)],
    'deny: policy error: its decision is a boolean; the decisions are "allow", "deny", "ask", "log-only" and undefined; policy_failed by p: policy error: its decision is a boolean; the decisions are "allow", "deny", "ask", "log-only" and undefined',
  ],
];

describe("what several policies say is one verdict", () => {
  it.each(rows)("%s", async (_name, policies, expected) => {
    expect(word(await ask(policies))).toBe(expected);
  });

  test("a denial carries what the agent gets instead", async () => {
    const run = await ask([policy({ ...deny, syntheticOutput: { rows: [] } })]);
    expect(run.deny).toEqual({ reason: "no", by: "p", syntheticOutput: { rows: [] } });
  });

  test("each sees what those before it made of the arguments, and who refuses sees what runs", async () => {
    const [first, second]: [{ n?: number }[], { n?: number }[]] = [[], []];
    const run = await ask([
      policy((i: { n?: number }) => (i.n === 9 ? deny : undefined), { name: "guard", seen: first }),
      policy(rewrite(9), { name: "pin", seen: second }),
    ]);
    expect(first).toEqual([{ x: 1 }, { n: 9 }]);
    expect(second).toEqual([{ x: 1 }]);
    expect(run.deny).toEqual({ reason: "no", by: "guard" });
    expect(run.trail.map(({ by, decision, note }) => [by, decision, note])).toEqual([
      ["guard", "allow", "no decision"],
      ["pin", "rewrite", undefined],
      ["guard", "deny", "asked again: no"],
    ]);
  });

  test("what the last rewrite undoes of an earlier one is on record", async () => {
    const run = await ask([policy(rewrite(1), { name: "a" }), policy(rewrite(2), { name: "b" })]);
    expect(word(run)).toBe(
      'rewrite {"n":2}; rewrite_overruled by a: b rewrote what this policy had rewritten',
    );
  });

  test("two that pin the same pass", async () => {
    const run = await ask([policy(rewrite(1), { name: "a" }), policy(rewrite(1), { name: "b" })]);
    expect(word(run)).toBe('rewrite {"n":1}');
  });
});

const words = {
  deny,
  question,
  allow,
  log,
  none: () => undefined,
  late,
  crash,
  rewrite: rewrite(1),
  bad: { action: "x" },
};
const one = fc.record({
  word: fc.constantFrom(...(Object.keys(words) as (keyof typeof words)[])),
  kind: fc.constantFrom("observer" as const, "enforcement" as const),
});
const blocks = ({ word, kind }: { word: keyof typeof words; kind: string }): boolean =>
  kind === "enforcement" && ["deny", "late", "crash", "bad"].includes(word);
const made = (list: readonly { word: keyof typeof words; kind: "observer" | "enforcement" }[]) =>
  list.map(({ word, kind }, i) => policy(words[word], { name: `p${i}`, kind }));

describe("laws", () => {
  test("it is denied exactly where an enforcement policy denies or cannot judge, in whatever order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 6 }), fc.nat(), async (list, turn) => {
        const turned = [...list.slice(turn % (list.length + 1)), ...list.slice(0, turn % (list.length + 1))];
        for (const order of [list, turned]) {
          const run = await ask(made(order));
          expect(run.deny !== undefined).toBe(order.some(blocks));
          const asks = order.some(({ word, kind }) => word === "question" && kind === "enforcement");
          expect(run.asks.length > 0).toBe(asks);
        }
      }),
    );
  });

  test("observers alone never block, and each of them is on the trail", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 6 }), async (list) => {
        const run = await ask(made(list.map((each) => ({ ...each, kind: "observer" }))));
        expect([run.deny, run.asks]).toEqual([undefined, []]);
        expect(run.trail.map(({ by }) => by)).toEqual(list.map((_one, i) => `p${i}`));
      }),
    );
  });

  test("one more policy never makes a refused call pass", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 5 }), one, async (list, more) => {
        const before = await ask(made(list));
        const after = await ask(made([...list, more]));
        if (before.deny !== undefined) expect(after.deny).toBeDefined();
        if (before.asks.length > 0) expect(after.asks.length).toBeGreaterThan(0);
      }),
    );
  });
});
