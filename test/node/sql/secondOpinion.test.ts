import { afterAll, describe, expect, test } from "vitest";
import { createSecondOpinion } from "../../../src/node/sql/secondOpinion";
import { EVERYDAY } from "../../core/sql/everyday";

const warnings: string[] = [];
const log = { info() {}, warn: (message: string) => void warnings.push(message), error() {} };
const opinion = createSecondOpinion({ log });
afterAll(() => opinion.close());

/** The thread starts and loads a parser once; a busy machine may need longer than the limit for that. */
async function warm(dialect: string): Promise<void> {
  for (let turn = 0; turn < 20; turn++) if ((await opinion.judge("SELECT 1", dialect)) === "agrees") return;
}

/** 42 bytes; the parser takes exponential time in the open brackets. */
const HANG = "SELECT * FROM t WHERE ((((((((((((((((((((((((((((((a=1";

describe("a parser only makes a verdict stricter", () => {
  test.each([
    ["postgres", "SELECT a FROM t WHERE b = 1", "agrees"],
    ["postgres", "DELETE FROM t", "stricter"],
    ["mysql", "INSERT INTO t VALUES (1)", "agrees"],
    ["mariadb", "SELECT 1", "agrees"],
    ["tsql", "SELECT TOP 1 a FROM t", "agrees"],
    ["bigquery", "SELECT a FROM t", "agrees"],
    ["snowflake", "SELECT a FROM t", "agrees"],
    ["redshift", "SELECT a FROM t", "agrees"],
    ["postgres", "TABLE t", "unverified"],
    ["sqlite", "SELECT a FROM missing WHERE nofn(1) = 2", "agrees"],
    ["sqlite", "SELECT a FROM t WHERE", "refuses-exact"],
    ["sqlite", "SELECT 1; SELEKT 2", "refuses-exact"],
    ["sqlite", "SELECT 1 FROM", "refuses-exact"],
    ["sqlite", "PRAGMA table_info(t)", "agrees"],
    ["oracle", "whatever", "agrees"],
    ["duckdb", "FROM t", "agrees"],
    ["nobody knows", "SELECT", "agrees"],
  ] as const)("%s · %s → %s", async (dialect, sql, expected) => {
    await warm(dialect);
    expect(await opinion.judge(sql, dialect)).toBe(expected);
  });

  test("SQLite's own parser refuses nothing of the everyday set", async () => {
    await warm("sqlite");
    for (const { sql } of EVERYDAY.filter((row) => row.dialect === "sqlite")) {
      expect(await opinion.judge(sql, "sqlite"), sql).not.toBe("refuses-exact");
    }
  });
});

describe("a parser that hangs, dies or is given too much", () => {
  test("a text that hangs it is unverified within 600 ms, and the next one is answered", async () => {
    await warm("postgres");
    const start = performance.now();
    expect(await opinion.judge(HANG, "postgres")).toBe("unverified");
    expect(performance.now() - start).toBeLessThan(600);
    await warm("postgres");
    expect(await opinion.judge("SELECT 1", "postgres")).toBe("agrees");
  });

  test("many at once: the one that hangs takes nobody past the limit", async () => {
    await warm("postgres");
    const start = performance.now();
    const all = await Promise.all(
      ["SELECT 1", HANG, HANG, "SELECT 2"].map((sql) => opinion.judge(sql, "postgres")),
    );
    expect(performance.now() - start).toBeLessThan(900);
    expect(all.slice(1, 3)).toEqual(["unverified", "unverified"]);
  });

  test("long and deep texts are not shown to it", async () => {
    expect(await opinion.judge(`SELECT '${"x".repeat(16_400)}'`, "postgres")).toBe("unverified");
    expect(await opinion.judge(`SELECT ${"(".repeat(60)}1${")".repeat(60)}`, "postgres")).toBe("unverified");
  });

  test("a thread that cannot start is unverified, and says so", async () => {
    const broken = createSecondOpinion({ log, worker: { path: "/nowhere/sqlWorker.js", execArgv: [] } });
    expect(await broken.judge("SELECT 1", "postgres")).toBe("unverified");
    expect(warnings.length).toBeGreaterThan(0);
    await broken.close();
  });
});
