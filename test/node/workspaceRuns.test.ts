/** Ends of runs in a workspace of real files: rules, real handlers, records in a real log. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AuditRecord } from "../../src/core/audit/record";
import { lateRecord } from "../../src/core/hookRules/ruleRecords";
import type { EndedRun } from "../../src/core/hookRules/runEnd";
import { type WorkspaceRuns, workspaceRuns } from "../../src/host/workspaceRuns";
import { memoryAuditLog } from "../../src/node/auditMemory";
import { acceptChange, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { ruleSourceOf } from "../../src/node/ruleSource";
import { createTrustStore } from "../../src/node/trustStore";
import { createWorkspaceRules, type WorkspaceRules } from "../../src/node/workspaceRules";
import { call, quietLog } from "../core/fixtures";

const never = new AbortController().signal;
const env = { PATH: process.env.PATH };
let base: string;
let root: string;
let rules: WorkspaceRules;
let runs: WorkspaceRuns;
let refused: [string, string][];
let log: ReturnType<typeof memoryAuditLog>;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "cs-runs-")));
  root = join(base, "ws");
  await Promise.all([mkdir(root), mkdir(join(base, "home"))]);
  log = memoryAuditLog({ role: "extension", version: "0" });
  refused = [];
  rules = createWorkspaceRules({
    log: quietLog,
    env,
    onError: "ask",
    async onLate(late) {
      const record = lateRecord(late, { policyDigest: "p", profile: "default" });
      if (record !== undefined) await log.append(record);
    },
  });
  runs = workspaceRuns({
    inForce: async () => {
      const resolved = await inForce();
      return { resolved, ruled: await rules.of([ruleSourceOf(resolved, root)]) };
    },
    append: (record) => log.append(record),
    log: quietLog,
    onRefused: (run, { by, reason }) => void refused.push([run.runId, `${by}: ${reason}`]),
  });
});
afterEach(async () => {
  await Promise.all([rules.close(), runs.close()]);
  await rm(base, { recursive: true, force: true });
});

const inForce = () => resolveWorkspace(input());
const input = () => ({
  root,
  trusted: true,
  user: {},
  locked: [],
  env,
  store: createTrustStore({ home: join(base, "home"), now: Date.now }),
});

/** The script decides with the event in hand: `event` is what it was told. */
async function accept(text: string, script = ""): Promise<void> {
  await writeFile(
    join(root, "check.mjs"),
    `let t = ""; for await (const c of process.stdin) t += c;\nconst event = JSON.parse(t);\n${script}\n`,
  );
  await writeFile(join(root, "gateway-hooks.toml"), text);
  const { pending } = await inForce();
  if (pending !== undefined) expect(await acceptChange(input(), pending)).toEqual([]);
}

const command = (more = "") => `{ type = "command", command = ["node", "./check.mjs"]${more} }`;
const endRule = (more = "") => `[[hooks.run_end]]\nname = "review"\nhandlers = [${command(more)}]\n`;
const run: EndedRun = {
  runId: "session-1",
  sessionId: "session-1",
  agent: "claude",
  cwd: "/ws",
  profile: "default",
  report: "I dropped the table.",
};
const records = (): AuditRecord[] =>
  log
    .lines()
    .map((line): AuditRecord => JSON.parse(line))
    .filter(({ event }) => !event.startsWith("log."));

describe("the end of a run", () => {
  test("a report that a rule refuses: one record with the reason, and a word to the person", async () => {
    await accept(
      endRule(),
      'if (event.report.includes("dropped")) { process.stderr.write("no: " + event.event + " of " + event.run_id); process.exit(2); }',
    );
    await runs.end(run);
    expect(records()).toMatchObject([
      {
        event: "run_end",
        decision: "denied",
        by: "review",
        reason: "no: run_end of session-1",
        session_id: "session-1",
        agent: "claude",
        result: { size: run.report?.length },
        data: { passed: false },
        trail: [{ by: "review", stage: "rules", decision: "deny" }],
      },
    ]);
    expect(JSON.stringify(records())).not.toContain("dropped the table");
    expect(refused).toEqual([["session-1", "review: no: run_end of session-1"]]);
  });

  test("one that passes: a record, and nobody is disturbed", async () => {
    await accept(
      endRule(),
      'console.log(JSON.stringify({ findings: [{ code: "short", message: "a short one" }], additional_context: "seen" }));',
    );
    await runs.end({ ...run, report: null });
    expect(records()).toMatchObject([
      {
        event: "run_end",
        decision: "allow",
        findings: [{ code: "short", by: "review" }],
        data: { passed: true, context: [{ name: "review", text: "seen" }] },
      },
    ]);
    expect(records()[0]).not.toHaveProperty("result");
    expect(refused).toEqual([]);
  });

  test.each([
    ["no rule of run_end", '[[hooks.pre_tool_call]]\nname = "no"\nhandlers = [{ type = "deny" }]\n'],
    ["no rules", ""],
    ["the chain switched off", `[chain]\nenabled = false\n${endRule()}`],
  ])("%s: no record", async (_, text) => {
    await accept(text, "process.exit(2)");
    await runs.end(run);
    expect(records()).toEqual([]);
  });

  test("a handler that fails is on record, and is no refusal", async () => {
    await accept(endRule(), "process.exit(7)");
    await runs.end(run);
    expect(records()).toMatchObject([
      { decision: "allow", findings: [{ code: "handler_failed", by: "review" }] },
    ]);
  });

  test("waits for what the run's async handlers found: their findings stand before it and name their call", async () => {
    const watch = `[[hooks.post_tool_call]]\nname = "watch"\nhandlers = [${command(", async = true")}]\n`;
    await accept(
      watch + endRule(),
      'if (event.event === "post_tool_call") { await new Promise((r) => setTimeout(r, 300)); console.log(JSON.stringify({ findings: [{ code: "odd", message: event.tool_name }] })); }',
    );
    const { rules: now } = await rules.of([ruleSourceOf(await inForce(), root)]);
    const made = call(
      "make_tea",
      { kind: "green" },
      { callId: "call-7", runId: "session-1", sessionId: "session-1" },
    );
    const outcome = {
      kind: "run",
      decision: "allow",
      by: null,
      binding: {},
      args: made.input,
      contexts: [],
      findings: [],
      trail: [],
      rewritten: false,
    } as const;
    await now?.post(made, { outcome, result: "tea", error: null }, never);
    expect(records()).toEqual([]);
    await runs.end(run);
    expect(records()).toMatchObject([
      {
        event: "late_finding",
        call_id: "call-7",
        tool: "make_tea",
        by: "watch",
        findings: [{ code: "odd", message: "make_tea", by: "watch" }],
        data: { on: "post_tool_call" },
      },
      { event: "run_end", decision: "allow" },
    ]);
  });

  test("waits for rules that are still at work on a call's result, and is put to its own rules after them", async () => {
    await accept(
      endRule(),
      'console.log(JSON.stringify({ findings: [{ code: "asked", message: String(Date.now()) }] }));',
    );
    let settledAt = 0;
    const settling = new Promise<void>((resolve) => {
      setTimeout(() => {
        settledAt = Date.now();
        resolve();
      }, 500);
    });
    expect(runs.during("session-1", settling)).toBe(settling);
    const other = new Promise<void>(() => undefined);
    void runs.during("session-2", other);
    await runs.end(run);
    const [record] = records();
    expect(record).toMatchObject({ event: "run_end", findings: [{ code: "asked" }] });
    expect(settledAt).toBeGreaterThan(0);
    expect(Number(record?.findings?.[0]?.message)).toBeGreaterThanOrEqual(settledAt);
  });

  test("a window that closes waits for no call any more, and the record says so", async () => {
    await accept(endRule());
    void runs.during("session-1", new Promise<void>(() => undefined));
    void runs.during("session-1", Promise.reject(new Error("not ours")));
    const ending = runs.end(run);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(records()).toEqual([]);
    await Promise.all([rules.close(), runs.close()]);
    await ending;
    const found = records().flatMap(({ findings = [] }) => findings);
    expect(found).toContainEqual(
      expect.objectContaining({
        code: "calls_unfinished",
        message: expect.stringContaining("results of a call when"),
      }),
    );
  });

  test("an async handler that fails, or wants what comes too late, is a late finding too", async () => {
    const watch = `[[hooks.pre_tool_call]]\nname = "watch"\nhandlers = [${command(", async = true")}]\n`;
    await accept(watch, 'process.stderr.write("stop it"); process.exit(2);');
    const { rules: now } = await rules.of([ruleSourceOf(await inForce(), root)]);
    await now?.pre(call("make_tea", {}, { callId: "call-8" }), {}, never);
    await rules.close();
    expect(records()).toMatchObject([
      {
        event: "late_finding",
        call_id: "call-8",
        error: "an async handler cannot deny: stop it",
        findings: [{ code: "handler_failed", severity: "error" }],
      },
    ]);
  });

  test("a window that closes ends the handlers, and the run gets its record", async () => {
    await accept(endRule(), "await new Promise((r) => setTimeout(r, 60_000));");
    const ending = runs.end(run);
    await new Promise((resolve) => setTimeout(resolve, 400));
    await Promise.all([rules.close(), runs.close()]);
    await ending;
    expect(records()).toMatchObject([{ event: "run_end", findings: [{ code: "handler_failed" }] }]);
  });
});
