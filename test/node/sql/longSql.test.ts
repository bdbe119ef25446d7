import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Args, Facets, ToolCall } from "../../../src/core/call";
import { destructiveSql, type SecondOpinion } from "../../../src/core/guards/destructiveSql";
import { classifySql } from "../../../src/core/sql/classify";
import { createSecondOpinion } from "../../../src/node/sql/secondOpinion";
import { packVerdict, unpackVerdict } from "../../../src/node/sql/sentVerdict";
import { ATTACKS } from "../../core/sql/attacks";
import { EVERYDAY } from "../../core/sql/everyday";

const log = { info() {}, warn() {}, error() {} };
/** This machine may be busy with other tests: what is late in an editor is not late here. */
const PATIENT = { parse: { wait: 15_000, work: 5_000 }, read: { wait: 15_000, work: 15_000 } };
const opinion = createSecondOpinion({ log, limits: PATIENT });
const folder = mkdtempSync(join(tmpdir(), "long-sql-"));
afterAll(async () => {
  await opinion.close();
  rmSync(folder, { recursive: true, force: true });
});

const facets = (_: unknown, args: Args): Facets => ({
  paths: [],
  commands: [],
  sql: [{ arg: "sql", text: String(args.sql) }],
  effect: "unknown",
});

async function judge(sql: string, secondOpinion?: SecondOpinion) {
  const hook = destructiveSql({
    facets,
    onUnparseable: "deny",
    onUnverified: "allow",
    confirmArg: "confirm",
    ...(secondOpinion === undefined ? {} : { secondOpinion }),
  });
  const input = { sql };
  const call: ToolCall = {
    callId: "c",
    runId: "r",
    sessionId: "s",
    agent: "vscode",
    toolName: "db_query_sql",
    canonicalName: "db_query_sql",
    input,
    profile: "default",
    traceId: "t",
    extra: {},
  };
  const ctx = { sessionId: "s", profile: "default", traceId: "t", extra: {}, call };
  return (await hook.preToolUse?.(ctx, "db_query_sql", input)) ?? { kind: "allow" as const };
}

/** Longest time that the event loop stood still, as a share of the whole. */
async function stillness(work: () => Promise<unknown>): Promise<{ share: number; ticks: number }> {
  let ticks = 0;
  let longest = 0;
  const began = performance.now();
  let last = began;
  let running = true;
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    ticks++;
    if (running) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  running = false;
  const end = performance.now();
  return { share: Math.max(longest, end - last) / (end - began), ticks };
}

const KB = 1024;
const filled = (head: string, part: string) =>
  head + part.repeat(Math.floor((256 * KB - head.length) / part.length));
const HOSTILE = [
  ["open brackets", filled("SELECT ", "(")],
  ["calls", filled("SELECT ", "f(")],
  ["thousands of reads", filled("", "SELECT 1;")],
  ["thousands of updates", filled("", "UPDATE t SET a=1;")],
  ["rows", filled("INSERT INTO t VALUES (1)", ",(1,'a')")],
] as const;

describe("256 KB of hostile text, in no dialect that is known", () => {
  test.each(HOSTILE)("%s: the event loop turns meanwhile", async (_, sql) => {
    await opinion.read("SELECT 1", []);
    const here = await stillness(() => judge(sql));
    const there = await stillness(() => judge(sql, opinion));
    // In this thread nothing else happens from beginning to end.
    expect(here.share).toBeGreaterThan(0.8);
    expect(there.share).toBeLessThan(0.5);
    expect(there.ticks).toBeGreaterThan(here.ticks + 10);
  });

  test.each(HOSTILE)("%s: the decision is the same, prompt and details too", async (_, sql) => {
    const [here, there] = [await judge(sql), await judge(sql, opinion)];
    expect({ ...there, findings: [] }).toEqual({ ...here, findings: [] });
  });
});

test("a database's end inside a text that runs is refused, however many statements ask before it", async () => {
  const sql = `${"UPDATE t SET a = 1;\n".repeat(600)}EXEC('DROP DATABASE d')`;
  expect((await judge(sql)).kind).toBe("deny");
  expect((await judge(sql, opinion)).kind).toBe("deny");
});

describe("a verdict between threads", () => {
  test("is the same for everything that is short", () => {
    for (const { sql } of [...ATTACKS, ...EVERYDAY]) {
      const verdict = classifySql(sql);
      const { statements, ...whole } = unpackVerdict(structuredClone(packVerdict(verdict)));
      expect(whole, sql).toEqual((({ statements: _, ...rest }) => rest)(verdict));
      const acting = (all: typeof statements) => all.map((one) => (one.verdict === "allow" ? null : one));
      expect(acting(statements), sql).toEqual(acting(verdict.statements));
      expect(statements[whole.worst], sql).toEqual(verdict.statements[whole.worst]);
    }
  });
});

/** A thread that does nothing at all, or ends, whenever it is asked for a verdict. */
function broken(act: string) {
  const path = join(folder, `${act.replaceAll(/\W/g, "")}.mjs`);
  writeFileSync(
    path,
    `import { parentPort } from "node:worker_threads"; parentPort.on("message", ({ id, read }) => {
  if (read === undefined) return parentPort.postMessage({ id, kind: "loaded" }), parentPort.postMessage({ id, kind: "said", says: "reads" });
  parentPort.postMessage({ id, kind: "loaded" }); ${act} });`,
  );
  return createSecondOpinion({
    log,
    worker: { path, execArgv: [] },
    limits: { ...PATIENT, read: { wait: 15_000, work: 300 } },
  });
}

describe.each(["for (;;);", "process.exit(1)", "throw new Error('no')"])(
  "a thread that goes wrong: %s",
  (act) => {
    test("a long text is asked about, denied where a database may be dropped, and the thread replaced", async () => {
      const thread = broken(act);
      const long = `SELECT 1 -- ${"x".repeat(9_000)}`;
      expect(await judge(long, thread)).toMatchObject({ kind: "ask", details: { rule: "too_long" } });
      expect((await judge(`${long}\n; DROP DATABASE d`, thread)).kind).toBe("deny");
      expect(await thread.judge("SELECT 1", "postgres")).toBe("agrees");
      await thread.close();
    });
  },
);
