import { describe, expect, test } from "vitest";
import { diffEffective } from "../../../src/core/rules/effectiveDiff";
import { type KeyPath, keyPaths, writeKey } from "../../../src/core/rules/keyRules";
import { type Config, configSchema, defaultConfig } from "../../../src/core/rules/schema";
import { keysOf } from "../../../src/core/rules/schemaWalk";
import { type Change, tightens } from "../../../src/core/rules/tightens";

/** From value, to value, what the change is; further keys that both sides have. */
type Row = readonly [
  before: unknown,
  after: unknown,
  change: Change,
  both?: Partial<Record<KeyPath, unknown>>,
];

const on: readonly Row[] = [
  [false, true, "tighter"],
  [true, false, "looser"],
  [true, true, "same"],
];
const quotaOn = { "chain.quota": true };

const denyAll = { handlers: [{ type: "deny" }] };
const denyDrop = { matcher: "db_.*", arg: { sql: "(?i)drop" }, handlers: [{ type: "deny", reason: "no" }] };
const runs = { name: "check", handlers: [{ type: "command", command: "./check.sh" }] };
const both = { handlers: [{ type: "deny" }, { type: "http", url: "https://a.example" }] };

/** The same for every event. */
const ruleRows: readonly Row[] = [
  [[], [denyAll], "tighter"],
  [[], [denyAll, denyDrop], "tighter"],
  [[runs], [denyAll, runs, denyDrop], "tighter"],
  [[], [runs], "looser"],
  [[], [both], "looser"],
  [[denyAll], [], "looser"],
  [[denyAll, denyDrop], [denyDrop, denyAll], "looser"],
  [[denyDrop], [{ ...denyDrop, matcher: "db_query" }], "looser"],
  [[runs], [{ ...runs, name: "other" }], "looser"],
  [[runs, denyAll], [runs, denyAll], "same"],
  [[denyDrop], [{ handlers: denyDrop.handlers, arg: denyDrop.arg, matcher: denyDrop.matcher }], "same"],
];

const rows: Readonly<Record<KeyPath, readonly Row[]>> = {
  version: [[1, 1, "same"]],
  "chain.enabled": on,
  "chain.path_allowlist": on,
  "chain.destructive_sql": on,
  "chain.shell": on,
  "chain.self_protection": on,
  "chain.egress": on,
  "chain.options.egress.known": [
    [[], ["a.example"], "looser"],
    [["a.example", "b.example"], ["a.example"], "tighter"],
    [["a.example"], ["a.example"], "same"],
  ],
  "chain.audit_log": on,
  "chain.quota": on,
  "chain.row_limit": on,
  "chain.read_only": on,
  "chain.path_allowlist_extra": [
    [[], ["/srv"], "looser"],
    [["/srv", "/a"], ["/srv"], "tighter"],
    [["/srv"], ["/srv/inner"], "looser"],
    [["/srv"], ["/srv"], "same"],
  ],
  "chain.order": [
    [[], ["quota"], "looser"],
    [["quota"], [], "looser"],
    [["a", "b"], ["b", "a"], "looser"],
    [["a"], ["a"], "same"],
  ],
  "chain.options.path_allowlist.tools": [
    [{ a: "path" }, { a: "path", b: "file" }, "tighter"],
    [{ a: "path" }, { a: "note" }, "looser"],
    [{ a: "path" }, {}, "looser"],
    [{ a: "path" }, { a: "note", b: "file" }, "looser"],
    [{ a: "path", b: "x" }, { b: "x", a: "path" }, "same"],
  ],
  "chain.options.path_allowlist.outside": [
    ["ask", "deny", "tighter"],
    ["deny", "ask", "looser"],
  ],
  "chain.options.destructive_sql.tools": [
    [{ q: "sql" }, { q: "sql", r: "query" }, "tighter"],
    [{ q: "sql" }, { q: "comment" }, "looser"],
    [{ q: "sql" }, { r: "sql" }, "looser"],
  ],
  "chain.options.destructive_sql.dialect": [
    [undefined, "sqlite", "looser"],
    ["sqlite", undefined, "looser"],
    ["sqlite", "mysql", "looser"],
    ["sqlite", "sqlite", "same"],
  ],
  "chain.options.destructive_sql.on_unparseable": [
    ["ask", "deny", "tighter"],
    ["deny", "ask", "looser"],
  ],
  "chain.options.destructive_sql.on_unverified": [
    ["allow", "ask", "tighter"],
    ["allow", "deny", "tighter"],
    ["ask", "deny", "tighter"],
    ["deny", "ask", "looser"],
    ["ask", "allow", "looser"],
  ],
  "chain.options.destructive_sql.confirm_arg": [["confirm_destructive", "yes", "looser"]],
  "chain.options.destructive_sql.consent": [
    ["args", "human", "tighter"],
    ["human", "args", "looser"],
  ],
  "chain.options.quota.calls": [
    [1000, 999, "tighter", quotaOn],
    [1000, 1001, "looser", quotaOn],
    [1000, 5000, "same"],
  ],
  "chain.options.quota.per": [
    ["minute", "hour", "tighter", quotaOn],
    ["hour", "day", "tighter", quotaOn],
    ["hour", "minute", "looser", quotaOn],
    ["day", "hour", "looser", quotaOn],
  ],
  "chain.options.row_limit.max": [
    [1000, 999, "tighter"],
    [10, 1000, "looser"],
    [10, 10, "same"],
  ],
  "audit.path": [["storage/{profile}/audit.jsonl", "storage/x.jsonl", "looser"]],
  "audit.redact": [
    [[], ["pin"], "tighter"],
    [["pin"], [], "looser"],
    [["pin"], ["puk"], "looser"],
    [[], ["customer_email", "iban"], "tighter"],
    [[], ["command"], "looser"],
    [[], ["pin", "SQL"], "looser"],
    [[], ["filePath"], "looser"],
    [[], ["file-path"], "looser"],
    [[], ["file"], "looser"],
    [[], ["url"], "looser"],
    [[], ["toolName"], "looser"],
    [["command"], ["command"], "same"],
    [["command"], ["command", "pin"], "tighter"],
  ],
  "audit.redact_exempt": [
    [[], ["token"], "looser"],
    [["token"], [], "looser"],
  ],
  "audit.durability": [
    ["group", "always", "tighter"],
    ["always", "group", "looser"],
  ],
  "audit.required": on,
  "database.url": [["sqlite:data.db", "postgres://h/d", "looser"]],
  "hooks.pre_tool_call": ruleRows,
  "hooks.post_tool_call": ruleRows,
  "hooks.pre_request": ruleRows,
  "hooks.post_response": ruleRows,
  "hooks.run_end": ruleRows.filter(([, after]) => !JSON.stringify(after).includes("matcher")),
  "policies.cards": [
    [[], ["@a/b"], "tighter"],
    [["@a/b"], [], "looser"],
    [["@a/b"], ["@a/c"], "looser"],
    [["@a/b"], ["@a/b"], "same"],
  ],
  "policies.exclude": [
    [[], ["@a/b"], "looser"],
    [["@a/b"], [], "looser"],
    [["@a/b"], ["@a/b"], "same"],
  ],
  "policies.default_timeout_ms": [
    [25_000, 1, "looser"],
    [1, 25_000, "looser"],
    [5, 5, "same"],
  ],
  "policies.strict": on,
  "database.max_rows": [
    [1000, 10, "tighter"],
    [10, 1000, "looser"],
  ],
};

const table = keyPaths.flatMap((key) =>
  rows[key].map(([from, to, change, both = {}]) => ({ key, from, to, change, both })),
);

describe("what tightens and what loosens", () => {
  test("every key of the schema has a rule and rows, and each kind of change that it knows is shown", () => {
    const all = keysOf(configSchema).map(({ path }) => path);
    expect([...keyPaths].sort()).toEqual([...all].sort());
    expect(Object.keys(rows).sort()).toEqual([...all].sort());
    for (const key of keyPaths)
      if (key !== "version") expect(rows[key].some(([, , c]) => c === "looser")).toBe(true);
  });

  test.each(table)("$key: $from to $to is $change", ({ key, from, to, change, both }) => {
    const common = Object.entries(both).reduce<Config>(
      (at, [k, v]) => writeKey(at, k as KeyPath, v),
      defaultConfig,
    );
    const [before, after] = [writeKey(common, key, from), writeKey(common, key, to)];
    const found = tightens(before, after);
    expect(found).toEqual({ pure: change !== "looser", loosening: change === "looser" ? [key] : [] });
    if (change === "tighter") expect(tightens(after, before).pure).toBe(false);
    const lines = diffEffective(before, after);
    const mark = { looser: /^Loosens: /u, tighter: /^Tightens: /u, same: /^Changes: /u }[change];
    expect(lines.every((line) => mark.test(line) || change === "looser")).toBe(true);
    expect(lines.some((line) => line.startsWith("Loosens"))).toBe(change === "looser");
    if (JSON.stringify(from) !== JSON.stringify(to) && change !== "same") expect(lines[0]).toContain(key);
  });

  const quotas: readonly (readonly [string, number, string, number, string, boolean])[] = [
    ["fewer over a longer time", 10, "minute", 5, "hour", true],
    ["as many over a longer time", 10, "minute", 10, "day", true],
    ["more over a longer time, though a lower rate", 10, "minute", 100, "hour", false],
    ["less in every period of the longer time together", 600, "hour", 10, "minute", true],
    ["one too many of them", 600, "hour", 11, "minute", false],
    ["a day in minutes", 1440, "day", 1, "minute", true],
  ];
  test.each(quotas)("quota, %s", (_, calls, per, nowCalls, nowPer, pure) => {
    const quota = (n: number, p: string) =>
      writeKey(
        writeKey(writeKey(defaultConfig, "chain.quota", true), "chain.options.quota.calls", n),
        "chain.options.quota.per",
        p,
      );
    expect(tightens(quota(calls, per), quota(nowCalls, nowPer)).pure).toBe(pure);
  });
});

describe("the diff that a person reads", () => {
  const changed = (changes: readonly (readonly [KeyPath, unknown])[]) =>
    changes.reduce<Config>((at, [key, value]) => writeKey(at, key, value), defaultConfig);
  test("what loosens stands first, items of lists by themselves, hidden characters visible", () => {
    expect(
      diffEffective(
        defaultConfig,
        changed([
          ["chain.quota", true],
          ["chain.path_allowlist_extra", ["/srv/\u202egnp.x", "/b"]],
          ["chain.options.destructive_sql.tools", { db_query_sql: "note", new_tool: "sql" }],
          ["chain.options.destructive_sql.dialect", "mysql"],
        ]),
      ),
    ).toEqual([
      'Loosens: chain.path_allowlist_extra + "/srv/\\u{202E}gnp.x"',
      'Loosens: chain.path_allowlist_extra + "/b"',
      'Loosens: chain.options.destructive_sql.tools.db_query_sql: "sql" → "note"',
      'Loosens: chain.options.destructive_sql.tools.new_tool: (not set) → "sql"',
      'Loosens: chain.options.destructive_sql.dialect: (not set) → "mysql"',
      "Tightens: chain.quota: false → true",
    ]);
  });
  test("a password in a URL is masked", () => {
    const line = diffEffective(defaultConfig, changed([["database.url", "postgres://u:hunter2@h/d"]]))[0];
    expect(line).toBe('Loosens: database.url: "sqlite:data.db" → "postgres://u:•••@h/d"');
  });
  test("nothing changed, no lines", () => {
    expect(diffEffective(defaultConfig, defaultConfig)).toEqual([]);
  });
});
