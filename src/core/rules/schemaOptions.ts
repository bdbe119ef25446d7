/** The grammar of the guards' options: `[chain.options.<hook>]`. Knows nothing of how a guard uses them. */
import * as z from "zod";
import { toolMap } from "./schemaValues";

/** Names that a person may write; the SQL guard knows which of them are synonyms. */
export const dialectNames = [
  "postgresql",
  "postgres",
  "mysql",
  "mariadb",
  "sqlite",
  "mssql",
  "sqlserver",
  "tsql",
  "oracle",
  "bigquery",
  "snowflake",
  "redshift",
  "databricks",
  "duckdb",
  "generic",
  "unknown",
] as const;

export const pathAllowlistOptions = z
  .strictObject({
    tools: toolMap()
      .default({ kb_add_file: "path", kb_add_path: "path", db_import_csv: "path" })
      .describe(
        "Tools whose named argument is a path that must lie inside the allowed roots; outside them the call is denied. The workspace file may add tools, never change one that is already mapped.",
      ),
    outside: z
      .enum(["ask", "deny"])
      .default("ask")
      .describe("What happens when an agent's own file tool leaves the allowed roots."),
  })
  .prefault({})
  .describe("Options of the path_allowlist guard.");

export const destructiveSqlOptions = z
  .strictObject({
    tools: toolMap()
      .default({ db_query_sql: "sql" })
      .describe(
        "Tools whose named argument is SQL to be judged. The workspace file may add tools, never change one that is already mapped.",
      ),
    dialect: z
      .enum(dialectNames)
      .exactOptional()
      .describe(
        "SQL dialect. Left out, it follows from the database URL or the client program; where neither says it, the text is judged under every dialect. Where it contradicts them, the text is judged under both.",
      ),
    on_unparseable: z
      .enum(["ask", "deny"])
      .default("deny")
      .describe("What happens to SQL that cannot be read at all."),
    on_unverified: z
      .enum(["allow", "ask", "deny"])
      .default("allow")
      .describe(
        "What happens to SQL that the rules allow and an inexact second parser cannot read. Where that parser reads it and finds a change, it is asked about in any case.",
      ),
    confirm_arg: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/u, "must be a name: letters, digits and _")
      .default("confirm_destructive")
      .describe("The argument that carries consent; it is removed before the tool runs."),
    consent: z
      .enum(["args", "human"])
      .default("human")
      .describe(
        "Who may consent: a person in a dialog (`human`), or an agent that sends the confirm argument itself (`args`). In the library without an `ask`, and in `hello-hooks`, the default is `args`.",
      ),
  })
  .prefault({})
  .describe("Options of the destructive_sql guard.");

export const rowLimitOptions = z
  .strictObject({
    max: z
      .int()
      .min(1)
      .max(100_000)
      .default(1000)
      .describe("The most rows that a query without a limit of its own may return."),
  })
  .prefault({})
  .describe("Options of the row_limit hook.");

export const egressOptions = z
  .strictObject({
    known: z
      .array(
        z
          .string()
          .regex(
            /^(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/u,
            "must be a host such as `api.example.com` or `*.example.com`",
          )
          .max(253),
      )
      .max(1000)
      .default([])
      .describe(
        "Hosts that are never asked for; `*.example.com` means every host below it. All layers are joined.",
      ),
  })
  .prefault({})
  .describe("Options of the egress guard.");

export const quotaOptions = z
  .strictObject({
    calls: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .default(1000)
      .describe("How many calls a profile may make per period."),
    per: z.enum(["minute", "hour", "day"]).default("hour").describe("The period that `calls` counts in."),
  })
  .prefault({})
  .describe("Options of the quota guard.");
