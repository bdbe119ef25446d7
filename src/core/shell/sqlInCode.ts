/** Finds destructive database calls in program text (`python -c`, `node -e`, a heredoc into ruby). Knows no language's grammar and judges no SQL. */
import { STATEMENT_IN_LITERAL } from "./plainStatement";

/** Programs that run the text they are given, or pass it to one that does. */
export const INTERPRETERS =
  /^(?:i?python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|irb|rails|rake|perl|php|artisan|tinker|sail|console|mix|elixir|iex|groovy|scala|jshell|julia|rscript|lua|manage\.py|django-admin|flask|mongo(?:sh)?|pwsh)$/;

/** These run nothing but database calls, or pass on what they are given. */
export const DATABASE_SHELLS = /^(?:mongo(?:sh)?|make|gmake|just|task)$/;

/** Text that talks to a database somewhere; without one a statement in quotes is only a text. */
const TALKS_TO_DATABASE =
  /\bexecute\w*\b|\bexec\s*\(|\bquery\w*\b|\bcursor\b|\bconnect\w*\b|\braw\b|\bprepare\b|\bstatement\b|\bsql\s*[(`]|\bdb\.(?:run|all|get|each)\b|->do\b|\btext\s*\(|executeRaw|queryRaw|\bDBI\b|\bPDO\b/i;

/** Calls of ORMs and drivers that remove rows, tables or databases. */
const REMOVES = new RegExp(
  [
    String.raw`\b(?:delete_all|destroy_all|update_all|drop_all|drop_table|drop_database|drop_collection|delete_many|dropDatabase|dropAllTables|dropTable|dropSchema|dropCollection|deleteMany|deleteOne|updateMany|flushall|flushdb|truncate_tables|execute_sql_flush)\b`,
    String.raw`\.objects\b[^\n;]{0,300}\.(?:delete|update)\s*\(`,
    String.raw`(?:::|->)(?:truncate|forceDelete)\s*\(`,
    String.raw`(?:::(?:query|where\w*|table|all)\b[^\n;]{0,300}->|DB::)(?:delete|update)\s*\(`,
    String.raw`\bconnection\.(?:truncate|drop_\w+)\b`,
    String.raw`\bsync(?:hronize)?\s*\(\s*(?:true|\{\s*force:\s*true)`,
    String.raw`\bdb\.[\w.]{1,200}\.(?:drop|remove|findAndModify|bulkWrite|dropIndexes|renameCollection)\s*\(`,
    String.raw`\bdb\.getCollection\([^)]{0,200}\)\.(?:drop|remove)\s*\(`,
    String.raw`\bmigrate\.(?:rollback|down)\b|\bMigrator?\.(?:down|rollback)\b`,
  ].join("|"),
);

const MAX_FOUND = 20;
const MAX_STATEMENT = 10_000;

export interface CodeFinding {
  /** Statements in text literals, as far as the literal goes. */
  readonly statements: readonly string[];
  /** A call that removes rows, tables or databases; absent = none is seen. */
  readonly call?: string;
}

export function sqlInCode(code: string, program: string): CodeFinding {
  const statements: string[] = [];
  if (DATABASE_SHELLS.test(program) || TALKS_TO_DATABASE.test(code)) {
    for (const found of code.matchAll(STATEMENT_IN_LITERAL)) {
      if (statements.length >= MAX_FOUND) break;
      statements.push(literalFrom(code, found));
    }
  }
  const call = REMOVES.exec(code)?.[0]
    .replace(/\s+/g, " ")
    .replace(/^\.|\W+$/g, "")
    .slice(0, 80);
  return { statements, ...(call === undefined ? {} : { call }) };
}

const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "{": "}" };

/** To the quote that opened it; a literal that begins elsewhere goes to the first quote, which is where most end. */
function literalFrom(code: string, found: RegExpMatchArray): string {
  const from = (found.index ?? 0) + found[0].length;
  const opener = found[0][0] ?? "";
  const rest = code.slice(from, from + MAX_STATEMENT);
  const closer = CLOSERS[opener] ?? opener;
  const quoted = /["'`)}]/.test(closer)
    ? rest.indexOf(closer)
    : rest.search(/["`]|'\s*[,)\]};]|\n\s*[A-Z]+\s*(?:\n|$)/);
  return (quoted < 0 ? rest : rest.slice(0, quoted)).replace(/\\$/, "").trim();
}
