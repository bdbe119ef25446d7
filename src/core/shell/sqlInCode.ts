/** Finds destructive database calls in program text (`python -c`, `node -e`, a heredoc into ruby). Knows no language's grammar; judges only what a call is given. */

import { type CodeLiteral, codeParts, REGEX } from "./codeLiterals";
import { isDangerous } from "./commandSql";
import { beginsPlainly, isPlainStatement, STATEMENT_IN_LITERAL } from "./plainStatement";
import { rememberLast } from "./rememberLast";
import { shellInCode } from "./shellInCode";

/** Programs that run the text they are given, or pass it to one that does. */
export const INTERPRETERS =
  /^(?:i?python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|irb|rails|rake|perl|php|artisan|tinker|sail|console|mix|elixir|iex|groovy|scala|jshell|julia|rscript|lua|manage\.py|django-admin|flask|mongo(?:sh)?|pwsh)$/;

/** These run nothing but database calls, or pass on what they are given. */
export const DATABASE_SHELLS = /^(?:mongo(?:sh)?|make|gmake|just|task)$/;
const RULE_FILES = /^(?:make|gmake|just|task)$/;

/** Text that talks to a database somewhere; without one a statement in quotes is only a text. */
const TALKS_TO_DATABASE =
  /\bexecute\w*\b|\bexec\s*\(|\bquery\w*\b|\bcursor\b|\bconnect\w*\b|\braw\b|\bprepare\b|\bstatement\b|\bsql\s*[(`]|\bdb\.(?:run|all|get|each)\b|->do\b|\btext\s*\(|executeRaw|queryRaw|\bDBI\b|\bPDO\b/gi;

/** What stands in a text may run as code. */
const EVALUATES = /(?<![.\w])(?:exec|eval|compile|execfile|Function|instance_eval|class_eval)\s*\(/;

/** Calls of ORMs and drivers that remove rows, tables or databases. */
const REMOVES = new RegExp(
  [
    String.raw`\b(?:delete_all|destroy_all|update_all|drop_all|drop_table|drop_database|drop_collection|delete_many|dropDatabase|dropAllTables|dropTable|dropSchema|dropCollection|deleteMany|deleteOne|updateMany|updateOne|replaceOne|findOneAnd(?:Delete|Update|Replace)|flushall|flushdb|truncate_tables|execute_sql_flush)\b`,
    String.raw`\.objects\b[^\n;]{0,300}\.(?:delete|update)\s*\(`,
    String.raw`\.(?:query|select_from)\([^\n;]{0,300}\)\s*\.(?:delete|update)\s*\(`,
    String.raw`\bknex\b[^\n;]{0,300}\.(?:del|delete|truncate|update|dropTable\w*)\s*\(`,
    String.raw`\.del\(\s*\)`,
    String.raw`\.callproc\s*\(`,
    String.raw`(?:::|->)(?:truncate|forceDelete)\s*\(`,
    String.raw`\bSchema::(?:drop\w*|rename)\b`,
    String.raw`(?:::(?:query|where\w*|table|all)\b[^\n;]{0,300}->|DB::)(?:delete|update)\s*\(`,
    String.raw`\bconnection\.(?:truncate|drop_\w+)\b`,
    String.raw`\bsync(?:hronize)?\s*\(\s*(?:true|\{\s*force:\s*true)`,
    String.raw`\b(?:run|admin)Command\s*\(\s*\{\s*["']?(?:drop\w*|delete|update|findAndModify|findandmodify|renameCollection|convertToCapped)\b`,
    String.raw`\bdb(?:\.[\w.]{1,200}|\[[^\]\n]{1,100}\])(?:\.[\w.]{1,100})?\.(?:drop|remove|findAndModify|bulkWrite|dropIndexes|renameCollection)\s*\(`,
    String.raw`\bdb\.getCollection\([^)]{0,200}\)\.(?:drop|remove)\s*\(`,
    String.raw`\bmigrate\.(?:rollback|down)\b|\bMigrator?\.(?:down|rollback)\b`,
  ].join("|"),
  "g",
);

/** These print, store or look for the text they are given. */
const KEEPS_TEXT =
  /^(?:print|println|puts|pp?|say|warn|printf|echo|console\.\w+|log\w*\.\w+|(?:.*\.)?write_text|(?:.*\.)?(?:append|write)File(?:Sync)?|File\.write|expect|re\.\w+|(?:.*\.)?(?:startswith|endswith|includes|contains|index|indexOf|find|count)|\w*(?:Error|Exception)|SystemExit)$/;
const KEEPS_BARE = /(?:^|[\s;{(])(?:puts|print|p|echo|raise|warn|say)\s+$/;
const GIVES_TO_DATABASE =
  /(?:^|[.>:$_])(?:execute\w*|query\w*|prepare\w*|raw\w*|exec\w*|text|sql|unsafe|statement|unprepared|read_sql\w*|copy_expert|createNativeQuery|createQuery|do|run|all|get|each)!?$/i;
const GIVES_BARE = /(?:execute\w*|query\w*!?|->do|\bsql|executeRaw\w*|queryRaw\w*)\s*$/i;

/** A literal that is handed to the database and begins so is judged as a statement. */
const FIRST =
  /^(?:delete|update|drop|truncate|alter|merge|replace|rename|grant|revoke|call|exec|execute|do|with|select|insert|load|lock|kill|shutdown|reassign|purge|optimize|vacuum|begin|declare)\b/i;
/** A piece of one that the code puts together. */
const UNFINISHED =
  /^(?:delete(?:\s+from)?|drop(?:\s+\w+)?|truncate(?:\s+table)?|update|alter(?:\s+\w+)?)\s*$/i;
const LEAD = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|#[^\n]*\n)+/;

const MAX_FOUND = 20;
const MAX_STATEMENT = 10_000;

export interface CodeFinding {
  /** Statements in text literals, as far as the literal goes. */
  readonly statements: readonly string[];
  /** Shell texts that the code runs. */
  readonly shell: readonly string[];
  /** A call that removes rows, tables or databases; absent = none is seen. */
  readonly call?: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly keeps: boolean;
}

export const sqlInCode = rememberLast<CodeFinding, string>(readCode);

function readCode(code: string, program: string): CodeFinding {
  const { literals, comments } = RULE_FILES.test(program)
    ? { literals: [], comments: [] }
    : codeParts(code, program);
  const spans = [
    ...literals.map(({ start, end, ...rest }) => ({ start, end, keeps: keepsText({ start, end, ...rest }) })),
    ...comments.map((comment) => ({ ...comment, keeps: true })),
  ].sort((left, right) => left.start - right.start);
  const evaluates = EVALUATES.test(code);
  // Texts of one word are names of methods as often as not.
  const texts = spans.filter(({ start, end }) => /[\s(]/.test(code.slice(start, end)));
  const isCode = (at: number): boolean => evaluates || spanAt(texts, at) === undefined;
  const talks = DATABASE_SHELLS.test(program) || anyMatch(code, TALKS_TO_DATABASE, isCode);
  const statements = talks ? [...ofLiterals(code, literals), ...ofQuotes(code, evaluates ? [] : spans)] : [];
  const call = firstMatch(code, REMOVES, isCode)
    ?.replace(/\s+/g, " ")
    .replace(/^\.|\W+$/g, "")
    .slice(0, 80);
  return {
    statements: distinct(statements).slice(0, MAX_FOUND),
    shell: shellInCode(literals),
    ...(call === undefined ? {} : { call }),
  };
}

function firstMatch(code: string, pattern: RegExp, isCode: (at: number) => boolean): string | undefined {
  for (const found of code.matchAll(pattern)) if (isCode(found.index)) return found[0];
  return undefined;
}

function anyMatch(code: string, pattern: RegExp, isCode: (at: number) => boolean): boolean {
  return firstMatch(code, pattern, isCode) !== undefined;
}

/** The one that holds the index; `spans` in order, none within another. */
function spanAt<S extends { readonly start: number; readonly end: number }>(
  spans: readonly S[],
  at: number,
): S | undefined {
  let low = 0;
  let high = spans.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle];
    if (span === undefined) return undefined;
    if (at < span.start) high = middle - 1;
    else if (at >= span.end) low = middle + 1;
    else return span;
  }
  return undefined;
}

function keepsText({ opener, calls, before }: CodeLiteral): boolean {
  if (opener === REGEX) return true;
  if (calls.some(({ name }) => GIVES_TO_DATABASE.test(name))) return false;
  const inner = calls.at(-1)?.name;
  return (inner !== undefined && KEEPS_TEXT.test(inner)) || KEEPS_BARE.test(before);
}

/** Literals next to one another, or joined by an operator, are one text. */
function ofLiterals(code: string, literals: readonly CodeLiteral[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < literals.length && out.length < MAX_FOUND; at++) {
    const first = literals[at];
    if (first === undefined) break;
    let { text, end } = first;
    for (; at + 1 < literals.length; at++) {
      const next = literals[at + 1];
      if (next === undefined || next.start - end > 80) break;
      if (!/^\s*(?:\\\n\s*)?(?:[+.&]|\.\.|<>|\|\|)?\s*[fFrRbBuU]{0,2}$/.test(code.slice(end, next.start)))
        break;
      text += next.text;
      end = next.end;
    }
    if (keepsText(first)) continue;
    const given = text.slice(0, MAX_STATEMENT).trim();
    if (isStatement(given, first, /^\s*(?:[+.]|\.\.)/.test(code.slice(end, end + 20)))) out.push(given);
  }
  return out;
}

function isStatement(text: string, { calls, before }: CodeLiteral, goesOn: boolean): boolean {
  const start = text.replace(LEAD, "");
  if (isPlainStatement(text) || beginsPlainly(start)) return true;
  if (UNFINISHED.test(start) && (goesOn || /^\w+\s+from$/i.test(start))) return true;
  const given = GIVES_TO_DATABASE.test(calls.at(-1)?.name ?? "") || GIVES_BARE.test(before);
  return given && FIRST.test(start) && /\s/.test(start) && isDangerous(text);
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "{": "}" };

/** Behind any quote, in case what opens a literal was misread. */
function ofQuotes(code: string, spans: readonly Span[]): string[] {
  const out: string[] = [];
  for (const found of code.matchAll(STATEMENT_IN_LITERAL)) {
    if (out.length >= MAX_FOUND) break;
    if (spanAt(spans, found.index)?.keeps !== true) out.push(literalFrom(code, found));
  }
  return out;
}

/** To the quote that opened it; a literal that begins elsewhere goes to the first quote, which is where most end. */
function literalFrom(code: string, found: RegExpMatchArray): string {
  const from = (found.index ?? 0) + found[0].length;
  const opener = found[0][0] ?? "";
  const rest = code.slice(from, from + MAX_STATEMENT);
  const closer = CLOSING[opener] ?? opener;
  const quoted = /["'`)}]/.test(closer)
    ? rest.indexOf(closer)
    : rest.search(/["`]|'\s*[,)\]};]|\n\s*[A-Z]+\s*(?:\n|$)/);
  return (quoted < 0 ? rest : rest.slice(0, quoted)).replace(/\\$/, "").trim();
}

/** What is part of another one is told with it. */
function distinct(texts: readonly string[]): string[] {
  const out: string[] = [];
  for (const text of texts) if (!out.some((known) => known.includes(text))) out.push(text);
  return out;
}
