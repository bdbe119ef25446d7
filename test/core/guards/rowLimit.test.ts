import { describe, expect, test } from "vitest";
import { createReadFacets } from "../../../src/agents/toolFacts";
import type { Args } from "../../../src/core/call";
import { HookChain } from "../../../src/core/chain";
import { Allow, Deny } from "../../../src/core/decision";
import { contextOf, evaluate } from "../../../src/core/evaluate";
import { destructiveSql } from "../../../src/core/guards/destructiveSql";
import { buildChain } from "../../../src/core/guards/registry";
import { type RowLimitHookOptions, rowLimit } from "../../../src/core/guards/rowLimit";
import type { Hook } from "../../../src/core/hook";
import { imaginedFileSystem } from "../../../src/core/paths/imaginedFileSystem";
import { configSchema } from "../../../src/core/rules/schema";
import { call, fakeClock, quietLog, sha256 } from "../fixtures";

const tools = { db_query_sql: "sql", mcp__shop__ask: "query" };
const facets = createReadFacets({ extraSqlTools: tools });
const ALL = "SELECT * FROM t";

interface Asked {
  readonly tool?: string;
  readonly options?: Partial<RowLimitHookOptions>;
  readonly dialect?: string;
}

async function rewritten(
  args: Args,
  { tool = "db_query_sql", options = {}, dialect }: Asked = {},
): Promise<unknown> {
  const hook = rowLimit({ facets, tools, max: 5, urlDialect: "sqlite", ...options });
  const c = call(tool, args, dialect === undefined ? {} : { extra: { dialect } });
  const decision = await hook.preToolUse?.(contextOf(c), tool, args);
  expect(["rewrite", undefined]).toContain(decision?.kind);
  return decision?.kind === "rewrite" ? decision.patch.input : undefined;
}

describe("row_limit rewrites a query of the tools that the configuration names", () => {
  const rows: readonly (readonly [what: string, args: Args, asked: Asked, expected: Args | undefined])[] = [
    ["the own tool, by the URL", { sql: ALL }, {}, { sql: `${ALL} LIMIT 5` }],
    ["other arguments stay", { sql: ALL, note: "x" }, {}, { sql: `${ALL} LIMIT 5`, note: "x" }],
    ["a dialect the call names", { sql: ALL }, { dialect: "mssql" }, { sql: "SELECT TOP (5) * FROM t" }],
    [
      "a dialect among the arguments",
      { sql: ALL, dialect: "oracle" },
      {},
      { sql: `${ALL} FETCH FIRST 5 ROWS ONLY`, dialect: "oracle" },
    ],
    [
      "a configured dialect beside an equal one",
      { sql: ALL },
      { options: { configuredDialect: "duckdb" } },
      { sql: `${ALL} LIMIT 5` },
    ],
    ["two dialects that differ", { sql: ALL }, { options: { configuredDialect: "tsql" } }, undefined],
    ["an unknown dialect named", { sql: ALL }, { dialect: "foxpro" }, undefined],
    [
      "an unknown dialect beside a known one",
      { sql: ALL },
      { dialect: "foxpro", options: { configuredDialect: "sqlite" } },
      undefined,
    ],
    ["no dialect at all", { sql: ALL }, { options: { urlDialect: "" } }, undefined],
    ["a mapped tool has a database of its own", { query: ALL }, { tool: "mcp__shop__ask" }, undefined],
    [
      "a mapped tool, dialect configured",
      { query: ALL },
      { tool: "mcp__shop__ask", options: { configuredDialect: "postgres" } },
      { query: `${ALL} LIMIT 5` },
    ],
    [
      "a tool nobody mapped",
      { sql: ALL },
      { tool: "mcp__other__query", options: { configuredDialect: "postgres" } },
      undefined,
    ],
    [
      "a terminal command",
      { command: `sqlite3 x.db '${ALL}'` },
      { tool: "Bash", dialect: "sqlite" },
      undefined,
    ],
    ["a limit of its own", { sql: `${ALL} LIMIT 9` }, {}, undefined],
    ["a text in a list", { sql: [ALL] }, {}, undefined],
    ["no text", { sql: 7 }, {}, undefined],
    ["no argument", {}, {}, undefined],
  ];
  test.each(rows)("%s", async (_what, args, asked, expected) => {
    expect(await rewritten(args, asked)).toEqual(expected);
  });

  const sized = (length: number) => `${ALL} WHERE a = '${"x".repeat(length - ALL.length - 13)}'`;
  test.each([
    [8192, "rewrite", "row_limit"],
    [8193, "allow", "row_limit_too_long"],
    [300_000, "allow", "row_limit_too_long"],
  ])("a text of %i characters: %s", async (length, kind, code) => {
    const args = { sql: sized(length) };
    expect(args.sql).toHaveLength(length);
    const hook = rowLimit({ facets, tools, max: 5, urlDialect: "sqlite" });
    const decision = await hook.preToolUse?.(contextOf(call("db_query_sql", args)), "db_query_sql", args);
    expect(decision).toMatchObject({ kind, findings: [{ code }] });
  });

  test("a long text that is no query's argument is nobody's business", async () => {
    const args = { sql: sized(9000) };
    const hook = rowLimit({ facets, tools, max: 5, urlDialect: "sqlite" });
    expect(await hook.preToolUse?.(contextOf(call("Bash", args)), "Bash", args)).toBeUndefined();
  });

  test.each([0, -1, 1.5, Number.NaN])("a limit of %s is refused", (max) => {
    expect(() => rowLimit({ facets, tools, max })).toThrow(RangeError);
  });
});

describe("in the chain", () => {
  const judged: string[] = [];
  const watching: Hook = {
    name: "watching",
    guard: true,
    preToolUse: (_ctx, _tool, args) => {
      judged.push(String(args.sql));
      return String(args.sql).includes("LIMIT 5") && String(args.sql).includes("secret")
        ? Deny("no")
        : Allow();
    },
  };
  const sqlGuard = destructiveSql({
    facets,
    onUnparseable: "deny",
    onUnverified: "allow",
    confirmArg: "confirm_destructive",
    urlDialect: "sqlite",
  });
  const judge = (hooks: readonly Hook[], sql: string) => {
    judged.length = 0;
    return evaluate(call("db_query_sql", { sql }), {
      chain: new HookChain({ clock: fakeClock(), log: quietLog }, hooks),
      clock: fakeClock(),
      hasher: sha256,
      enabled: true,
      consent: "human",
      confirmKeys: ["confirm_destructive"],
      nonce: "n",
    });
  };
  const limit = rowLimit({ facets, tools, max: 5, urlDialect: "sqlite" });

  test.each([
    ["last", [watching, sqlGuard, limit]],
    ["first", [limit, watching, sqlGuard]],
  ] as const)("%s: every guard judges the text that will run", async (_place, hooks) => {
    const evaluation = await judge(hooks, ALL);
    expect(evaluation).toMatchObject({ kind: "rewrite", by: "row_limit", args: { sql: `${ALL} LIMIT 5` } });
    expect(judged.at(-1)).toBe(`${ALL} LIMIT 5`);
    const again = evaluation.trail.filter((entry) => entry.stage === "recheck").map((entry) => entry.by);
    expect(again).toEqual(["watching", "destructive_sql"]);
    expect(evaluation.contexts.join()).toContain("At most 5 rows");
  });

  test("a guard that refuses the new text has the last word", async () => {
    expect(await judge([watching, limit], "SELECT * FROM secret")).toMatchObject({
      kind: "deny",
      by: "watching",
    });
    expect(judged).toEqual(["SELECT * FROM secret", "SELECT * FROM secret LIMIT 5"]);
  });

  test("what is asked is asked of the new text", async () => {
    const evaluation = await judge([sqlGuard, limit], `DELETE FROM t WHERE id = 1; ${ALL}`);
    expect(evaluation).toMatchObject({
      kind: "ask",
      args: { sql: `DELETE FROM t WHERE id = 1; ${ALL} LIMIT 5` },
    });
    const shown = await judge([sqlGuard, limit], "SELECT unheard_of(a) FROM t");
    expect(JSON.stringify(shown.ask?.details)).toContain("FROM t LIMIT 5");
  });

  const built = (chain: object) =>
    buildChain({
      config: configSchema.parse({ chain }),
      clock: fakeClock(),
      log: quietLog,
      hasher: sha256,
      facets,
      fileSystem: () => imaginedFileSystem({ os: "linux", home: "/home/a", files: {} } as never),
      roots: () => ["/ws"],
      tempFolders: [],
      opensDatabase: "yes",
    }).names();

  test("both are off by default, stand where the order says, and keep their places", () => {
    expect(built({})).not.toContain("row_limit");
    expect(built({})).not.toContain("read_only");
    const on = { row_limit: true, read_only: true, quota: true };
    expect(built(on)).toEqual([
      "path_allowlist",
      "read_only",
      "destructive_sql",
      "shell",
      "self_protection",
      "egress",
      "quota",
      "row_limit",
      "engine_refusal",
    ]);
    expect(built({ ...on, order: ["row_limit", "quota"] }).slice(0, 3)).toEqual([
      "row_limit",
      "quota",
      "path_allowlist",
    ]);
  });
});
