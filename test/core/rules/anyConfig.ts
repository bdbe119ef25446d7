/** Arbitrary layers of the configuration grammar, for the laws. */
import * as fc from "fast-check";
import type { ConfigFile } from "../../../src/core/rules/schema";

const toolMap = fc
  .array(
    fc.tuple(
      fc.constantFrom("db_query_sql", "kb_add_file", "a", "b", "c"),
      fc.constantFrom("sql", "path", "x"),
    ),
  )
  .map((pairs) => Object.fromEntries(pairs));
const words = fc.uniqueArray(fc.constantFrom("a", "b", "c", "~/d", "/srv/e"), { maxLength: 4 });
const some = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] });

const anyRule = fc
  .uniqueArray(
    fc.constantFrom(
      { type: "deny" as const },
      { type: "deny" as const, reason: "no" },
      { type: "http" as const, url: "https://a.example" },
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((handlers) => ({ handlers }));

const cards = fc.uniqueArray(fc.constantFrom("@a/b", "@a/c", "@d/e"), { maxLength: 3 });

export const anyLayer = some({
  version: fc.constant(1 as const),
  policies: some({
    cards,
    exclude: cards,
    default_timeout_ms: fc.constantFrom(1, 25_000, 600_000),
    strict: fc.boolean(),
  }),
  chain: some({
    enabled: fc.boolean(),
    path_allowlist: fc.boolean(),
    destructive_sql: fc.boolean(),
    shell: fc.boolean(),
    self_protection: fc.boolean(),
    egress: fc.boolean(),
    audit_log: fc.boolean(),
    quota: fc.boolean(),
    row_limit: fc.boolean(),
    read_only: fc.boolean(),
    path_allowlist_extra: words,
    order: fc.uniqueArray(fc.constantFrom("quota", "path_allowlist"), { maxLength: 2 }),
    options: some({
      path_allowlist: some({ tools: toolMap, outside: fc.constantFrom("ask" as const, "deny" as const) }),
      destructive_sql: some({
        tools: toolMap,
        dialect: fc.constantFrom("sqlite" as const, "postgresql" as const),
        on_unparseable: fc.constantFrom("ask" as const, "deny" as const),
        on_unverified: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
        confirm_arg: fc.constantFrom("confirm_destructive", "yes"),
        consent: fc.constantFrom("args" as const, "human" as const),
      }),
      egress: some({
        known: fc.uniqueArray(fc.constantFrom("a.example", "*.b.example", "c"), { maxLength: 3 }),
      }),
      row_limit: some({ max: fc.constantFrom(1, 100, 1000, 5000) }),
      quota: some({
        calls: fc.constantFrom(1, 10, 600, 1000, 36_000),
        per: fc.constantFrom("minute" as const, "hour" as const, "day" as const),
      }),
    }),
  }),
  audit: some({
    path: fc.constantFrom("storage/{profile}/audit.jsonl", "storage/x.jsonl"),
    redact: words,
    redact_exempt: words,
    durability: fc.constantFrom("group" as const, "always" as const),
    required: fc.boolean(),
  }),
  hooks: some({
    pre_tool_call: fc.uniqueArray(anyRule, { maxLength: 4, selector: (rule) => JSON.stringify(rule) }),
    run_end: fc.uniqueArray(anyRule, { maxLength: 2, selector: (rule) => JSON.stringify(rule) }),
  }),
  database: some({
    url: fc.constantFrom("sqlite:data.db", "postgres://h/d"),
    max_rows: fc.constantFrom(1, 100, 1000, 5000),
  }),
}) as fc.Arbitrary<ConfigFile>;
