import { describe, expect, test } from "vitest";
import { listEffective } from "../../../src/core/rules/effectiveDiff";
import { readEnvironment } from "../../../src/core/rules/environment";
import { type KeyPath, readKey } from "../../../src/core/rules/keyRules";
import { effective, type LayersInput } from "../../../src/core/rules/layers";
import { checkLocks } from "../../../src/core/rules/locks";
import { defaultConfig, libraryLayer } from "../../../src/core/rules/schema";
import { dialectNames } from "../../../src/core/rules/schemaOptions";
import { userLayerFrom } from "../../../src/core/rules/userLayer";
import { findDialect } from "../../../src/core/sql/dialects";

interface Row {
  readonly what: string;
  readonly input: Omit<LayersInput, "environmentMode"> & { environmentMode?: "full" };
  readonly key: KeyPath;
  readonly value: unknown;
  readonly origin: string;
  readonly notes: readonly string[];
}

const row = (
  what: string,
  input: Row["input"],
  key: KeyPath,
  value: unknown,
  ...[origin, notes = []]: [origin: string, notes?: readonly string[]]
): Row => ({ what, input, key, value, origin, notes });

const OUTSIDE = "chain.options.path_allowlist.outside";
const SQL_TOOLS = "chain.options.destructive_sql.tools";
const deny = { chain: { options: { path_allowlist: { outside: "deny" } } } } as const;
const ask = { chain: { options: { path_allowlist: { outside: "ask" } } } } as const;
const off = { chain: { enabled: false } } as const;
const extra = (...paths: string[]) => ({ chain: { path_allowlist_extra: paths } });
const tools = (map: Record<string, string>) => ({ chain: { options: { destructive_sql: { tools: map } } } });
const rows = (max_rows: number) => ({ database: { max_rows } });

const table: readonly Row[] = [
  row("defaults", {}, OUTSIDE, "ask", "default"),
  row("user over default", { user: deny }, OUTSIDE, "deny", "user"),
  row("workspace tightens", { workspace: deny }, OUTSIDE, "deny", "workspace"),
  row("workspace may not loosen the user", { user: deny, workspace: ask }, OUTSIDE, "deny", "user", [
    "waits",
  ]),
  row("unless accepted", { user: deny, workspace: ask, accepted: ask }, OUTSIDE, "ask", "workspace"),
  row(
    "and not locked",
    { user: deny, workspace: ask, accepted: ask, locked: [OUTSIDE] },
    OUTSIDE,
    "deny",
    "user",
    ["locked"],
  ),
  row(
    "a table locks its keys",
    { user: deny, workspace: ask, accepted: ask, locked: ["chain.options"] },
    OUTSIDE,
    "deny",
    "user",
    ["locked"],
  ),
  row("a lock leaves tightening free", { workspace: deny, locked: ["*"] }, OUTSIDE, "deny", "workspace"),
  row(
    "a lock is no prefix of letters",
    { user: deny, workspace: ask, accepted: ask, locked: ["chain.options.path_allowlist.out"] },
    OUTSIDE,
    "ask",
    "workspace",
  ),
  row(
    "stricter than accepted applies",
    { workspace: rows(2000), accepted: rows(5000) },
    "database.max_rows",
    2000,
    "workspace",
  ),
  row(
    "looser than accepted waits",
    { workspace: rows(9000), accepted: rows(5000) },
    "database.max_rows",
    1000,
    "default",
    ["waits"],
  ),
  row(
    "another key's acceptance is none",
    { workspace: off, accepted: rows(5000) },
    "chain.enabled",
    true,
    "default",
    ["waits"],
  ),
  row(
    "paths are joined",
    { user: extra("/a"), workspace: extra("/b"), accepted: extra("/b") },
    "chain.path_allowlist_extra",
    ["/a", "/b"],
    "workspace",
  ),
  row(
    "paths of a workspace wait",
    { user: extra("/a"), workspace: extra("/b") },
    "chain.path_allowlist_extra",
    ["/a"],
    "user",
    ["waits"],
  ),
  row(
    "redact keys are joined",
    { user: { audit: { redact: ["a"] } }, workspace: { audit: { redact: ["b", "a"] } } },
    "audit.redact",
    ["a", "b"],
    "workspace",
  ),
  row(
    "redact keys that hide what is judged wait, the others apply",
    { user: { audit: { redact: ["a", "url"] } }, workspace: { audit: { redact: ["b", "command", "url"] } } },
    "audit.redact",
    ["a", "url", "b"],
    "workspace",
    ["waits"],
  ),
  row(
    "exemptions wait",
    { workspace: { audit: { redact_exempt: ["token"] } } },
    "audit.redact_exempt",
    [],
    "default",
    ["waits"],
  ),
  row(
    "a log elsewhere waits",
    { workspace: { audit: { path: "storage/x.jsonl" } } },
    "audit.path",
    "storage/{profile}/audit.jsonl",
    "default",
    ["waits"],
  ),
  row(
    "a workspace adds a mapping",
    { workspace: tools({ run: "q" }) },
    SQL_TOOLS,
    { db_query_sql: "sql", run: "q" },
    "workspace",
  ),
  row(
    "and never changes one, accepted or not",
    { workspace: tools({ db_query_sql: "note", run: "q" }), accepted: tools({ db_query_sql: "note" }) },
    SQL_TOOLS,
    { db_query_sql: "sql", run: "q" },
    "workspace",
    ["mapped"],
  ),
  row(
    "the same mapping again is no change",
    { workspace: tools({ db_query_sql: "sql" }) },
    SQL_TOOLS,
    { db_query_sql: "sql" },
    "default",
  ),
  row(
    "a user may change one",
    { user: tools({ db_query_sql: "statement" }) },
    SQL_TOOLS,
    { db_query_sql: "statement" },
    "user",
  ),
  row(
    "a mapping of the user is not the workspace's to change",
    { user: tools({ run: "q" }), workspace: tools({ run: "note" }) },
    SQL_TOOLS,
    { db_query_sql: "sql", run: "q" },
    "user",
    ["mapped"],
  ),
  row(
    "the environment tightens",
    { user: off, environment: { chain: { enabled: true } } },
    "chain.enabled",
    true,
    "environment",
  ),
  row("and does not loosen at a door", { environment: off }, "chain.enabled", true, "default", [
    "environment",
  ]),
  row(
    "but does in the library",
    { environment: off, environmentMode: "full" },
    "chain.enabled",
    false,
    "environment",
  ),
  row(
    "where locks still hold",
    { environment: off, environmentMode: "full", locked: ["chain.enabled"] },
    "chain.enabled",
    true,
    "default",
    ["locked"],
  ),
  row(
    "its paths are not taken at a door",
    { environment: extra("/x") },
    "chain.path_allowlist_extra",
    [],
    "default",
    ["environment"],
  ),
  row(
    "and joined in the library",
    { user: extra("/a"), environment: extra("/x"), environmentMode: "full" },
    "chain.path_allowlist_extra",
    ["/a", "/x"],
    "environment",
  ),
  row(
    "consent by arguments is the library's",
    { user: libraryLayer },
    "chain.options.destructive_sql.consent",
    "args",
    "user",
  ),
  row(
    "quota on with a high limit tightens",
    { workspace: { chain: { quota: true, options: { quota: { calls: 9999, per: "minute" } } } } },
    "chain.options.quota.calls",
    9999,
    "workspace",
  ),
  row(
    "a higher limit of a quota that is on waits",
    { user: { chain: { quota: true } }, workspace: { chain: { options: { quota: { calls: 9999 } } } } },
    "chain.options.quota.calls",
    1000,
    "default",
    ["waits"],
  ),
  row(
    "the quota's off waits",
    {
      user: { chain: { quota: true } },
      workspace: { chain: { quota: false, options: { quota: { calls: 5 } } } },
    },
    "chain.options.quota.calls",
    5,
    "workspace",
    ["waits"],
  ),
];

describe("layers", () => {
  test.each(table)("$what", ({ input, key, value, origin, notes }) => {
    const { config, origins, notes: found } = effective({ environmentMode: "tighten", ...input });
    const at = readKey(config, key);
    expect(typeof at === "object" && at !== null && !Array.isArray(at) ? { ...at } : at).toEqual(value);
    expect(origins.get(key)).toBe(origin);
    expect(found.map(({ kind }) => kind)).toEqual(notes);
  });

  test("nothing set gives the defaults", () => {
    expect(effective({ environmentMode: "tighten" }).config).toEqual(defaultConfig);
  });

  test("a tool called like a property of objects is mapped only where somebody mapped it", () => {
    const { config } = effective({ environmentMode: "tighten" });
    expect(config.chain.options.destructive_sql.tools.toString).toBeUndefined();
  });

  test("origins are named per item", () => {
    const { origins } = effective({
      user: extra("/a"),
      workspace: tools({ run: "q" }),
      environmentMode: "tighten",
    });
    expect(origins.get("chain.path_allowlist_extra[/a]")).toBe("user");
    expect(origins.get(`${SQL_TOOLS}.run`)).toBe("workspace");
    expect(origins.get(`${SQL_TOOLS}.db_query_sql`)).toBe("default");
  });

  test("the list of what is in force names each value, its origin and what waits", () => {
    const lines = listEffective(effective({ user: extra("/a"), workspace: off, environmentMode: "tighten" }));
    expect(lines).toContain('chain.path_allowlist_extra = ["/a"]  # user');
    expect(lines).toContain("chain.enabled = true  # default");
    expect(lines).toContain(`${SQL_TOOLS}.db_query_sql = "sql"  # default`);
    expect(lines).toContain("# chain.options.destructive_sql.dialect is not set");
    expect(lines.at(-1)).toBe("# chain.enabled (workspace) loosens and waits until a person accepts it");
  });
});

describe("rules", () => {
  const no = { name: "no", handlers: [{ type: "deny" as const, reason: "closed" }] };
  const run = {
    name: "run",
    handlers: [{ type: "command" as const, command: "./check.sh" }, { type: "deny" as const }],
  };
  const denying = { name: "run", handlers: [{ type: "deny" as const }] };
  const workspace = { hooks: { pre_tool_call: [run, no] } };
  const rulesOf = (more: Partial<LayersInput>) => {
    const { config, notes } = effective({ environmentMode: "tighten", workspace, ...more });
    return [config.hooks.pre_tool_call, notes.map(({ key, kind }) => [key, kind])];
  };

  test.each([
    ["nobody accepted: only denials apply", {}, [[denying, no], [["hooks.pre_tool_call", "waits"]]]],
    ["accepted: all apply, once", { accepted: workspace }, [[run, no], []]],
    [
      "locked, accepted or not: only denials apply",
      { accepted: workspace, locked: ["hooks"] },
      [[denying, no], [["hooks.pre_tool_call", "locked"]]],
    ],
    [
      "another file accepted: only denials apply",
      { accepted: { hooks: { pre_tool_call: [no] } } },
      [[denying, no], [["hooks.pre_tool_call", "waits"]]],
    ],
    [
      "what was accepted and taken away by the file is not put back by the layer",
      { workspace: { hooks: { pre_tool_call: [no] } }, accepted: workspace },
      [[no], []],
    ],
  ] as const)("%s", (_what, more, expected) => {
    expect(rulesOf(more as Partial<LayersInput>)).toEqual(expected);
  });
});

describe("the environment", () => {
  const C = "COUNTERSIGN__HOOKS__";
  const D = "DATAMIND__HOOKS__";
  const yes = ["true", "1", "yes", "on", "t", "y", "TRUE", "Yes", "oN"].map((word) => [word, true] as const);
  const no = ["false", "0", "no", "off", "f", "n", "FALSE", "No", "oFF"].map(
    (word) => [word, false] as const,
  );
  test.each([...yes, ...no])("%s is %s", (word, value) => {
    expect(readEnvironment({ [`${D}ENABLED`]: word })).toEqual({
      ok: true,
      value: { chain: { enabled: value } },
    });
  });

  const good: readonly (readonly [Record<string, string | undefined>, object])[] = [
    [{}, {}],
    [{ PATH: "/bin", [`${D}OTHER`]: "x", COUNTERSIGN_NODE: "/bin/node" }, {}],
    [{ [`${C}ENABLED`]: undefined }, {}],
    [
      { [`${C}DESTRUCTIVE_SQL`]: "0", [`${C}PATH_ALLOWLIST`]: "1" },
      { chain: { destructive_sql: false, path_allowlist: true } },
    ],
    [
      { [`${C}AUDIT_LOG`]: "n", [`${C}SELF_PROTECTION`]: "y" },
      { chain: { audit_log: false, self_protection: true } },
    ],
    [{ countersign__hooks__enabled: "off" }, { chain: { enabled: false } }],
    [{ CounterSign__Hooks__Enabled: "off", [`${C}ENABLED`]: "off" }, { chain: { enabled: false } }],
    [{ [`${C}ENABLED`]: "1", [`${D}ENABLED`]: "0" }, { chain: { enabled: true } }],
    [{ [`${D}ENABLED`]: "1", [`${C}ENABLED`]: "0" }, { chain: { enabled: false } }],
    [{ [`${D}PATH_ALLOWLIST_EXTRA`]: "[]" }, { chain: { path_allowlist_extra: [] } }],
    [
      { [`${D}PATH_ALLOWLIST_EXTRA`]: '["/data/customer-a", "/srv/uploads"]' },
      { chain: { path_allowlist_extra: ["/data/customer-a", "/srv/uploads"] } },
    ],
  ];
  test.each(good)("%j", (env, value) => {
    expect(readEnvironment(env)).toEqual({ ok: true, value });
  });

  const bad: readonly (readonly [Record<string, string>, string])[] = [
    [{ [`${C}ENABLED`]: "ture" }, "COUNTERSIGN__HOOKS__ENABLED: must be true or false"],
    [{ [`${C}ENABLED`]: "" }, "COUNTERSIGN__HOOKS__ENABLED: must be true or false"],
    [{ [`${C}ENABLED`]: " true" }, "COUNTERSIGN__HOOKS__ENABLED: must be true or false"],
    [{ [`${D}AUDIT_LOG`]: "2" }, "DATAMIND__HOOKS__AUDIT_LOG: must be true or false"],
    [
      { [`${D}PATH_ALLOWLIST_EXTRA`]: "/srv" },
      "DATAMIND__HOOKS__PATH_ALLOWLIST_EXTRA: must be a JSON list of paths",
    ],
    [
      { [`${D}PATH_ALLOWLIST_EXTRA`]: '{"a":1}' },
      "DATAMIND__HOOKS__PATH_ALLOWLIST_EXTRA: must be a JSON list of paths",
    ],
    [
      { [`${D}PATH_ALLOWLIST_EXTRA`]: "[1]" },
      "DATAMIND__HOOKS__PATH_ALLOWLIST_EXTRA: must be a JSON list of paths",
    ],
    [
      { [`${D}PATH_ALLOWLIST_EXTRA`]: '[""]' },
      "DATAMIND__HOOKS__PATH_ALLOWLIST_EXTRA: must be a JSON list of paths",
    ],
    [{ [`${C}DESTRUCTIVE_SLQ`]: "true" }, "COUNTERSIGN__HOOKS__DESTRUCTIVE_SLQ: no such variable"],
    [
      { [`${C}ENABLED`]: "1", countersign__hooks__enabled: "0" },
      "countersign__hooks__enabled: is set twice, in different spellings and with different values",
    ],
  ];
  test.each(bad)("%j is an error", (env, message) => {
    const read = readEnvironment(env);
    expect(read.ok ? [] : read.problems.map((p) => p.message)).toEqual([message]);
    expect(read.ok ? [] : read.problems.map((p) => p.suggestion === undefined)).toEqual([false]);
  });
  test("a misspelt name is recognised", () => {
    const read = readEnvironment({ [`${C}DESTRUCTIVE_SLQ`]: "true" });
    expect(read.ok || read.problems[0]?.suggestion).toBe("did you mean COUNTERSIGN__HOOKS__DESTRUCTIVE_SQL?");
  });
});

describe("the editor's settings", () => {
  test("each is checked by itself; a wrong one gives way to the strictest value there is", () => {
    const set: Partial<Record<KeyPath, unknown>> = {
      "chain.enabled": "no",
      [OUTSIDE]: "Deny",
      "database.max_rows": 0,
      "audit.redact": ["pin"],
      "chain.options.destructive_sql.tools": { run: "q" },
    };
    const { user, problems } = userLayerFrom((key) => set[key]);
    expect(user).toEqual({
      chain: {
        enabled: true,
        options: { path_allowlist: { outside: "deny" }, destructive_sql: { tools: { run: "q" } } },
      },
      audit: { redact: ["pin"] },
    });
    expect(problems.map((p) => p.message.split(":")[0])).toEqual([
      "countersign.chain.enabled",
      `countersign.${OUTSIDE}`,
      "countersign.database.max_rows",
    ]);
  });
  test("a lock that names no key is reported", () => {
    expect(checkLocks(["*", "chain", "chain.options.quota", "database.url"], "settings")).toEqual([]);
    expect(checkLocks(["database.ulr"], "settings")).toMatchObject([
      { code: "config.unknown_key", suggestion: "did you mean `database.url`?" },
    ]);
  });
});

describe("dialects", () => {
  test.each(dialectNames.filter((name) => name !== "generic" && name !== "unknown"))(
    "the SQL guard knows %s",
    (name) => {
      expect(findDialect(name)).toBeDefined();
    },
  );
});
