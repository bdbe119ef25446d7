/** Programs that do away with data by their own words, without SQL, as data. Judges nothing. */

export interface DatabaseTool {
  /** The words that say so, in a command line with one blank between its words; words that hold blanks are left out. */
  readonly words: RegExp;
  readonly dialect: string;
  /** What it does: SQL where one statement says it, with `%` for the last word that is no option. */
  readonly does: { readonly sql: string } | { readonly why: string };
}

const RESETS = { why: "This empties or drops a whole database." } as const;
const REPLACES = { why: "This drops or replaces objects of the database." } as const;

const tool = (words: RegExp, does: DatabaseTool["does"], dialect = "unknown"): DatabaseTool => ({
  words,
  does,
  dialect,
});

export const DATABASE_TOOLS: readonly DatabaseTool[] = [
  tool(/^dropdb /, { sql: 'DROP DATABASE "%"' }, "postgres"),
  tool(/^dropuser /, { sql: 'DROP USER "%"' }, "postgres"),
  tool(/^(?:mysqladmin|mariadb-admin) (?:.* )?drop /, { sql: 'DROP DATABASE "%"' }),
  tool(/^pg_restore (?:.* )?(?:--clean|-[aCeIOsvxn1]*c)(?: |$)/, REPLACES, "postgres"),
  tool(/^(?:mysqlimport|mariadb-import) (?:.* )?(?:--delete|--replace|-d|-r)(?: |$)/, REPLACES),
  tool(/^bq (?:.* )?(?:rm|truncate)(?: |$)/, REPLACES, "bigquery"),
  tool(
    /^bq (?:.* )?(?:query|load|cp) (?:.* )?(?:--replace(?:=true)?|-f|--force)(?: |$)/,
    REPLACES,
    "bigquery",
  ),
  tool(
    /^sqlite-utils (?:.* )?(?:drop-table|drop-view|delete|delete-where|transform)(?: |$)/,
    REPLACES,
    "sqlite",
  ),
  tool(/^turso (?:.* )?db destroy(?: |$)/, RESETS, "sqlite"),
  tool(/^wrangler (?:.* )?d1 delete(?: |$)/, RESETS, "sqlite"),
  tool(/^heroku (?:.* )?pg:reset(?: |$)/, RESETS, "postgres"),
  tool(/^supabase (?:.* )?db reset(?: |$)/, RESETS, "postgres"),
  tool(/^prisma (?:.* )?(?:migrate reset|db push (?:.* )?--force-reset)(?: |$)/, RESETS),
  tool(/^(?:rails|rake) (?:.* )?db:(?:drop|reset|purge|schema:load|migrate:reset|truncate_all)\b/, RESETS),
  tool(/^(?:php )?(?:\S*\/)?artisan (?:migrate:(?:fresh|reset|refresh)|db:wipe)(?: |$)/, RESETS),
  tool(/^(?:python[\d.]* )?(?:\S*\/)?manage\.py (?:flush|reset_db)(?: |$)/, RESETS),
  tool(/^sequelize(?:-cli)? (?:.* )?db:drop(?: |$)/, RESETS),
  tool(/^typeorm (?:.* )?schema:drop(?: |$)/, RESETS),
  tool(/^dotnet ef database drop(?: |$)/, RESETS),
  tool(/^flyway (?:.* )?clean(?: |$)/, RESETS),
  tool(/^liquibase (?:.* )?drop-?all(?: |$)/i, RESETS),
];
