/** The grammar of `gateway-hooks.toml`, version 1: the single source of types, checks, JSON Schema and docs. Knows nothing of files or layers. */
import * as z from "zod";
import { parseCardName } from "../cards/cardName";
import { hooksSchema } from "./schemaHooks";
import {
  destructiveSqlOptions,
  egressOptions,
  pathAllowlistOptions,
  quotaOptions,
  rowLimitOptions,
} from "./schemaOptions";
import { databaseUrl, printable, storagePath, unique } from "./schemaValues";

/** Hooks that may change places; audit_log is always last. */
export const orderableHooks = [
  "path_allowlist",
  "read_only",
  "destructive_sql",
  "shell",
  "self_protection",
  "egress",
  "quota",
  "row_limit",
] as const;

const chain = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("The hook chain as a whole. Off means that nothing is judged."),
    path_allowlist: z
      .boolean()
      .default(true)
      .describe("Guard: file paths outside the workspace are denied or asked for."),
    destructive_sql: z
      .boolean()
      .default(true)
      .describe("Guard: SQL that changes or drops data is asked for or denied."),
    shell: z
      .boolean()
      .default(true)
      .describe("Guard: terminal commands that destroy or cannot be taken back are asked for."),
    self_protection: z
      .boolean()
      .default(true)
      .describe("Guard: changes to Countersign's and the agents' own configuration are asked for."),
    egress: z
      .boolean()
      .default(true)
      .describe(
        "Guard: a host that nobody knows yet is asked for once per session; after a credential was read, every destination.",
      ),
    audit_log: z
      .boolean()
      .default(true)
      .describe("Every call is written to the hash-chained audit log; always the last hook."),
    quota: z.boolean().default(false).describe("Guard: a limit of calls per profile and period."),
    row_limit: z
      .boolean()
      .default(false)
      .describe(
        "A query without a limit of its own gets one, in its dialect: `LIMIT`, `TOP`, `FETCH FIRST`. Only the tools of `destructive_sql.tools`, not terminal commands; `db_query_sql` by the dialect of its URL, the other tools only where `destructive_sql.dialect` or the call names one. Where two of them contradict each other, only a limit that both would put in the same place is added.",
      ),
    read_only: z
      .boolean()
      .default(false)
      .describe(
        "Only for `db_query_sql` and `db_import_csv`, not for terminal commands and other servers' tools. `db_query_sql` opens its database read-only: what writes is refused, by the engine too, and nobody is asked. Only a function of unknown effect is asked for; if it may act, it is refused nevertheless. `db_import_csv` is refused.",
      ),
    path_allowlist_extra: z
      .array(printable(4096))
      .max(1000)
      .default([])
      .describe(
        "Further roots for path_allowlist: absolute, `~/…`, or relative to the workspace folder. All layers are joined.",
      ),
    order: z
      .array(z.enum(orderableHooks))
      .refine(unique, "names a hook twice")
      .default([])
      .describe(
        "Names of hooks in the order in which they run; hooks not named follow in their usual order, audit_log stays last.",
      ),
    options: z
      .strictObject({
        path_allowlist: pathAllowlistOptions,
        destructive_sql: destructiveSqlOptions,
        egress: egressOptions,
        quota: quotaOptions,
        row_limit: rowLimitOptions,
      })
      .prefault({})
      .describe("Options of the built-in hooks, one table each."),
  })
  .prefault({})
  .describe("The hook chain: which hooks are on.");

const audit = z
  .strictObject({
    path: storagePath
      .default("storage/{profile}/audit.jsonl")
      .describe("Where the audit log lies, inside the data folder's `storage`."),
    redact: z
      .array(printable(128))
      .max(1000)
      .default([])
      .describe("Further argument names whose values are replaced before logging. All layers are joined."),
    redact_exempt: z
      .array(printable(128))
      .max(1000)
      .default([])
      .describe("Argument names that look like secrets and are none. All layers are joined."),
    durability: z
      .enum(["group", "always"])
      .default("group")
      .describe(
        "When a record is on the disk: `always` before the call goes on; `group` within 200 ms, but denials, approvals and what a person decides at once. A program that is killed loses no record in either; `group` may lose 200 ms of allowed calls in a power cut.",
      ),
    required: z.boolean().default(true).describe("Whether a call whose record cannot be written is refused."),
  })
  .prefault({})
  .describe("The audit log.");

const database = z
  .strictObject({
    url: databaseUrl.default("sqlite:data.db").describe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own notation.
      "The database of `db_query_sql` and `db_import_csv`; a SQLite file is taken from the data folder. Write secrets as `${ENV}`.",
    ),
    max_rows: z.int().min(1).max(100_000).default(1000).describe("The most rows that one query returns."),
  })
  .prefault({})
  .describe("The database behind the governed tools.");

const cardName = () =>
  z
    .string()
    .refine(
      (name) => parseCardName(name) !== undefined,
      "must be the name of a card, such as `@acme/backend`",
    );

const policies = z
  .strictObject({
    cards: z
      .array(cardName())
      .max(100)
      .default([])
      .describe(
        "Cards whose policies judge calls here, in this order: installed by `countersign card install`, each inert until a person trusts its hooks. All layers are joined.",
      ),
    exclude: z
      .array(
        z
          .string()
          .regex(
            /^@[^/@]+\/[^/@]+(?:\/[^/@]+)?$/u,
            "must be a card or one of its policies, such as `@acme/backend/audit-calls`",
          ),
      )
      .max(1000)
      .default([])
      .describe(
        "Cards, or single policies of them, that stay out although a card is named. All layers are joined.",
      ),
    default_timeout_ms: z
      .int()
      .min(1)
      .max(600_000)
      .default(25_000)
      .describe("How long a callback of a policy may take that says nothing of it itself, in milliseconds."),
    strict: z
      .boolean()
      .default(false)
      .describe(
        "A named card that is not installed, not trusted or changed since denies every call that is not a read; `countersign write` fails.",
      ),
  })
  .prefault({})
  .describe("Policies in TypeScript, from cards.");

export const configSchema = z.strictObject({
  version: z.literal(1).default(1).describe("Version of this grammar."),
  chain,
  audit,
  database,
  policies,
  hooks: hooksSchema,
});

/** Tables and keys that the full grammar knows and this version does not: the error says so. */
export const laterKeys: Readonly<Record<string, readonly string[]>> = {
  "": ["alias", "live", "tools"],
  "chain.options": ["shell", "self_protection", "audit_log"],
  audit: ["rotate_bytes", "checkpoint_every", "otlp"],
};

type Deep<T> = T extends readonly (infer E)[]
  ? readonly E[]
  : T extends object
    ? { readonly [K in keyof T]: Deep<T[K]> }
    : T;

/** What is in force: every key with a value (only `dialect` may be absent). Names as in the file. */
export type Config = Deep<z.output<typeof configSchema>>;

/** What one layer says: any part of the tree. */
export type ConfigFile = Deep<z.input<typeof configSchema>>;

export const defaultConfig: Config = configSchema.parse({});

/** The library and hello-hooks take consent from the arguments, as the hook-chain document says. */
export const libraryLayer: ConfigFile = { chain: { options: { destructive_sql: { consent: "args" } } } };
