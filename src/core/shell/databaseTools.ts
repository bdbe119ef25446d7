/** Programs that do away with data by their own words, without SQL, as data. Judges nothing. */

export interface DatabaseTool {
  readonly program: RegExp;
  /** Words that must stand behind the program, in this order; others may stand between them. */
  readonly words: readonly RegExp[];
  readonly dialect: string;
  /** What it does: SQL where one statement says it, with `%` for the last word that is no option. */
  readonly does: { readonly sql: string } | { readonly why: string };
}

const RESETS = { why: "This empties or drops a whole database." } as const;
const REPLACES = { why: "This drops or replaces objects of the database." } as const;

const tool = (line: readonly RegExp[], does: DatabaseTool["does"], dialect = "unknown"): DatabaseTool => ({
  program: line[0] ?? /^$/,
  words: line.slice(1),
  does,
  dialect,
});

export const DATABASE_TOOLS: readonly DatabaseTool[] = [
  tool([/^dropdb$/, /./], { sql: 'DROP DATABASE "%"' }, "postgres"),
  tool([/^dropuser$/, /./], { sql: 'DROP USER "%"' }, "postgres"),
  tool([/^(?:mysqladmin|mariadb-admin)$/, /^drop$/], { sql: 'DROP DATABASE "%"' }),
  tool([/^pg_restore$/, /^(?:--clean|-[aCeIOsvxn1]*c)$/], REPLACES, "postgres"),
  tool([/^(?:mysqlimport|mariadb-import)$/, /^(?:--delete|--replace|-d|-r)$/], REPLACES),
  tool([/^bq$/, /^(?:rm|truncate)$/], REPLACES, "bigquery"),
  tool([/^bq$/, /^(?:query|load|cp)$/, /^(?:--replace(?:=true)?|-f|--force)$/], REPLACES, "bigquery"),
  tool([/^sqlite-utils$/, /^(?:drop-table|drop-view|delete|transform)$/], REPLACES, "sqlite"),
  tool([/^turso$/, /^db$/, /^destroy$/], RESETS, "sqlite"),
  tool([/^wrangler$/, /^d1$/, /^delete$/], RESETS, "sqlite"),
  tool([/^heroku$/, /^pg:reset$/], RESETS, "postgres"),
  tool([/^supabase$/, /^db$/, /^reset$/], RESETS, "postgres"),
  tool([/^prisma$/, /^migrate$/, /^reset$/], RESETS),
  tool([/^prisma$/, /^db$/, /^push$/, /^--force-reset$/], RESETS),
  tool([/^(?:rails|rake)$/, /^db:(?:drop|reset|purge|schema:load|migrate:reset|truncate_all)\b/], RESETS),
  tool([/^(?:php|artisan)$/, /^(?:migrate:(?:fresh|reset|refresh)|db:wipe)$/], RESETS),
  tool([/^python[\d.]*$/, /(?:^|[\\/])manage\.py$/, /^(?:flush|reset_db)$/], RESETS),
  tool([/^manage\.py$/, /^(?:flush|reset_db)$/], RESETS),
  tool([/^sequelize(?:-cli)?$/, /^db:drop$/], RESETS),
  tool([/^typeorm$/, /^schema:drop$/], RESETS),
  tool([/^dotnet$/, /^ef$/, /^database$/, /^drop$/], RESETS),
  tool([/^flyway$/, /^clean$/], RESETS),
  tool([/^liquibase$/, /^drop-?all$/i], RESETS),
];

/** Words that hold blanks are texts and say nothing here. */
export function findDatabaseTool(program: string, words: readonly string[]): DatabaseTool | undefined {
  const plain = words.filter((word) => !/\s/.test(word));
  return DATABASE_TOOLS.find((tool) => {
    if (!tool.program.test(program)) return false;
    let from = 0;
    return tool.words.every((wanted) => {
      const at = plain.findIndex((word, index) => index >= from && wanted.test(word));
      from = at + 1;
      return at >= 0;
    });
  });
}
