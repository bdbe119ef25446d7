/** Guards ahead of rules: tools that a program's own hooks secure, and a file that switches guards on. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createHooks, HookDenied, type Hooks, secureTools, verifyAuditLog } from "../../src/library";
import { quietLog } from "../core/fixtures";
import { bareRun, folderWith, rejection, runOf } from "./runs";

const open: Hooks[] = [];
afterEach(async () => {
  for (const hooks of open.splice(0)) await hooks.close();
});

async function hooksWithLog(): Promise<{ hooks: Hooks; auditPath: string }> {
  const folder = await folderWith();
  const auditPath = join(folder, "audit.jsonl");
  const hooks = await createHooks({ auditPath, roots: [folder], env: {}, log: quietLog });
  open.push(hooks);
  return { hooks, auditPath };
}

const recordsOf = async (path: string): Promise<Record<string, unknown>[]> =>
  (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const db = (ran: string[]) => ({
  db_query_sql({ sql }: { sql: string }) {
    ran.push(sql);
    return { rows: [1] };
  },
});

describe("Order with security", () => {
  test("security authorizes a call first: what it denies no rule sees and no tool runs", async () => {
    const { hooks } = await hooksWithLog();
    const run = bareRun();
    const [seen, ran]: [unknown[], string[]] = [[], []];
    run.on("pre_tool_call", ({ tool_input }) => void seen.push(tool_input));
    const tools = run.wrap(secureTools(db(ran), hooks));
    const error = await rejection(tools.db_query_sql({ sql: "DROP DATABASE shop" }));
    expect(error).toBeInstanceOf(HookDenied);
    expect(error).toMatchObject({ handler: "destructive_sql" });
    expect([seen, ran]).toEqual([[], []]);
    expect(run.denials).toMatchObject([{ handler: "destructive_sql", tool_name: "db_query_sql" }]);
  });

  test("rules run after it, and what they rewrite is authorized again", async () => {
    const { hooks } = await hooksWithLog();
    const run = bareRun();
    const ran: string[] = [];
    run.on("pre_tool_call", () => ({ updated_input: { sql: "DROP DATABASE shop" } }), {
      arg: { sql: "smuggle" },
    });
    const { db_query_sql } = run.wrap(secureTools(db(ran), hooks));
    expect(await rejection(db_query_sql({ sql: "SELECT 'smuggle'" }))).toMatchObject({
      name: "HookDenied",
      handler: "destructive_sql",
    });
    expect(await db_query_sql({ sql: "SELECT 1" })).toEqual({ rows: [1] });
    expect(ran).toEqual(["SELECT 1"]);
  });

  test("what a guard asks about is refused until the same call comes with its confirmation", async () => {
    const { hooks } = await hooksWithLog();
    const run = bareRun();
    const ran: string[] = [];
    const { db_query_sql } = run.wrap(secureTools(db(ran), hooks));
    const asked = await rejection(db_query_sql({ sql: "DELETE FROM t WHERE id = 1" }));
    expect(asked).toMatchObject({ name: "HookDenied", confirmArgs: { confirm_destructive: true } });
    if (!(asked instanceof HookDenied)) return;
    const again = { sql: "DELETE FROM t WHERE id = 1", ...asked.confirmArgs };
    expect(await db_query_sql(again)).toEqual({ rows: [1] });
    expect(run.summary()).toMatchObject({ calls: 2, asks: 1, denials: 1 });
  });

  test("the audit log of a secured tool holds one record per call, with rules' denials under their names", async () => {
    const { hooks, auditPath } = await hooksWithLog();
    const run = bareRun();
    run.on("pre_tool_call", () => ({ decision: "deny", reason: "no stars" }), {
      arg: { sql: "\\*" },
      name: "no-stars",
    });
    run.on("post_tool_call", () => ({ decision: "deny", reason: "withheld" }), {
      arg: { sql: "secret" },
      name: "no-secrets",
    });
    const { db_query_sql } = run.wrap(secureTools(db([]), hooks));
    await db_query_sql({ sql: "SELECT 1" });
    expect(await rejection(db_query_sql({ sql: "SELECT * FROM t" }))).toMatchObject({ reason: "no stars" });
    expect(await rejection(db_query_sql({ sql: "SELECT secret" }))).toMatchObject({ reason: "withheld" });
    expect(await verifyAuditLog(auditPath)).toEqual({ ok: true, firstBad: null, count: 3 });
    const records = await recordsOf(auditPath);
    expect(records.map(({ decision, by }) => [decision, by ?? null])).toEqual([
      ["allow", null],
      ["denied", "no-stars"],
      ["allow", null],
    ]);
    expect(JSON.stringify(records[2])).toContain("result_withheld");
  });

  test("hooks that are switched off leave the rules of the run in force, and the audit", async () => {
    const folder = await folderWith();
    const auditPath = join(folder, "audit.jsonl");
    const config = { chain: { enabled: false } };
    const hooks = await createHooks({ auditPath, roots: [folder], env: {}, config, log: quietLog });
    open.push(hooks);
    const run = bareRun();
    run.on("pre_tool_call", () => ({ decision: "deny", reason: "closed" }), { arg: { sql: "t" }, name: "r" });
    const { db_query_sql } = run.wrap(secureTools(db([]), hooks));
    expect(await db_query_sql({ sql: "DROP DATABASE shop" })).toEqual({ rows: [1] });
    expect(await rejection(db_query_sql({ sql: "SELECT t" }))).toMatchObject({ reason: "closed" });
    expect((await recordsOf(auditPath)).map(({ decision }) => decision)).toEqual(["allow", "denied"]);
  });

  test("secured tools that no run wraps are governed alike", async () => {
    const { hooks } = await hooksWithLog();
    const { db_query_sql } = secureTools(db([]), hooks);
    expect(await db_query_sql({ sql: "SELECT 1" })).toEqual({ rows: [1] });
    expect(await rejection(db_query_sql({ sql: "DROP DATABASE shop" }))).toBeInstanceOf(HookDenied);
  });

  test("a file with a chain puts its guards ahead of the run's rules", async () => {
    const config = `[chain]\npath_allowlist = true\n\n[[hooks.pre_tool_call]]\nmatcher = "t"\nhandlers = [{ type = "deny", reason = "closed" }]\n`;
    const { run } = await runOf(config, { options: { env: {} } });
    const ran: string[] = [];
    const tools = run.wrap({ ...db(ran), t: () => 1 });
    expect(await rejection(tools.db_query_sql({ sql: "DROP DATABASE shop" }))).toMatchObject({
      handler: "destructive_sql",
    });
    expect(await rejection(tools.t())).toMatchObject({ reason: "closed" });
    expect(await tools.db_query_sql({ sql: "SELECT 1" })).toEqual({ rows: [1] });
    await run.end("report");
    expect(ran).toEqual(["SELECT 1"]);
  });

  test("a chain in the file and secured tools both guard: what either refuses does not run", async () => {
    const { hooks, auditPath } = await hooksWithLog();
    const off = await createHooks({
      auditPath: `${auditPath}.off`,
      env: {},
      config: { chain: { destructive_sql: false } },
      log: quietLog,
    });
    open.push(off);
    const rows: readonly (readonly [Hooks, string])[] = [
      [off, "[chain]\ndestructive_sql = true\n"],
      [hooks, "[chain]\ndestructive_sql = false\n"],
    ];
    for (const [securing, config] of rows) {
      const { run } = await runOf(config, { options: { env: {} } });
      const ran: string[] = [];
      const { db_query_sql } = run.wrap(secureTools(db(ran), securing));
      expect(await rejection(db_query_sql({ sql: "DROP DATABASE shop" }))).toMatchObject({
        name: "HookDenied",
        handler: "destructive_sql",
      });
      expect(await db_query_sql({ sql: "SELECT 1" })).toEqual({ rows: [1] });
      await run.end("report");
      expect(ran).toEqual(["SELECT 1"]);
      expect(run.denials).toMatchObject([{ tool_name: "db_query_sql", handler: "destructive_sql" }]);
    }
  });

  test("a file without a chain, and a run without a file, have rules alone", async () => {
    const { run } = await runOf(`[[hooks.run_end]]\nhandlers = [{ type = "deny", reason = "no" }]\n`);
    expect(await run.wrap(db([])).db_query_sql({ sql: "DROP DATABASE shop" })).toEqual({ rows: [1] });
    expect(await bareRun().wrap(db([])).db_query_sql({ sql: "DROP DATABASE shop" })).toEqual({ rows: [1] });
  });
});
