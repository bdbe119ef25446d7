import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { childFile } from "../../../src/node/childFile";
import { parserText } from "../../../src/node/sql/parserText";
import { createSecondOpinion, type SecondOpinions } from "../../../src/node/sql/secondOpinion";
import { EVERYDAY } from "../../core/sql/everyday";

const warnings: string[] = [];
const log = { info() {}, warn: (message: string) => void warnings.push(message), error() {} };
const opinion = createSecondOpinion({ log });
const folder = mkdtempSync(join(tmpdir(), "second-opinion-"));
afterAll(async () => {
  await opinion.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A busy machine may need longer to start a thread than a guard may wait. */
async function warm(dialect: string, which: SecondOpinions = opinion): Promise<void> {
  for (let turn = 0; turn < 20; turn++) if ((await which.judge("SELECT 1", dialect)) === "agrees") return;
  throw new Error(`the parser for ${dialect} does not load`);
}

/** Milliseconds: what a guard has, and as much again for a machine that is busy with other tests. */
const IN_TIME = 2000;

/** 42 bytes; an inexact parser takes exponential time in the open brackets. */
const HANG = "SELECT * FROM t WHERE ((((((((((((((((((((((((((((((a=1";

describe("a parser only makes a verdict stricter", () => {
  test.each([
    ["mysql", "INSERT INTO t VALUES (1)", "agrees"],
    ["mariadb", "SELECT 1", "agrees"],
    ["tsql", "SELECT TOP 1 a FROM t", "agrees"],
    ["bigquery", "SELECT a FROM t", "agrees"],
    ["snowflake", "SELECT a FROM t", "agrees"],
    ["redshift", "SELECT a FROM t", "agrees"],
    ["redshift", "TABLE t", "agrees"],
    ["redshift", "CREATE TABLE t (a int) DISTKEY(a)", "unverified"],
    ["redshift", "SELECT a FROM t WHERE b = :x", "agrees"],
    ["redshift", "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "stricter"],
    ["redshift", "SELECT a FROM t WHERE WHERE", "unverified"],
    ["sqlite", "SELECT a FROM missing WHERE nofn(1) = 2", "agrees"],
    ["sqlite", "SELECT a FROM t WHERE", "refuses-exact"],
    ["sqlite", "SELECT 1; SELEKT 2", "refuses-exact"],
    ["sqlite", "SELECT 1 FROM", "refuses-exact"],
    ["sqlite", "PRAGMA table_info(t)", "agrees"],
    ["oracle", "whatever", "agrees"],
    ["duckdb", "FROM t", "agrees"],
    ["nobody knows", "SELECT", "agrees"],
  ] as const)("%s · %s → %s", async (dialect, sql, expected) => {
    if (!["oracle", "duckdb", "nobody knows"].includes(dialect)) await warm(dialect);
    // A text that the first parser refuses loads a second one, which a busy machine may not do in time at first.
    let said = await opinion.judge(sql, dialect);
    for (let turn = 0; turn < 20 && said === "unverified" && expected !== "unverified"; turn++)
      said = await opinion.judge(sql, dialect);
    expect(said).toBe(expected);
  });

  test("SQLite's own parser refuses nothing of the everyday set", async () => {
    await warm("sqlite");
    for (const { sql } of EVERYDAY.filter((row) => row.dialect === "sqlite")) {
      expect(await opinion.judge(sql, "sqlite"), sql).not.toBe("refuses-exact");
    }
  });
});

/** The real thread, with two words that only this test knows: one stops it, one keeps it busy for good. */
function fragileThread() {
  const real = childFile(join(import.meta.dirname, "../../../src/node/sql"), "sqlWorker");
  const path = join(folder, "fragile.mjs");
  const source = `import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ id, text }) => {
  if (!/die|hang/.test(text)) return;
  parentPort.postMessage({ id, kind: "loaded" });
  if (text.includes("die")) process.exit(1);
  for (;;);
});
await import(${JSON.stringify(pathToFileURL(real.path).href)});
`;
  writeFileSync(path, source);
  return createSecondOpinion({ log, worker: { path, execArgv: real.execArgv } });
}

describe("a parser that hangs, dies or is given too much", () => {
  test.each(["mysql", "snowflake"])("%s: a text that hangs it is unverified in time", async (dialect) => {
    await warm(dialect);
    const start = performance.now();
    expect(await opinion.judge(HANG, dialect)).toBe("unverified");
    expect(performance.now() - start).toBeLessThan(IN_TIME);
    await warm(dialect);
  });

  test.each(["die", "hang"])("a thread that stops (%s) costs no other text its answer", async (word) => {
    const fragile = fragileThread();
    await warm("postgres", fragile);
    const start = performance.now();
    expect(await fragile.judge(`SELECT ${word}`, "postgres")).toBe("unverified");
    expect(performance.now() - start).toBeLessThan(IN_TIME);
    await warm("postgres", fragile);
    const [stopped, next] = await Promise.all([
      fragile.judge(`SELECT ${word}`, "postgres"),
      fragile.judge("DELETE FROM t", "postgres"),
    ]);
    expect(stopped).toBe("unverified");
    expect(["stricter", "unverified"]).toContain(next);
    await warm("postgres", fragile);
    expect(await fragile.judge("SELECT FROM FROM", "postgres")).toBe("refuses-exact");
    await fragile.close();
  });

  test("fifty at once are each answered as they would be alone", async () => {
    await warm("postgres");
    const kinds = [
      ["SELECT 1", "agrees"],
      ["DELETE FROM t", "stricter"],
      ["SELECT FROM FROM", "refuses-exact"],
    ] as const;
    const rows = Array.from({ length: 50 }, (_, at) => kinds[at % 3] ?? kinds[0]);
    const said = await Promise.all(rows.map(([sql]) => opinion.judge(sql, "postgres")));
    expect(said).toEqual(rows.map(([, expected]) => expected));
  });

  test.each([
    ["long", `SELECT '${"x".repeat(16_400)}'`],
    ["deep", `SELECT ${"(".repeat(60)}1${")".repeat(60)}`],
    ["full of comments", `SELECT 1 ${"/*".repeat(4000)}${"*/".repeat(4000)}`],
    ["full of comments that stay open", "/*".repeat(8000)],
    ["one long operator", `SELECT ${"+".repeat(16_000)}1`],
  ])("a text that is %s is not shown to it", async (_, sql) => {
    expect(parserText(sql, "postgres")).toBeUndefined();
    expect(await opinion.judge(sql, "postgres")).toBe("unverified");
  });

  test.each([
    ["as long as may be", `SELECT '${"x".repeat(16_000)}'`],
    ["as deep as may be", `SELECT ${"(".repeat(50)}1${")".repeat(50)}`],
    ["drawn with comment lines", `${`-- ${"-".repeat(100)}\n`.repeat(50)}SELECT 1 /* ${"=".repeat(300)} */`],
  ])("a text that is %s is", async (_, sql) => {
    await warm("postgres");
    expect(await opinion.judge(sql, "postgres")).toBe("agrees");
  });

  test("a chain that is deep without brackets has an answer in time, and no crash", async () => {
    for (const sql of [`SELECT ${"1+".repeat(8000)}1`, `SELECT 1${"::a".repeat(5000)}`]) {
      await warm("postgres");
      const start = performance.now();
      expect(["agrees", "unverified"]).toContain(await opinion.judge(sql, "postgres"));
      expect(performance.now() - start).toBeLessThan(IN_TIME);
    }
    await warm("postgres");
  });

  test("a thread that cannot start is unverified, and says so", async () => {
    const before = warnings.length;
    const broken = createSecondOpinion({ log, worker: { path: "/nowhere/sqlWorker.js", execArgv: [] } });
    expect(await broken.judge("SELECT 1", "postgres")).toBe("unverified");
    expect(warnings.length).toBeGreaterThan(before);
    await broken.close();
  });
});

/** A thread that takes its time before it hears the first question; forever where the time is left out. */
function slowThread(name: string, ms?: number) {
  const path = join(folder, `${name}.mjs`);
  const wait = ms === undefined ? "new Promise(() => setInterval(() => {}, 1000))" : `setTimeout(${ms})`;
  writeFileSync(
    path,
    `import { parentPort } from "node:worker_threads";
import { setTimeout } from "node:timers/promises";
const ready = ${wait};
parentPort.on("message", async ({ id }) => {
  await ready;
  parentPort.postMessage({ id, kind: "loaded" });
  parentPort.postMessage({ id, kind: "said", says: "reads" });
});`,
  );
  return (wait: number) =>
    createSecondOpinion({
      log,
      worker: { path, execArgv: [] },
      limits: { parse: { wait, work: 250 } },
    });
}

describe("a thread that starts slowly", () => {
  test("the time that a parser has counts from its readiness", async () => {
    const slow = slowThread("slow", 1200)(15_000);
    expect(await slow.judge("SELECT 1", "postgres")).toBe("agrees");
    await slow.close();
  });

  test("nobody waits longer than the whole limit, and the thread goes on loading for the next", async () => {
    const slow = slowThread("slower", 1200)(400);
    expect(await slow.judge("SELECT 1", "postgres")).toBe("unverified");
    await expect.poll(() => slow.judge("SELECT 1", "postgres"), { timeout: 15_000 }).toBe("agrees");
    await slow.close();
  });

  test("made ready beforehand, the first text has its answer", async () => {
    const slow = slowThread("warmed", 1200)(1000);
    await slow.warmUp("postgres");
    expect(await slow.judge("SELECT 1", "postgres")).toBe("agrees");
    await slow.close();
  });

  test("one that never starts has no opinion", async () => {
    const never = slowThread("never")(300);
    void never.warmUp("postgres");
    expect(await never.judge("SELECT 1", "postgres")).toBe("unverified");
    expect(await never.read("SELECT 1", [])).toBeUndefined();
    await never.close();
  });

  test("making ready resolves also where nothing can be", async () => {
    const nowhere = createSecondOpinion({ log, worker: { path: "/nowhere/sqlWorker.js", execArgv: [] } });
    await nowhere.warmUp("postgres");
    await nowhere.warmUp("oracle");
    await nowhere.warmUp("nobody knows");
    await nowhere.close();
  });

  test("an answer that came while this thread was busy is not late", async () => {
    const slow = slowThread("meanwhile", 600)(2000);
    const answer = slow.judge("SELECT 1", "postgres");
    // Within a timer's turn: the limit's own timer comes next, before any message.
    setTimeout(() => {
      const end = performance.now() + 2500;
      while (performance.now() < end);
    }, 5);
    expect(await answer).toBe("agrees");
    await slow.close();
  });
});

describe("a parser that is only a cousin's", () => {
  const OWN_WORDS = [
    ["cockroachdb", "SELECT a FROM t AS OF SYSTEM TIME '-10s'"],
    ["cockroachdb", "SHOW TABLES FROM app"],
    ["cockroachdb", "SELECT a FROM t@primary WHERE b = 1"],
    ["yugabyte", "CREATE TABLE t (a int, PRIMARY KEY (a HASH)) SPLIT INTO 4 TABLETS"],
    ["greenplum", "CREATE TABLE t (a int) DISTRIBUTED BY (a)"],
    ["turso", "SELECT a FROM t WHERE"],
  ] as const;

  test.each(OWN_WORDS)("%s · %s is a finding, not a denial", async (dialect, sql) => {
    await warm(dialect);
    expect(await opinion.judge(sql, dialect)).toBe("unverified");
  });

  test("the same texts are refused where the parser is the engine's own", async () => {
    for (const [dialect, sql] of OWN_WORDS)
      expect(await opinion.judge(sql, dialect === "turso" ? "sqlite" : "postgres"), sql).toBe(
        "refuses-exact",
      );
  });

  test("it still objects to what it reads as more than a read", async () => {
    await warm("cockroachdb");
    expect(await opinion.judge("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "cockroachdb")).toBe(
      "stricter",
    );
  });
});

describe("where the WebAssembly file is missing", () => {
  const worker = { path: join(folder, "bundle", "sqlWorker.cjs"), execArgv: [] };
  beforeAll(async () => {
    const entryPoints = [join(import.meta.dirname, "../../../src/node/sql/sqlWorker.ts")];
    const common = { bundle: true, platform: "node", format: "cjs", target: "node20" } as const;
    await esbuild.build({ ...common, entryPoints, outfile: worker.path, logLevel: "error" });
  });

  test("the stand-in objects where it can and never agrees; the loss is told once", async () => {
    const before = warnings.length;
    const crippled = createSecondOpinion({ log, worker });
    await warm("mysql", crippled);
    for (const sql of ["SELECT 1", "TABLE t", "SELECT FROM FROM"])
      expect(await crippled.judge(sql, "postgres"), sql).toBe("unverified");
    expect(await crippled.judge("DELETE FROM t", "postgres")).toBe("stricter");
    await warm("redshift", crippled);
    const told = warnings.slice(before).filter((message) => /PostgreSQL's own parser/.test(message));
    // Once for each dialect that wanted it.
    expect(told).toHaveLength(2);
    await crippled.close();
  });
});
