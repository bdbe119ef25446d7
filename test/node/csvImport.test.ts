import { mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { importCsv } from "../../src/node/csvImport";
import { kindOf } from "../../src/node/csvTypes";
import { type Database, EngineRefused } from "../../src/node/databases/database";
import type { Act, Intent } from "../../src/node/databases/intent";
import { openDatabase } from "../../src/node/databases/openDatabase";
import { type Engine, startMariaDb, startPostgres } from "../engines/startEngines.mjs";

const read: Intent = { kind: "read" };
const anything: Intent = {
  kind: "approved",
  acts: ["DROP", "CREATE", "INSERT", "ALTER"].map((verb) => ({ verb, table: "t" })),
};

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "csv-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function file(content: string | Buffer): string {
  files += 1;
  const path = join(folder, `f${files}.csv`);
  writeFileSync(path, content);
  return path;
}

test.each([
  ["0", "INTEGER"],
  ["-12", "INTEGER"],
  ["9007199254740991", "INTEGER"],
  ["9007199254740993", "TEXT"],
  ["007", "TEXT"],
  ["-0", "TEXT"],
  ["+1", "TEXT"],
  ["1.5", "REAL"],
  ["1e3", "REAL"],
  ["1.23456789012345678", "TEXT"],
  ["1e999", "TEXT"],
  ["01.5", "TEXT"],
  ["true", "BOOLEAN"],
  ["FALSE", "BOOLEAN"],
  ["2024-01-02", "TEXT"],
  ["NaN", "TEXT"],
  [" 1", "TEXT"],
  ["１", "TEXT"],
])("%s is %s", (text, kind) => {
  expect(kindOf(text)).toBe(kind);
});

const ENGINES = ["sqlite", "postgres", "mariadb"] as const;

describe.each(ENGINES)("%s", (name) => {
  let engine: Engine | undefined;
  let database: Database;
  beforeAll(async () => {
    if (name === "postgres") engine = await startPostgres();
    if (name === "mariadb") engine = await startMariaDb();
    database = await openDatabase({
      url: engine?.url ?? "sqlite:import.db",
      dataFolder: folder,
      maxRows: 1000,
    });
  });
  afterAll(async () => {
    await database?.close();
    await engine?.stop();
  });
  beforeEach(async () => {
    await database.query("DROP TABLE IF EXISTS t", { intent: anything });
  });

  async function rows(order = "1"): Promise<unknown> {
    return (await database.query(`SELECT * FROM t ORDER BY ${order}`, { intent: read })).rows;
  }
  const truth = name === "postgres" ? [true, false] : [1, 0];

  test.each<[string, string | Buffer, unknown]>([
    [
      "types",
      "a,b,c,d\n1,1.5,true,x\n2,2,false,y\n",
      [
        [1, 1.5, truth[0], "x"],
        [2, 2, truth[1], "y"],
      ],
    ],
    [
      "CRLF",
      "a,b\r\n1,x\r\n2,y\r\n",
      [
        [1, "x"],
        [2, "y"],
      ],
    ],
    [
      "CR alone",
      "a,b\r1,x\r2,y",
      [
        [1, "x"],
        [2, "y"],
      ],
    ],
    ["BOM", "\ufeffa,b\n1,x\n", [[1, "x"]]],
    ["semicolons", "a;b\n1;x,y\n", [[1, "x,y"]]],
    ["tabs", "a\tb\n1\tx\n", [[1, "x"]]],
    ["bars", "a|b\n1|x\n", [[1, "x"]]],
    [
      "quotes",
      'a,b\n1,"x ""y"", z"\n2,"two\nlines"\n',
      [
        [1, 'x "y", z'],
        [2, "two\nlines"],
      ],
    ],
    [
      "NULL and empty text",
      'a,b\n1,\n2,""\n',
      [
        [1, null],
        [2, ""],
      ],
    ],
    ["leading zeros and large numbers", "a,b\n007,9007199254740993\n", [["007", "9007199254740993"]]],
    ["mixed column", "a\n1\nx\n", [["1"], ["x"]]],
    ["integers and reals", "a\n1\n2.5\n", [[1], [2.5]]],
    ["dates stay text", "a\n2024-01-02\n", [["2024-01-02"]]],
    ["Unicode", "名字,b\n张三,é😀\n", [["张三", "é😀"]]],
    ["no last line feed", "a\n1", [[1]]],
    ["empty lines", "a,b\n\n1,x\n\n", [[1, "x"]]],
    ["header only", "a,b\n", []],
    ["one column", "a\nx\n", [["x"]]],
    ["comma in a quoted header", '"a;b",c\n1,2\n', [[1, 2]]],
  ])("imports: %s", async (_what, content, expected) => {
    await importCsv({ path: file(content), table: "t", database });
    expect(await rows()).toEqual(expected);
  });

  test.each<[string, string | Buffer, number, RegExp]>([
    ["too few fields", "a,b\n1,2\n3\n4,5\n", 3, /2 columns.*1 fields/],
    ["too many fields", "a,b\n1,2\n3,4,5\n", 3, /2 columns.*3 fields/],
    ["a quote that is never closed", 'a,b\n1,2\n3,"x\n4,5\n', 3, /never closed/],
    ["text after a quote", 'a,b\n1,"x"y\n', 2, /quote/i],
    ["a quote inside a field", 'a,b\n1,x"y\n', 2, /quote/i],
    ["invalid UTF-8", Buffer.concat([Buffer.from("a\nx\ny\n"), Buffer.from([0xff, 0xfe, 0x0a])]), 4, /UTF-8/],
    ["NUL", "a\nx\n\0\n", 3, /NUL/],
    ["nothing", "", 1, /empty/],
    ["blank lines alone", "\n\n", 1, /empty/],
    ["a column without a name", "a,,c\n1,2,3\n", 1, /Column 2/],
    ["a column named twice", "a,A\n1,2\n", 1, /twice/],
    ["UTF-16", Buffer.from("\ufeffa,b\n1,2\n", "utf16le"), 1, /UTF-8/],
  ])("refuses: %s", async (_what, content, line, message) => {
    const path = file(content);
    const error: unknown = await importCsv({ path, table: "t", database }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "csv.row", message: expect.stringMatching(message) });
    expect(String(error)).toContain(`${path}:${line}: `);
    expect(await database.tableColumns("t")).toBeNull();
  });

  test("appends when the columns match, in any order", async () => {
    await importCsv({ path: file("a,b\n1,x\n"), table: "t", database });
    const again = await importCsv({ path: file("B,a\ny,2\n"), table: "t", database });
    expect(again).toMatchObject({ created: false, rows: 1 });
    expect(await rows()).toEqual([
      [1, "x"],
      [2, "y"],
    ]);
  });

  test("says which columns do not match", async () => {
    await importCsv({ path: file("a,b\n1,x\n"), table: "t", database });
    await expect(importCsv({ path: file("a,c\n1,x\n"), table: "t", database })).rejects.toMatchObject({
      message: expect.stringMatching(/the table has no c; the file has no b/),
    });
    expect(await rows()).toEqual([[1, "x"]]);
  });

  test("a row that the engine refuses undoes the whole import", async () => {
    await database.query(
      `CREATE TABLE t (a INTEGER ${name === "sqlite" ? "UNIQUE" : "PRIMARY KEY"}, b VARCHAR(20))`,
      { intent: anything },
    );
    const many = Array.from({ length: 1200 }, (_none, i) => `${i},x`).join("\n");
    await expect(
      importCsv({ path: file(`a,b\n${many}\n5,again\n`), table: "t", database }),
    ).rejects.toMatchObject({ code: "csv.row" });
    expect(await rows()).toEqual([]);
  });

  test.each(["t; DROP TABLE x", "1t", "", "sqlite_x", "pg_x", 'a"b', "a.b", "x".repeat(64)])(
    "refuses the table name %j",
    async (table) => {
      await expect(importCsv({ path: file("a\n1\n"), table, database })).rejects.toMatchObject({
        code: "usage",
      });
    },
  );

  test("100,000 rows go in as one transaction, with progress", async () => {
    const body = Array.from({ length: 100_000 }, (_none, i) => `${i},name ${i},${i / 4},${i % 2 === 0}`).join(
      "\n",
    );
    const seen: number[] = [];
    const result = await importCsv({
      path: file(`id,name,score,even\n${body}\n`),
      table: "t",
      database,
      onProgress: ({ fraction }) => seen.push(fraction),
    });
    expect(result).toMatchObject({ rows: 100_000, created: true });
    expect(result.columns.map((column) => column.type)).toEqual(["INTEGER", "TEXT", "REAL", "BOOLEAN"]);
    const counted = await database.query("SELECT count(*) FROM t", { intent: read });
    expect(Number(counted.rows[0]?.[0])).toBe(100_000);
    expect(seen.length).toBeGreaterThan(5);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);
    expect(seen.at(-1)).toBe(1);
  }, 60_000);

  test("an abort in the middle leaves nothing", async () => {
    const abort = new AbortController();
    const body = Array.from({ length: 60_000 }, (_none, i) => `${i},x`).join("\n");
    const importing = importCsv({
      path: file(`a,b\n${body}\n`),
      table: "t",
      database,
      signal: abort.signal,
      onProgress: ({ rows: loaded }) => {
        if (loaded > 2000) abort.abort();
      },
    });
    await expect(importing).rejects.toMatchObject({ message: expect.stringContaining("cancelled") });
    expect(await database.tableColumns("t")).toBeNull();
  });

  test("a table with a trigger that acts is not filled unless that was approved", async () => {
    await database.query("CREATE TABLE t (a INTEGER)", { intent: anything });
    await database.query("CREATE TABLE other (a INTEGER)", { intent: anything });
    const trigger = {
      sqlite: ["CREATE TRIGGER trg AFTER INSERT ON t BEGIN UPDATE other SET a = a; END"],
      postgres: [
        "CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE other SET a = a; RETURN NEW; END'",
        "CREATE TRIGGER trg AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()",
      ],
      mariadb: ["CREATE TRIGGER trg AFTER INSERT ON t FOR EACH ROW UPDATE other SET a = a"],
    }[name];
    for (const sql of trigger) await database.query(sql, { intent: anything });
    const source = file("a\n1\n");
    const approved: Act[] = [{ verb: "INSERT", table: "t" }];
    // First the trigger is named, then, where only running it tells, what it does.
    for (let asked = 0; asked < 2; asked += 1) {
      const intent: Intent | undefined = asked === 0 ? undefined : { kind: "approved", acts: approved };
      const error: unknown = await importCsv({
        path: source,
        table: "t",
        database,
        ...(intent === undefined ? {} : { intent }),
      }).then(
        () => undefined,
        (caught: unknown) => caught,
      );
      if (asked > 0 && error === undefined) return;
      if (!(error instanceof EngineRefused)) throw error;
      if (asked === 0) expect(error.acts[0]?.via).toContain("trg");
      expect(await rows()).toEqual([]);
      approved.push(...error.acts);
    }
    const intent: Intent = { kind: "approved", acts: approved };
    expect(await importCsv({ path: source, table: "t", database, intent })).toMatchObject({ rows: 1 });
  });

  test("a trigger that only computes stops no import", async () => {
    await database.query("CREATE TABLE t (a INTEGER)", { intent: anything });
    const trigger = {
      sqlite: [],
      postgres: [
        "CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TRIGGER trg AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()",
      ],
      mariadb: ["CREATE TRIGGER trg BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1"],
    }[name];
    for (const sql of trigger) await database.query(sql, { intent: anything });
    expect(await importCsv({ path: file("a\n1\n"), table: "t", database })).toMatchObject({ rows: 1 });
  });
});

describe("the file that was approved", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ url: "sqlite:swap.db", dataFolder: folder });
  });
  afterAll(() => database.close());

  test("a link that is turned to another file after the approval is refused", async () => {
    const good = file("a\n1\n");
    const secret = file("secret\nhunter2\n");
    const link = join(folder, "link.csv");
    symlinkSync(good, link);
    const approvedReal = realpathSync(link);
    symlinkSync(secret, join(folder, "next"));
    renameSync(join(folder, "next"), link);
    await expect(importCsv({ path: link, table: "t", database, approvedReal })).rejects.toMatchObject({
      code: "payload.malformed",
      message: expect.stringContaining("no longer the file"),
    });
    expect(await database.tableColumns("t")).toBeNull();
  });

  test.each(["/dev/zero", tmpdir(), "/nowhere/x.csv"])("%s is no file to import", async (path) => {
    await expect(importCsv({ path, table: "t", database })).rejects.toMatchObject({
      code: "payload.malformed",
    });
  });
});
