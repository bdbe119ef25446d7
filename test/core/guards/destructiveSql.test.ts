import { describe, expect, test } from "vitest";
import type { Args, Facets, ToolCall } from "../../../src/core/call";
import type { Decision } from "../../../src/core/decision";
import {
  type DestructiveSqlOptions,
  destructiveSql,
  type SecondOpinion,
} from "../../../src/core/guards/destructiveSql";
import { classifySql } from "../../../src/core/sql/classify";

const facets = (_: unknown, args: Args): Facets => ({
  paths: [],
  commands: typeof args.command === "string" ? [{ arg: "command", text: args.command, shell: "bash" }] : [],
  sql:
    typeof args.sql === "string"
      ? [
          {
            arg: "sql",
            text: args.sql,
            ...(typeof args.dialect === "string" ? { dialect: args.dialect } : {}),
          },
        ]
      : [],
  effect: "unknown",
});

const call = (toolName: string, input: Args): ToolCall => ({
  callId: "c1",
  runId: "r1",
  sessionId: "s1",
  agent: "vscode",
  toolName,
  canonicalName: toolName,
  input,
  profile: "default",
  traceId: "t1",
  extra: {},
});

const base: DestructiveSqlOptions = {
  facets,
  onUnparseable: "deny",
  onUnverified: "allow",
  confirmArg: "confirm_destructive",
};

const context = (toolCall: ToolCall) => ({
  sessionId: "s1",
  profile: "default",
  traceId: "t1",
  extra: {},
  call: toolCall,
});

async function judge(
  args: Args,
  options: Partial<DestructiveSqlOptions> = {},
  toolName = "db_query_sql",
): Promise<Decision> {
  const hook = destructiveSql({ ...base, ...options });
  return (await hook.preToolUse?.(context(call(toolName, args)), toolName, args)) ?? { kind: "allow" };
}

const sql = (text: string, dialect?: string): Args =>
  dialect === undefined ? { sql: text } : { sql: text, dialect };

describe("prompts a person can act on", () => {
  test.each([
    ["DELETE FROM users", "DELETE from users — ALL ROWS (no WHERE)"],
    ["DELETE FROM users WHERE id = 3", "DELETE from users WHERE id = 3"],
    [
      "update public.users set a = (select 1 where true)",
      "UPDATE public.users set a = (select 1 where true) — ALL ROWS (no WHERE)",
    ],
    ["SELECT 1; DROP TABLE a, b; SELECT 2", "Statement 2 of 3: DROP TABLE a, b"],
    [
      "UPDATE t SET a=1 WHERE b=2; DELETE FROM u",
      "Statement 2 of 2: DELETE from u — ALL ROWS (no WHERE); also UPDATE t SET a=1 WHERE b=2",
    ],
    ["TRUNCATE TABLE t", "TRUNCATE t — ALL ROWS"],
    ["ALTER TABLE t ADD a int", "ALTER TABLE t ADD a int"],
    [
      "SELECT * INTO x FROM t",
      "SELECT * INTO x FROM t — SELECT .. INTO writes a table, a variable or a file",
    ],
    ["SELECT purge()", "SELECT purge() — the function purge() is not a builtin that only computes"],
    ["DROP INDEX i", "DROP INDEX i"],
    ["DELETE FROM t WHERE 1=1", "DELETE from t — ALL ROWS (WHERE 1=1 names no column)"],
    ["DELETE FROM t WHERE TRUE", "DELETE from t — ALL ROWS (WHERE TRUE names no column)"],
    ["DELETE /* WHERE id = 1 */ FROM t", "DELETE from t — ALL ROWS (no WHERE)"],
    [`DELETE FROM t /* WHERE id = 1 ${"x".repeat(300)} */ WHERE a > 0`, "DELETE from t WHERE a > 0"],
    ["DELETE FROM t -- WHERE id = 1\nWHERE a > 0", "DELETE from t WHERE a > 0"],
    ["DELETE FROM t USING u", "DELETE from t — ALL ROWS that the other table matches (no WHERE)"],
    ["UPDATE OR REPLACE t SET a = 1 WHERE a = 2", "UPDATE OR REPLACE t SET a = 1 WHERE a = 2"],
    [
      "UPDATE t x SET a = u.b, c = DEFAULT FROM u WHERE u.id = x.id RETURNING x.id",
      "UPDATE t SET a = u.b, c = DEFAULT FROM u WHERE u.id = x.id RETURNING x.id",
    ],
    ["UPDATE t SET a = 1 RETURNING a", "UPDATE t SET a = 1 — ALL ROWS (no WHERE)"],
    [
      "UPDATE users SET password = 'hush', role = 'admin', api_key = md5('a, b') || 'c' WHERE id = 1",
      "UPDATE users SET password = '…', role = 'admin', api_key = md5('…') || '…' WHERE id = 1",
    ],
    [
      `UPDATE users SET "Password_Hash" = "hush", a = "b" WHERE id = 1`,
      `UPDATE users SET "Password_Hash" = '…', a = "b" WHERE id = 1`,
    ],
    [
      "WITH u AS (UPDATE t SET a = 1 RETURNING *), v AS (SELECT * FROM w WHERE id = 3) SELECT 1",
      "UPDATE t SET a = 1 — ALL ROWS (no WHERE)",
    ],
    [
      "WITH d AS (DELETE FROM t WHERE a = 1 RETURNING *) SELECT * FROM d WHERE b = 2",
      "DELETE from t WHERE a = 1 RETURNING *",
    ],
    [
      "UPDATE t SET c = (SELECT max(d) FROM u WHERE u.e = 1)",
      "UPDATE t SET c = (SELECT max(d) FROM u WHERE u.e = 1) — ALL ROWS (no WHERE)",
    ],
    [
      "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2",
      "INSERT into t, UPDATE of rows that exist already",
    ],
    [
      "WITH x AS (SELECT 1) INSERT INTO t SELECT 1 ON CONFLICT (a) DO UPDATE SET a = 2",
      "INSERT into t, UPDATE of rows that exist already",
    ],
    [
      "TRUNCATE a, b CASCADE",
      "TRUNCATE a, b — ALL ROWS, and those of every table that refers to it (CASCADE)",
    ],
    ["DROP TABLE IF EXISTS a, b CASCADE", "DROP TABLE IF EXISTS a, b CASCADE"],
    ["ALTER USER bob PASSWORD 'hush'", "ALTER USER bob PASSWORD '…'"],
    ["GRANT ALL ON t TO bob", "GRANT ALL ON t TO bob — GRANT changes rights"],
    [
      "CREATE OR REPLACE VIEW v AS SELECT 1",
      "CREATE OR REPLACE VIEW v AS SELECT 1 — REPLACE removes what is there before",
    ],
    [
      "DELETE FROM a WHERE b=1; DROP TABLE c; DROP TABLE d; DROP TABLE e; DROP TABLE f",
      "Statement 2 of 5: DROP TABLE c; also DELETE from a WHERE b=1; DROP TABLE d; DROP TABLE e; and 1 more that must be approved",
    ],
  ])("%s", async (text, prompt) => {
    const decision = await judge(sql(text, "postgres"));
    expect(decision.kind === "ask" && decision.prompt).toBe(prompt);
  });

  test("of a long list of assignments, both ends are shown", async () => {
    const list = Array.from({ length: 90 }, (_, i) => `c${i} = ${i}`).join(", ");
    const decision = await judge(sql(`UPDATE t SET ${list}, role = 'admin' WHERE id = 7`, "postgres"));
    const prompt = decision.kind === "ask" ? decision.prompt : "";
    expect(prompt).toMatch(/^UPDATE t SET c0 = 0, .* … .*, role = 'admin' WHERE id = 7$/);
    expect(prompt.length).toBeLessThan(160);
  });

  test("without a separator another statement's condition is not this one's", async () => {
    const decision = await judge(sql("DELETE FROM t SELECT * FROM u WHERE id = 1", "tsql"));
    expect(decision.kind === "ask" && decision.prompt).toBe("DELETE from t — ALL ROWS (no WHERE)");
  });

  test("the end of a long condition is shown", async () => {
    const list = Array.from({ length: 90 }, (_, i) => i).join(", ");
    const decision = await judge(sql(`DELETE FROM t WHERE a IN (${list}) OR 1=1`, "postgres"));
    expect(decision.kind === "ask" && decision.prompt).toMatch(/WHERE a IN .* … .*OR 1=1$/);
  });

  test("no scope for a condition that names no column", async () => {
    const decision = await judge(sql("DELETE FROM t WHERE 1 = 1", "postgres"));
    expect(decision.kind === "ask" && decision.sessionScope).toBeUndefined();
    expect(decision).toMatchObject({ details: { has_where: false } });
  });

  test("details and confirm arguments", async () => {
    const decision = await judge(sql("SELECT 1; DELETE FROM a.users", "postgres"), { confirmArg: "yes" });
    expect(decision).toMatchObject({
      kind: "ask",
      confirmArgs: { yes: true },
      details: {
        op: "DELETE",
        kind: "ROWS",
        tables: ["a.users"],
        has_where: false,
        sql: "DELETE FROM a.users",
        dialect: "postgres",
        statement: 2,
      },
    });
  });
});

describe("verdicts", () => {
  test.each<[string, Args, Decision["kind"]]>([
    ["reading", sql("SELECT 1", "postgres"), "allow"],
    ["inserting", sql("INSERT INTO t VALUES (1)"), "allow"],
    ["empty", sql(""), "allow"],
    ["a whole database", sql("DROP DATABASE x"), "deny"],
    ["unparseable", sql("SELECT 'open", "postgres"), "deny"],
    ["a command", { command: `psql -c "DROP TABLE x"` }, "ask"],
    ["a file", { command: "psql -f x.sql" }, "ask"],
    ["a whole database in a command", { command: "ls; dropdb shop" }, "deny"],
    ["a reading command", { command: `psql -c "SELECT 1"` }, "allow"],
    ["no SQL", { command: "ls" }, "allow"],
    ["too long", sql(`SELECT '${"x".repeat(262_145)}'`), "ask"],
    ["consent is not judged here", { sql: "DELETE FROM t", confirm_destructive: true }, "ask"],
  ])("%s", async (_, args, kind) => expect((await judge(args)).kind).toBe(kind));

  test("the worst of several wins, and a deny is never hidden behind an ask", async () => {
    expect((await judge({ sql: "DELETE FROM t", command: "dropdb x" })).kind).toBe("deny");
    expect(
      (
        await judge(
          { sql: "SELECT 'open", command: `psql -c "DROP SCHEMA x"`, dialect: "postgres" },
          { onUnparseable: "ask" },
        )
      ).kind,
    ).toBe("deny");
  });

  test("on_unparseable = ask", async () => {
    expect((await judge(sql("SELECT 'open", "postgres"), { onUnparseable: "ask" })).kind).toBe("ask");
    expect(
      (await judge(sql("DROP DATABASE x; SELECT 'open", "postgres"), { onUnparseable: "ask" })).kind,
    ).toBe("deny");
  });

  test("a deny tells what to do instead", async () => {
    const hard = await judge(sql("DROP DATABASE x"));
    expect(hard.kind === "deny" && hard.reason).toMatch(
      /^DROP DATABASE is never run\. Drop the single objects/,
    );
    const unread = await judge(sql("SELECT 'open", "postgres"));
    expect(unread.kind === "deny" && unread.reason).toMatch(
      /cannot be read as postgres.*Send complete statements/,
    );
  });
});

describe("dialects", () => {
  const backslash = "SELECT '\\'; DELETE FROM t; -- '";
  test.each<[string, Args, Partial<DestructiveSqlOptions>, string, Decision["kind"]]>([
    [
      "configured wrongly against the client",
      { command: `psql <<'E'\n${backslash}\nE` },
      { configuredDialect: "bigquery" },
      "run",
      "ask",
    ],
    [
      "configured wrongly against the URL",
      sql("SELECT '\\'; DELETE FROM t; --'"),
      { configuredDialect: "bigquery", urlDialect: "postgres" },
      "db_query_sql",
      "ask",
    ],
    [
      "configured alone",
      sql("SELECT '\\'; DELETE FROM t; --'"),
      { configuredDialect: "bigquery" },
      "other_tool",
      "allow",
    ],
    [
      "the URL speaks for our own tool",
      sql("SELECT dbo.fn(1)"),
      { urlDialect: "tsql" },
      "db_query_sql",
      "allow",
    ],
    ["and for no other", sql("SELECT dbo.fn(1)"), { urlDialect: "tsql" }, "mcp__x__query", "ask"],
    [
      "a SQLite URL is judged as SQLite",
      sql("SELECT $$it's$$"),
      { urlDialect: "sqlite" },
      "db_query_sql",
      "deny",
    ],
    [
      "and another server's tool of that name is not ours",
      sql("SELECT dbo.fn(1)"),
      { urlDialect: "tsql" },
      "mcp_x_db_query_sql",
      "ask",
    ],
    [
      "configured, and the default URL",
      sql("SELECT E'it\\'s'"),
      { configuredDialect: "postgres", urlDialect: "sqlite" },
      "db_query_sql",
      "allow",
    ],
    [
      "a name nobody knows is every dialect",
      sql("SELECT '\\'; DELETE FROM t; --'", "klingon"),
      {},
      "x",
      "ask",
    ],
  ])("%s", async (_, args, options, tool, kind) =>
    expect((await judge(args, options, tool)).kind).toBe(kind),
  );
});

describe("session scope", () => {
  const key = async (text: string, options: Partial<DestructiveSqlOptions> = {}) => {
    const decision = await judge(sql(text, "postgres"), options);
    return decision.kind === "ask" ? decision.sessionScope?.key : "not an ask";
  };

  test("only for one UPDATE or DELETE with a WHERE", async () => {
    expect(await key("DELETE FROM t WHERE id = 1")).toBeDefined();
    for (const text of [
      "DELETE FROM t",
      "DROP TABLE t",
      "TRUNCATE t",
      "ALTER TABLE t ADD a int",
      "DELETE FROM t WHERE a = 1; DELETE FROM t WHERE a = 2",
      "WITH x AS (DELETE FROM t WHERE a = 1 RETURNING *) SELECT * FROM x",
      "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 1 WHERE t.a = 2",
    ]) {
      expect(await key(text), text).toBeUndefined();
    }
  });

  test.each([
    ["another value", "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 2", true],
    [
      "another text value",
      "UPDATE t SET a = 1 WHERE name = 'a' AND b = 2",
      "UPDATE t SET a = 1 WHERE name = 'b' AND b = 3",
      true,
    ],
    ["blanks and comments", "DELETE FROM t WHERE id = 1", "delete  from t /* x */ where ID = 2", true],
    ["another operator", "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id > 1", false],
    ["a value behind another operator", "DELETE FROM t WHERE id > 1", "DELETE FROM t WHERE id > 2", false],
    ["another table", "DELETE FROM t WHERE id = 1", "DELETE FROM u WHERE id = 1", false],
    ["another column", "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE no = 1", false],
    ["a wider predicate", "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 1 OR 1 = 1", false],
    [
      "literals compared with each other",
      "DELETE FROM t WHERE id > 3 AND 1 = 0",
      "DELETE FROM t WHERE id > 3 AND 1 = 1",
      false,
    ],
    ["another SET", "UPDATE t SET a = 1 WHERE id = 1", "UPDATE t SET a = 2 WHERE id = 1", false],
    ["a value that is computed on", "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 1 + 1", false],
    ["another type", "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = '1'", false],
    ["a backslash", "DELETE FROM t WHERE a = 'x'", "DELETE FROM t WHERE a = 'x\\'", false],
  ])("%s", async (_, first, second, same) => {
    expect((await key(first)) === (await key(second))).toBe(same);
  });

  test("another database is another scope", async () => {
    const text = "DELETE FROM t WHERE id = 1";
    expect(await key(text, { database: "a" })).not.toBe(await key(text, { database: "b" }));
  });
});

const silent: SecondOpinion = {
  judge: async () => "agrees",
  read: async () => undefined,
  warmUp: async () => undefined,
};

/** A dialect as the call or the client has it, one as a person has configured it, and which name the parser is asked with. */
describe("the name that decides whether a parser is the engine's own", () => {
  test.each([
    ["postgres", undefined, "postgres"],
    ["cockroachdb", undefined, "cockroachdb"],
    ["postgres", "cockroachdb", "cockroachdb"],
    ["cockroachdb", "postgres", "cockroachdb"],
    ["psql", "yugabyte", "yugabyte"],
    ["sqlite3", "turso", "turso"],
  ])("%s, configured %s → %s", async (named, configured, expected) => {
    const asked: string[] = [];
    const secondOpinion: SecondOpinion = {
      ...silent,
      judge: async (_text, dialect) => {
        asked.push(dialect);
        return "agrees";
      },
    };
    await judge(
      { sql: "SELECT 1", dialect: named },
      { secondOpinion, ...(configured === undefined ? {} : { configuredDialect: configured }) },
    );
    expect(asked).toEqual([expected]);
  });

  test("the configured dialect's parser is made ready with the first call of any tool, once", async () => {
    const warmed: string[] = [];
    const secondOpinion: SecondOpinion = {
      ...silent,
      warmUp: async (dialect) => void warmed.push(dialect),
    };
    const hook = destructiveSql({ ...base, secondOpinion, configuredDialect: "postgres" });
    expect(warmed).toEqual([]);
    for (let turn = 0; turn < 3; turn++)
      await hook.preToolUse?.(context(call("read_file", {})), "read_file", {});
    expect(warmed).toEqual(["postgres"]);
  });
});

describe("a text that is too long to be read here", () => {
  const long = (head: string, length = 9_000) => `${head} -- ${"x".repeat(length)}`;
  const none: SecondOpinion = { ...silent, read: async () => undefined };

  test.each([
    ["no answer", long("SELECT 1"), "ask"],
    ["no answer, and the words are there", long("SELECT 1; DROP /* */ SCHEMA s"), "deny"],
    ["no answer, the words in a comment", `${long("SELECT 1")} drop database`, "deny"],
    ["short", "SELECT 1", "allow"],
  ])("%s → %s", async (_, text, kind) => {
    expect((await judge(sql(text, "postgres"), { secondOpinion: none })).kind).toBe(kind);
  });

  test("the answer counts, and only one whose length needs it is asked for", async () => {
    const read: string[] = [];
    const secondOpinion: SecondOpinion = {
      ...silent,
      read: async (text, dialects) => {
        read.push(text);
        return classifySql(text, { dialect: dialects });
      },
    };
    expect((await judge(sql(long("DELETE FROM t"), "mysql"), { secondOpinion })).kind).toBe("ask");
    expect((await judge(sql(long("DROP DATABASE d"), "mysql"), { secondOpinion })).kind).toBe("deny");
    expect((await judge(sql(long("SELECT 1"), "mysql"), { secondOpinion })).kind).toBe("allow");
    expect(read).toHaveLength(3);
    await judge(sql("DELETE FROM t", "mysql"), { secondOpinion });
    await judge(sql(long("SELECT 1", 300_000), "mysql"), { secondOpinion });
    expect(read).toHaveLength(3);
  });
});

describe("second opinion", () => {
  const says = (opinion: "agrees" | "stricter" | "refuses-exact" | "unverified") => ({
    secondOpinion: { ...silent, judge: async () => opinion },
  });
  const text = sql("SELECT 1", "postgres");

  test.each([
    ["agrees", {}, "allow"],
    ["stricter", {}, "ask"],
    ["refuses-exact", {}, "deny"],
    ["refuses-exact", { onUnparseable: "ask" }, "ask"],
    ["unverified", {}, "allow"],
    ["unverified", { onUnverified: "ask" }, "ask"],
    ["unverified", { onUnverified: "deny" }, "deny"],
  ] as const)("%s %j → %s", async (opinion, options, kind) => {
    expect((await judge(text, { ...says(opinion), ...options })).kind).toBe(kind);
  });

  test("unverified is a finding, and the database binds an allow too", async () => {
    const decision = await judge(text, { ...says("unverified"), database: "digest" });
    expect(decision.findings?.[0]?.code).toBe("unverified");
    expect(decision.binding).toEqual({ database: "digest" });
  });

  test("it is never asked about what the rules do not allow", async () => {
    let asked = 0;
    const secondOpinion = {
      ...silent,
      judge: async () => {
        asked++;
        return "agrees" as const;
      },
    };
    await judge(sql("DELETE FROM t", "postgres"), { secondOpinion });
    expect(asked).toBe(0);
  });
});
