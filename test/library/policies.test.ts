/** Policies of a program of one's own: the same verdicts, within the program. */
import { describe, expect, it, test } from "vitest";
import { createHooks, defineToolPolicy, HookDenied, HookRun, type ToolPolicy } from "../../src/library";
import { quietLog } from "../core/fixtures";

const chain = {
  path_allowlist: false,
  destructive_sql: false,
  shell: false,
  egress: false,
  self_protection: false,
  audit_log: false,
};
const hooksWith = (...policies: ToolPolicy[]) =>
  createHooks({ policies, env: {}, log: quietLog, config: { chain } });

const noRemove = defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  async beforeToolCall(event) {
    const cmd = String(event.input ?? "");
    if (cmd.includes("rm -rf /")) {
      return {
        action: "deny",
        reason: "Destructive root-level deletion is not permitted.",
        syntheticOutput: "Command blocked by policy.",
      };
    }
    return { action: "allow" };
  },
});

describe("createHooks", () => {
  const rows: readonly (readonly [string, ToolPolicy, unknown])[] = [
    ["a denial", noRemove, { kind: "denied", by: "policy 1", syntheticOutput: "Command blocked by policy." }],
    [
      "an observer's",
      { ...noRemove, policyKind: "observer" },
      { kind: "run", findings: [{ code: "would_deny" }] },
    ],
    ["another tool", { ...noRemove, matcher: "Write" }, { kind: "run", trail: [] }],
    [
      "a rewrite",
      defineToolPolicy({
        policyKind: "observer",
        beforeToolCall: ({ input }) => ({ action: "allow", updatedInput: { ...input, command: "ls" } }),
      }),
      { kind: "run", args: { command: "ls" }, decision: "rewrite" },
    ],
    [
      "what it does to its event",
      defineToolPolicy({
        policyKind: "observer",
        beforeToolCall({ input }) {
          Reflect.set(input, "command", "ls");
        },
      }),
      { kind: "run", args: { command: "rm -rf /" }, decision: "allow" },
    ],
    [
      "an error",
      defineToolPolicy({
        policyKind: "enforcement",
        beforeToolCall() {
          throw new Error("bad");
        },
      }),
      { kind: "denied", reason: "policy error: Error: bad" },
    ],
    [
      "a promise that is never kept",
      defineToolPolicy({
        policyKind: "enforcement",
        timeoutMs: 20,
        beforeToolCall: () => new Promise(() => {}),
      }),
      { kind: "denied", reason: "policy timeout (20 ms)" },
    ],
  ];
  it.each(rows)("%s", async (_name, policy, expected) => {
    const hooks = await hooksWith(policy);
    const { outcome } = await hooks.govern("Bash", { command: "rm -rf /" }, () => "done");
    expect(outcome).toMatchObject(expected as object);
    await hooks.close();
  });

  const mistakes: readonly (readonly [string, unknown, string])[] = [
    ["no policy", {}, 'policy 1: policyKind must be "observer" or "enforcement"'],
    [
      "a misspelt callback",
      { policyKind: "observer", beforeTool() {} },
      "policy 1: a policy has no beforeTool; it has",
    ],
    ["a bad matcher", { policyKind: "observer", matcher: "(" }, 'policy 1: the matcher "("'],
  ];
  it.each(mistakes)("%s is told at the start", async (_name, policy, message) => {
    await expect(hooksWith(policy as ToolPolicy)).rejects.toThrow(message);
  });

  test("the guards judge what a policy rewrote", async () => {
    const drop = defineToolPolicy({
      policyKind: "observer",
      beforeToolCall: () => ({ action: "allow", updatedInput: { sql: "DROP TABLE users" } }),
    });
    const hooks = await createHooks({
      policies: [drop],
      env: {},
      log: quietLog,
      config: { chain: { audit_log: false } },
    });
    const { outcome } = await hooks.govern("db_query_sql", { sql: "SELECT 1" }, () => "done");
    expect(outcome).toMatchObject({ kind: "asks_user", by: "destructive_sql" });
    await hooks.close();
  });
});

describe("HookRun", () => {
  test("a denial is thrown, or what stands in for the result is given", async () => {
    const run = new HookRun(undefined, { policies: [noRemove], log: quietLog });
    const { Bash } = run.wrap({ Bash: async ({ command }: { command: string }) => `ran ${command}` });
    expect(await Bash({ command: "ls" })).toBe("ran ls");
    expect(await Bash({ command: "rm -rf /" })).toBe("Command blocked by policy.");
    const [denial] = run.denials;
    expect(denial).toMatchObject({ reason: "Destructive root-level deletion is not permitted." });
    await run.end(null);
  });

  test("without one it is a HookDenied", async () => {
    const policy = defineToolPolicy({
      policyKind: "enforcement",
      beforeToolCall: () => ({ action: "deny", reason: "no" }),
    });
    const run = new HookRun({ chain: {} }, { policies: [policy], log: quietLog, env: {} });
    const { read } = run.wrap({ read: async (_: { a: number }) => 1 });
    await expect(read({ a: 1 })).rejects.toThrow(HookDenied);
    await run.end(null);
  });
});
