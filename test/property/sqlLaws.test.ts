import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifySql } from "../../src/core/sql/classify";
import { DIALECTS } from "../../src/core/sql/dialects";
import { ATTACKS } from "../core/sql/attacks";

/** Seeded, so that a failure comes back. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const verdict = (sql: string, dialect: string | undefined) =>
  classifySql(sql, dialect === undefined ? {} : { dialect }).verdict;

describe("mutations of an attack never become allowed", () => {
  // What ends a line matters to these; everything around them may still change.
  const attacks = ATTACKS.filter((row) => !row.harmlessElsewhere);
  const before = fc.constantFrom(
    "",
    " ",
    "\n",
    "\t\r\n",
    "/* x */",
    "-- x\n",
    "/* SELECT */ ",
    "SELECT 1; ",
    ";",
    "-- '\n",
  );
  const after = fc.constantFrom("", " ", ";", "; SELECT 1", "\n", " -- x", " /* x */", "\n;\n");

  test("blanks, comments and statements around", () => {
    fc.assert(
      fc.property(fc.constantFrom(...attacks), before, after, (row, head, tail) => {
        // A `--` before the text would swallow its first line only together with its line end.
        return verdict(head + row.sql + tail, row.dialect) !== "allow";
      }),
      { seed: 7, numRuns: 6_000 },
    );
  });

  test("upper and lower case", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...attacks.filter((row) => !/[rRqQeE]'/.test(row.sql))),
        fc.boolean(),
        (row, upper) => {
          const sql = upper ? row.sql.toUpperCase() : row.sql.toLowerCase();
          return verdict(sql, row.dialect) !== "allow";
        },
      ),
      { seed: 7, numRuns: 2_000 },
    );
  });

  test("a comment or a line end in place of each blank", () => {
    const verbs = [
      "DELETE FROM t",
      "DROP TABLE t",
      "UPDATE t SET a = 1",
      "TRUNCATE TABLE t",
      "DROP DATABASE t",
      "GRANT ALL ON t TO x",
    ];
    const gaps = fc.array(fc.constantFrom(" ", "\n", "\t", "/**/", "/* ' */", "-- x\n", "  "), {
      minLength: 8,
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...verbs),
        fc.constantFrom(undefined, ...DIALECTS.map((one) => one.name)),
        gaps,
        (sql, dialect, fill) => {
          let at = 0;
          return (
            verdict(
              sql.replace(/ /g, () => fill[at++ % 8] ?? " "),
              dialect,
            ) !== "allow"
          );
        },
      ),
      { seed: 7, numRuns: 4_000 },
    );
  });
});

describe("the judge is linear and total", () => {
  const units = [
    "'",
    '"',
    "`",
    "[",
    "(",
    "/*",
    "--",
    "$",
    "$a$",
    "\\",
    "a ",
    "1",
    "1.",
    "SELECT 1;",
    "q'",
    "E'\n'",
    "/*!",
    "#",
    "@",
    "f(",
    "a.b(",
    ",x(",
    "EXPLAIN (",
    "{",
    "é",
    "GO\n",
    "\r",
    "INTO ",
    "WITH a(",
    "CREATE ",
    "''",
  ];

  test.each(units)("128 → 256 KB of %j", (unit) => {
    const time = (size: number) => {
      const text = unit.repeat(Math.floor(size / unit.length));
      let best = Number.POSITIVE_INFINITY;
      // Processor time: other programs of the machine do not count.
      for (let turn = 0; turn < 4; turn++) {
        const start = process.cpuUsage();
        classifySql(text);
        const { user, system } = process.cpuUsage(start);
        best = Math.min(best, (user + system) / 1000);
      }
      return best;
    };
    const [half, whole] = [time(131_072), time(262_144)];
    expect(whole).toBeLessThan(1_500);
    // Below a few milliseconds the clock and the collector say more than the code.
    if (half > 25) expect(whole / half).toBeLessThanOrEqual(3);
  });

  test("any text gets a verdict", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 60 }),
        fc.constantFrom(undefined, ...DIALECTS.map((one) => one.name)),
        (sql, dialect) => ["allow", "ask", "deny"].includes(verdict(sql, dialect)),
      ),
      { seed: 7, numRuns: 3_000 },
    );
  });
});

describe("what is allowed does not change a table of the real SQLite", () => {
  const pieces = [
    "SELECT 1",
    "SELECT * FROM t",
    "DELETE FROM t",
    "UPDATE t SET a = 9",
    "DROP TABLE t",
    "REPLACE INTO t VALUES (1, 'z')",
    "ALTER TABLE t ADD c",
    "INSERT OR REPLACE INTO t VALUES (1, 'y')",
    "INSERT INTO t VALUES (1, 'q') ON CONFLICT DO UPDATE SET b = 'q'",
    "WITH x AS (SELECT 1) DELETE FROM t",
    "EXPLAIN DELETE FROM t",
    "PRAGMA writable_schema = 1",
    "'",
    "''",
    '"',
    "`",
    "[",
    "]",
    "]]",
    "\\",
    "\\'",
    "--",
    "-- ",
    "/*",
    "*/",
    "/*!",
    "#",
    ";",
    ";",
    "\n",
    "\r",
    " ",
    "$$",
    "$a$",
    "E'",
    "q'[",
    "(",
    ")",
    ",",
    "a",
    "1",
    "1.",
    "@",
    ":",
    "?",
    "GO",
    "\u00a0",
    "--\n",
  ];

  test("seeded random mixes, run for real", () => {
    const next = random(20_260_101);
    const pick = () => pieces[Math.floor(next() * pieces.length)] ?? "";
    const fresh = () => {
      const made = new DatabaseSync(":memory:");
      made.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')");
      return made;
    };
    const state = (of: DatabaseSync) => {
      try {
        return JSON.stringify([
          of.prepare("SELECT * FROM t ORDER BY a").all(),
          of.prepare("SELECT sql FROM sqlite_master").all(),
        ]);
      } catch (error) {
        return String(error);
      }
    };
    const counts = { judged: 0, allowed: 0, changing: 0, allowedChanging: [] as string[] };
    let database = fresh();
    let clean = state(database);
    const started = performance.now();
    while (counts.judged < 12_000 && performance.now() - started < 15_000) {
      const sql = Array.from({ length: 2 + Math.floor(next() * 9) }, pick).join(next() < 0.5 ? " " : "");
      counts.judged++;
      const allowed = verdict(sql, "sqlite") === "allow" || verdict(sql, undefined) === "allow";
      if (allowed) counts.allowed++;
      // Everything is run, so that the fuzz is seen to reach texts that do change the table.
      try {
        database.exec(sql);
      } catch {
        // An error may stand behind statements that ran.
      }
      const after = state(database);
      if (after === clean) continue;
      counts.changing++;
      // No piece inserts plainly, so nothing that is allowed may change anything.
      if (allowed) counts.allowedChanging.push(sql);
      database.close();
      database = fresh();
      clean = state(database);
    }
    expect(counts.judged).toBeGreaterThan(3_000);
    expect(counts.allowed).toBeGreaterThan(200);
    expect(counts.changing).toBeGreaterThan(100);
    expect(counts.allowedChanging).toEqual([]);
    process.stdout.write(
      `sqlite fuzz: ${counts.judged} texts, ${counts.allowed} allowed, ${counts.changing} changed the table, 0 of those allowed\n`,
    );
  }, 30_000);
});
