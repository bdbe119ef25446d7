import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { call } from "../../core/fixtures";
import { cardOf, NEVER, type Opened, one, open, policyText, rowsCard, said } from "./rigs";

const rows: readonly (readonly [string, string, string | RegExp])[] = [
  ["nothing", "", "allow"],
  ["null is no decision", "return null", "allow"],
  ["allow", 'return { action: "allow" }', "allow"],
  ["deny", 'return { action: "deny", reason: "no" }', "deny: no"],
  ["a promise", 'return Promise.resolve({ action: "deny", reason: "no" })', "deny: no"],
  ["ask", 'return { action: "ask", reason: "sure?" }', "ask: sure?"],
  ["log-only", 'return { action: "log-only" }', "log-only"],
  ["the command as text", 'return { action: "deny", reason: String(event.input ?? "") }', "deny: ls -l"],
  [
    "text is not among the keys",
    'return { action: "deny", reason: Object.keys(event.input).join() }',
    "deny: command",
  ],
  [
    "a rewrite",
    'return { action: "allow", updatedInput: { ...event.input, n: 1 } }',
    'rewrite {"command":"ls -l","n":1}',
  ],
  [
    "the event",
    "delete event.cwd; return { action: 'deny', reason: JSON.stringify(event) }",
    'deny: {"toolName":"%t","canonicalName":"%t","input":{"command":"ls -l"},"sessionId":"s1","agent":"test","runtime":"test","callId":"c1"}',
  ],
  [
    "an unknown word",
    'return { action: "block" }',
    /^deny: policy error: its decision "block" is unknown; the decisions are "allow", "deny", "ask", "log-only" and undefined/,
  ],
  [
    "an inherited action",
    'return Object.create({ action: "allow" })',
    /^deny: policy error: its decision with nothing as action/,
  ],
  [
    "a function where the word belongs",
    'return { action: () => "deny" }',
    /^deny: policy error: Error: the decision's action is a function/,
  ],
  [
    "a function deeper",
    'return { action: "allow", updatedInput: { f() {} } }',
    /the decision's f is a function/,
  ],
  ["no number", 'return { action: "allow", updatedInput: { n: NaN } }', /the decision's n is NaN/],
  ["a ring", "const a: any = { action: 'allow' }; a.updatedInput = a; return a", /circular/],
  ["10 MB", 'return { action: "deny", reason: "x".repeat(1e7) }', /larger than 1 MiB/],
  ["an Error", 'throw new TypeError("bad")', /^deny: policy error: TypeError: bad/],
  ["a thrown text", 'throw "bad"', /^deny: policy error: it threw bad/],
  [
    "something that cannot be shown",
    "throw { toString() { throw 1 } }",
    /it threw something that cannot be shown/,
  ],
  [
    "timers",
    'await new Promise((r) => setTimeout(r, 5)); return { action: "deny", reason: "later" }',
    "deny: later",
  ],
  [
    "a URL",
    'return { action: "deny", reason: new URL("/a?b", "https://user@example.org:8").host + URL.canParse("x") }',
    "deny: example.org:8false",
  ],
  ["no URL", 'new URL("x")', /^deny: policy error: TypeError: Invalid URL/],
  [
    "__proto__ in the arguments stays a key",
    'return { action: "allow", updatedInput: JSON.parse(\'{"__proto__":{"a":1}}\') }',
    'rewrite {"__proto__":{"a":1}}',
  ],
];

describe("one policy, in its process", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(rowsCard(rows.map(([, body]) => body)), { keep: true });
  });
  afterAll(() => opened.policies.dispose());

  test.each(rows.map((row, i) => [row[0], row[2], i] as const))("%s", async (_name, expected, i) => {
    const run = await opened.ask({ command: "ls -l" }, `t${i}`);
    const got =
      run.deny !== undefined
        ? `deny: ${run.deny.reason}`
        : run.asks.length > 0
          ? `ask: ${run.asks[0]?.reason}`
          : run.rewritten
            ? `rewrite ${JSON.stringify(run.args)}`
            : run.logOnly
              ? "log-only"
              : "allow";
    if (typeof expected === "string") expect(got).toBe(expected.replaceAll("%t", `t${i}`));
    else expect(got).toMatch(expected);
  });

  test("none of them is an issue, and the runtime confines them", () => {
    expect(opened.policies.issues()).toEqual([]);
  });
});

const kinds = { enforcement: 'policyKind: "enforcement",', observer: 'policyKind: "observer",' };
const unfit: readonly (readonly [string, string, string])[] = [
  [
    "a bad matcher denies all",
    policyText("", `${kinds.enforcement} matcher: "(",`),
    'deny: policy error: the matcher "(" ',
  ],
  [
    "a wildcard is no matcher",
    policyText("", `${kinds.enforcement} matcher: "mcp__*",`),
    'deny: policy error: the matcher "mcp__*" ',
  ],
  [
    "an observer's bad matcher is on record",
    policyText("", `${kinds.observer} matcher: "(",`),
    "allow [policy_failed] {policy_matcher}",
  ],
  ["no default export", "export const x = 1;", "deny: policy error: Error: it has no default export"],
  [
    "a misspelt callback",
    'export default { policyKind: "enforcement", beforeTool() {} };',
    "deny: policy error: Error: a policy has no beforeTool; it has",
  ],
  ["no kind", "export default {};", "deny: policy error: Error: policyKind must be"],
  [
    "a wrong time",
    policyText("", `${kinds.enforcement} timeoutMs: 0,`),
    "deny: policy error: Error: timeoutMs must be",
  ],
  [
    "text that cannot be read",
    `${policyText("", kinds.enforcement)}\n)`,
    "deny: policy error: hooks/p/policy.ts:",
  ],
  [
    "an observer's text that cannot be read",
    `${policyText("", kinds.observer)}\n)`,
    "allow [policy_failed] {policy_unreadable}",
  ],
  [
    "what says both kinds is not believed to be an observer",
    `// enforcement\n${policyText("", kinds.observer)}\n)`,
    "deny: policy error: ",
  ],
  [
    "it throws as it loads",
    'throw new Error("x"); export default { policyKind: "enforcement" };',
    "deny: policy error: Error: x",
  ],
];

describe("what cannot be loaded", () => {
  it.each(unfit)("%s", async (_name, text, expected) => {
    expect(await said(one(text))).toContain(expected);
  });

  test("a mistake is told with its place and how it is mended", async () => {
    const { policies } = await open(one(`${policyText("")}\n)`));
    expect(policies.issues()).toMatchObject([
      {
        code: "policy_unreadable",
        card: "@test/card",
        file: expect.stringMatching(/hooks\/p\/policy\.ts$/),
        line: 9,
        column: 1,
        mend: expect.stringContaining("Mend"),
        severity: "error",
      },
    ]);
  });
});

describe("a card", () => {
  test("its policies share files, and have nothing else in common", async () => {
    const body =
      'event.input.n = 1; (globalThis as any).seen = (globalThis as any).seen ?? add(1); return { action: "deny", reason: [(globalThis as any).seen, count()].join(" ") }';
    const text = `import { add, count } from "../../lib/add";\n${policyText(body)}`;
    const files = {
      "hooks/a/policy.ts": text,
      "hooks/b/policy.ts": text,
      "lib/add.ts":
        "let n = 0; export const add = (a: number): number => (n += a); export const count = () => n;",
    };
    const { ask } = await open(cardOf(files));
    expect((await ask()).trail.map(({ note }) => note)).toEqual(["1 1", "1 1"]);
  });

  test("all three names of the typed declaration are one", async () => {
    const sources = ["countersign/policy", "darwinian-minds/hook-policy", "darwinian/hook-policy"].map(
      (name, i) => [
        `hooks/p${i}/policy.ts`,
        policyText('return { action: "deny", reason: "no" }').replace("countersign/policy", name),
      ],
    );
    const { ask } = await open(cardOf(Object.fromEntries(sources)));
    expect((await ask()).trail.map(({ decision }) => decision)).toEqual(["deny", "deny", "deny"]);
  });

  test("what it prints is told with its name", async () => {
    const text = policyText('console.warn("seen:", String(event.input), { a: 1 });', kinds.observer);
    const { ask, printed } = await open(one(text));
    await ask();
    expect(printed).toEqual(['@test/card/p warn: seen: ls {"a":1}']);
  });

  test("a flood of lines is cut", async () => {
    const { ask, printed } = await open(one(policyText('for (let i = 0; i < 50000; i++) console.log("x");')));
    await ask();
    expect(printed.length).toBeGreaterThan(100);
    expect(printed.length).toBeLessThan(300);
  });

  test("afterwards it sees what the tool gave", async () => {
    const text = `import { defineToolPolicy } from "countersign/policy";
export default defineToolPolicy({ policyKind: "enforcement",
  async afterToolCall(event) { throw new Error(JSON.stringify([event.output, event.error, String(event.input)])); } });`;
    const { policies } = await open(one(text));
    expect(policies.watches("before", "Bash")).toBe(false);
    const input = { command: "ls" };
    const ended = { result: { rows: 1 }, error: null };
    const after = await policies.after(call("Bash", input), input, ended, NEVER);
    expect(after.error?.reason).toBe('policy error: Error: [{"rows":1},null,"ls"]');
  });

  test("a matcher is for raw and canonical names, from end to end", async () => {
    const { policies } = await open(one(policyText("", `${kinds.enforcement} matcher: "Write|spy_.*",`)));
    const names = ["Write", "spy_a", "Writer", "aWrite"];
    expect(names.map((name) => policies.watches("before", name))).toEqual([true, true, false, false]);
    expect(policies.watches("before", "create_file", "Write")).toBe(true);
  });
});
