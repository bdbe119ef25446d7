/** Judges a SQL text: allow, ask or deny, with the statement to blame. Own lexer and rules decide; no parser is asked here. */
import { type Description, describe, outline } from "./describe";
import { DIALECTS, type Dialect, findDialect, OTHER_DIALECTS, type Profile } from "./dialects";
import { type Lexed, lex } from "./lexer";
import type { Floor } from "./lexState";
import { mayDropWhole } from "./mayDropWhole";
import { factsThatMatter, profileKey } from "./profileKey";
import { type Hit, type RuleName, wordAt } from "./rule";
import { harmlessSearchPaths } from "./searchPath";
import { judgeStatement } from "./statementRules";
import { type Statement, splitStatements } from "./statements";
import { isNotable } from "./verbs";
import { asked, completePart, pick, summary, tooLong } from "./verdicts";

/** Longer texts are not read, in UTF-16 units: they are asked about, and refused where they may drop a whole database. */
export const MAX_SQL_TEXT = 262_144;

export type Verdict = "allow" | "ask" | "deny";

export interface StatementVerdict {
  /** First verb or the verb to blame, upper case. */
  readonly op: string;
  readonly kind: string;
  readonly tables: readonly string[];
  readonly hasWhere: boolean;
  /** Null too where the statement passes. */
  readonly condition: string | null;
  /** An UPDATE's `SET ..`; null too where the statement passes. */
  readonly assigned: string | null;
  /** Empty where the statement passes. */
  readonly words: string;
  /** Null too where the statement passes. */
  readonly own: Description["own"];
  /** The statement as written. */
  readonly text: string;
  readonly verdict: Verdict;
  readonly rule: RuleName | "none" | "too_long";
  readonly reason: string;
}

export interface SqlVerdict {
  readonly verdict: Verdict;
  /** In order; of the reading that gave the verdict. */
  readonly statements: readonly StatementVerdict[];
  /** Of the worst statement. */
  readonly rule: StatementVerdict["rule"];
  readonly reason: string;
  /** Index in `statements` of the worst one; -1 when there is none. */
  readonly worst: number;
  /** True when the deny only says that the text cannot be read. */
  readonly unparseable: boolean;
  /** Name of the dialect whose reading gave the verdict. */
  readonly dialect: string;
  /** Suspicious things that alone make it an ask. */
  readonly floors: readonly Floor[];
}

export interface ClassifyOptions {
  /**
   * Any name or synonym in any case; unknown or absent = judged under every dialect, strictest that can read it.
   * Several names = judged under each of them in the same way.
   */
  readonly dialect?: string | readonly string[];
}

/** A script of thousands of harmless statements is not described to its end. */
const MAX_DESCRIBED = 100;
const NOT_DESCRIBED: Description = {
  kind: "ROWS",
  tables: [],
  hasWhere: false,
  condition: null,
  assigned: null,
  words: "",
  own: null,
};

const EVERY_DIALECT: readonly Dialect[] = [...DIALECTS, ...OTHER_DIALECTS];

export function classifySql(text: string, options: ClassifyOptions = {}): SqlVerdict {
  const engines = enginesOf(options.dialect);
  if (text.length > MAX_SQL_TEXT) return tooLong(text, engines[0]?.dialect.name ?? "unknown");
  const readings = readAll(text, engines);
  const [only] = readings;
  if (readings.length === 1 && only !== undefined && !only.unparseable) return only;
  const readable = readings.filter((reading) => !reading.unparseable);
  // What stands complete before a failure may run before the failure is met.
  const partial = readings.filter((reading) => reading.unparseable).map(completePart);
  const strictest = pick([...readable, ...partial.filter((part) => part.verdict !== "allow")]);
  if (readable.length > 0 && strictest !== undefined) {
    const unread = readings.find((reading) => reading.unparseable);
    const empty = readable.every(({ statements }) => statements.length === 0);
    return unread !== undefined && empty && strictest.verdict === "allow" ? asked(unread) : strictest;
  }
  const hard = partial.find((part) => part.verdict === "deny");
  return hard ?? pick(readings) ?? tooLong(text, "unknown");
}

const NONE: ReadonlySet<number> = new Set();

interface Engine {
  readonly dialect: Dialect;
  /** False where the text is judged under every dialect, and nobody said that it is this one. */
  readonly named: boolean;
}

function enginesOf(names: string | readonly string[] | undefined): readonly Engine[] {
  const list = typeof names === "string" ? [names] : (names ?? []);
  const found = list.map(findDialect);
  const known = found.filter((one) => one !== undefined);
  if (found.length > 0 && known.length === found.length)
    return known.map((dialect) => ({ dialect, named: true }));
  return EVERY_DIALECT.map((dialect) => ({ dialect, named: known.includes(dialect) }));
}

/** The first reading that asks settles it, unless a whole database could still be dropped in another one. */
function readAll(text: string, engines: readonly Engine[]): readonly SqlVerdict[] {
  const [single] = engines;
  const readingsOfIt = single?.dialect.readings ?? [];
  const [reading] = readingsOfIt;
  if (single !== undefined && reading !== undefined && engines.length === 1 && readingsOfIt.length === 1)
    return [judge(text, single, read(text, reading))];
  const facts = factsThatMatter(
    text,
    engines.map(({ dialect }) => dialect),
  );
  const lexed = new Map<string, { lexed: Lexed; statements: readonly Statement[] }>();
  const seen = new Set<string>();
  const out: SqlVerdict[] = [];
  for (const engine of engines) {
    const { dialect, named } = engine;
    const own = ["tsql", "sqlite", "mysql", "oracle"].includes(dialect.family) ? dialect.family : "";
    const rules = named ? dialect.name : `${own}|${dialect.judgesFunctions}`;
    for (const profile of dialect.readings) {
      const key = profileKey(facts, profile);
      if (seen.has(`${key}|${rules}`)) continue;
      seen.add(`${key}|${rules}`);
      const tokens = lexed.get(key) ?? read(text, profile);
      lexed.set(key, tokens);
      const verdict = judge(text, engine, tokens);
      out.push(verdict);
      if (verdict.verdict === "ask" && !mayDropWhole(text)) return out;
    }
  }
  return out;
}

function read(text: string, profile: Profile): { lexed: Lexed; statements: readonly Statement[] } {
  const lexed = lex(text, profile);
  return { lexed, statements: splitStatements(lexed.tokens, isNotable) };
}

function judge(
  text: string,
  { dialect, named }: Engine,
  { lexed, statements }: { lexed: Lexed; statements: readonly Statement[] },
): SqlVerdict {
  let inBlock = false;
  const verdicts = statements.map((statement, index) => {
    const judged = judgeStatement(statement, {
      family: dialect.family,
      dialect: named ? dialect.name : null,
      judgesFunctions: dialect.judgesFunctions,
      inBlock,
    });
    inBlock ||= judged.opensBlock;
    return verdictOf(text, { statement, index }, judged.hit);
  });
  const lifted = named && dialect.family === "postgres" ? harmlessSearchPaths(statements, verdicts) : NONE;
  const left =
    lifted.size === 0
      ? verdicts
      : statements.map((statement, index) =>
          lifted.has(index)
            ? passing(text, { statement, index })
            : (verdicts[index] ?? passing(text, { statement, index })),
        );
  return summary(left, { dialect: dialect.name, floors: [...lexed.floors], nul: text.includes("\0") });
}

function verdictOf(
  text: string,
  { statement, index }: { statement: Statement; index: number },
  hit: Hit | undefined,
): StatementVerdict {
  if (hit === undefined && statement.complete) return passing(text, { statement, index });
  const description =
    hit === undefined && index >= MAX_DESCRIBED ? NOT_DESCRIBED : describe(statement, hit?.at ?? 0, text);
  const base = { ...description, text: ownText(text, statement), op: hit?.op ?? wordAt(statement, 0) };
  if (hit?.rule === "drop_database") return { ...base, verdict: "deny", rule: hit.rule, reason: hit.reason };
  if (hit === undefined || !statement.complete)
    return {
      ...base,
      verdict: "deny",
      rule: "unreadable",
      reason: "a quote, comment or bracket is not closed, or a character has no place here",
    };
  return { ...base, verdict: hit.verdict, rule: hit.rule, reason: hit.reason };
}

/** Most statements end here, so nothing is told of them that nobody reads. */
function passing(
  text: string,
  { statement, index }: { statement: Statement; index: number },
): StatementVerdict {
  const { kind, tables, hasWhere } = index >= MAX_DESCRIBED ? NOT_DESCRIBED : outline(statement, 0, text);
  return {
    kind,
    tables,
    hasWhere,
    condition: null,
    assigned: null,
    words: "",
    own: null,
    text: ownText(text, statement),
    op: wordAt(statement, 0),
    verdict: "allow",
    rule: "none",
    reason: "reads, inserts or creates only",
  };
}

function ownText(text: string, { tokens }: Statement): string {
  return text.slice(tokens[0]?.start ?? 0, tokens[tokens.length - 1]?.end ?? 0);
}
