import { describe, expect, test } from "vitest";
import { parseDatabaseUrl } from "../../../src/node/databases/databaseUrl";
import { splitStatements } from "../../../src/node/databases/split";
import { controlOf } from "../../../src/node/databases/statementReport";

const env = { PW: "p@ss/w:rd", WHOLE: "postgres://u:secret@h/db", FILE: "other.db" };

test.each([
  ["sqlite:data.db", { dialect: "sqlite", file: "/data/data.db" }],
  ["sqlite:sub/data.db", { dialect: "sqlite", file: "/data/sub/data.db" }],
  ["sqlite:/abs/x.db", { dialect: "sqlite", file: "/abs/x.db" }],
  ["sqlite:///abs/x.db", { dialect: "sqlite", file: "/abs/x.db" }],
  ["sqlite::memory:", { dialect: "sqlite", file: ":memory:" }],
  ["sqlite:$" + "{FILE}", { dialect: "sqlite", file: "/data/other.db" }],
  ["postgres://u:$" + "{PW}@h:5433/db", { dialect: "postgres", label: "postgres://u@h:5433/db" }],
  ["postgresql://h/db", { dialect: "postgres", label: "postgres://h/db" }],
  ["mysql://u@h/db", { dialect: "mysql", label: "mysql://u@h/db" }],
  ["mariadb://u@h/db", { dialect: "mysql", label: "mysql://u@h/db" }],
  ["$" + "{WHOLE}", { dialect: "postgres", label: "postgres://u@h/db" }],
])("%s", (url, expected) => {
  expect(parseDatabaseUrl(url, { dataFolder: "/data", env })).toMatchObject(expected);
});

test("a password with any character reaches the driver, and the digest does not depend on it", () => {
  const one = parseDatabaseUrl("postgres://u:$" + "{PW}@h/db", { dataFolder: "/", env });
  if (one.dialect === "sqlite") throw new Error("wrong dialect");
  expect(decodeURIComponent(one.url.password)).toBe(env.PW);
  expect(one.digest).toBe(parseDatabaseUrl("postgres://u:other@h/db", { dataFolder: "/" }).digest);
  expect(JSON.stringify([one.label, one.digest])).not.toContain("p@ss");
});

describe("refuses", () => {
  test.each([
    ["", env],
    ["data.db", env],
    ["sqlite:", env],
    ["sqlite:file:x?vfs=unix-none", env],
    ["oracle://h/db", env],
    ["postgres://u:p a s s@h:port/db", env],
    ["postgres://u:$" + "{NONE}@h/db", env],
    ["postgres://u:$" + "{PW}@h/db", undefined],
    ["sqlite:a\0b", env],
  ])("%j", (url, environment) => {
    const parse = () =>
      parseDatabaseUrl(
        url,
        environment === undefined ? { dataFolder: "/" } : { dataFolder: "/", env: environment },
      );
    expect(parse).toThrow(expect.objectContaining({ code: "database.url", hint: expect.any(String) }));
    expect(parse).not.toThrow(/p a s s|p@ss/);
  });
});

describe("statements", () => {
  test.each<["postgres" | "mysql", string, readonly string[]]>([
    ["postgres", "SELECT 1; SELECT 2", ["SELECT 1", "SELECT 2"]],
    ["postgres", "SELECT ';'; SELECT \";\"", ["SELECT ';'", 'SELECT ";"']],
    ["postgres", "SELECT $a$;$a$; SELECT $1", ["SELECT $a$;$a$", "SELECT $1"]],
    ["postgres", "SELECT a$b; SELECT $$;$$", ["SELECT a$b", "SELECT $$;$$"]],
    ["postgres", "SELECT E'\\';'; SELECT '\\'; SELECT 3", ["SELECT E'\\';'", "SELECT '\\'", "SELECT 3"]],
    [
      "postgres",
      "/* ; /* ; */ ; */ SELECT 1; -- ;\rSELECT 2",
      ["/* ; /* ; */ ; */ SELECT 1", "-- ;\rSELECT 2"],
    ],
    ["postgres", " ; -- x", []],
    ["mysql", "SELECT '\\';'; SELECT `;`", ["SELECT '\\';'", "SELECT `;`"]],
    ["mysql", "SELECT 1--1; SELECT 2 -- ;\n; SELECT 3 # ;", ["SELECT 1--1", "SELECT 2 -- ;", "SELECT 3 # ;"]],
    ["mysql", "/*! SELECT 1 */; /* x */", ["/*! SELECT 1 */"]],
    [
      "mysql",
      "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN SET @a=1; SET @b=2; END",
      ["CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN SET @a=1; SET @b=2; END"],
    ],
  ])("%s: %s", (dialect, text, pieces) => {
    expect(splitStatements(text, { dialect })).toEqual(pieces);
  });

  test("takes time in proportion to the text", () => {
    for (const part of ["/*", "-- x\n", "'", "$a$", "SELECT 1;", "create "]) {
      const cost = (times: number): number => {
        const before = process.cpuUsage();
        splitStatements(part.repeat(times), { dialect: "postgres" });
        splitStatements(part.repeat(times), { dialect: "mysql" });
        const { user, system } = process.cpuUsage(before);
        return user + system;
      };
      const once = cost(25_000);
      expect(cost(100_000)).toBeLessThan(Math.max(once, 1_000) * 4 * 5);
    }
  });

  test.each([
    ["BEGIN", "begin"],
    ["begin work", "begin"],
    ["START TRANSACTION READ WRITE", "begin"],
    ["/* x */ COMMIT", "commit"],
    ["END", "commit"],
    ["ROLLBACK", "rollback"],
    ["ROLLBACK TO a", null],
    ["ROLLBACK TO SAVEPOINT a", null],
    ["BEGIN NOT ATOMIC DELETE FROM a; END", null],
    ["COMMIT PREPARED 'x'", null],
    ["SELECT 1", null],
  ])("%s is %s", (statement, control) => {
    expect(controlOf(statement)).toBe(control);
  });
});
