/** Judges a SQL text: allow, ask or deny, with the statement to blame. Own lexer and rules decide; no parser is asked here. */
import { type Description, describe, outline } from "./describe";
import { DIALECTS, type Dialect, findDialect, OTHER_DIALECTS, type Profile } from "./dialects";
import { lex } from "./lexer";
import type { Floor } from "./lexState";
import { mayDropWhole } from "./mayDropWhole";
import { factsThatMatter, profileKey } from "./profileKey";
import { type Hit, type RuleName, wordAt } from "./rule";
import { harmlessSearchPaths } from "./searchPath";
import { judgeStatement } from "./statementRules";
import { type Statement, splitStatements } from "./statements";
import { useOf } from "./verbs";
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

interface Engine {
  readonly dialect: Dialect;
  /** False where the text is judged under every dialect, and nobody said that it is this one. */
  readonly named: boolean;
  /** Engines with equal rules judge the same tokens alike. */
  readonly rules: string;
}

const OWN_RULES: ReadonlySet<string> = new Set(["tsql", "sqlite", "mysql", "oracle"]);

const NAMED: ReadonlyMap<Dialect | undefined, readonly Engine[]> = new Map(
  DIALECTS.map((dialect) => [dialect, [{ dialect, named: true, rules: dialect.name }]]),
);
const UNNAMED: readonly Engine[] = [...DIALECTS, ...OTHER_DIALECTS].map((dialect) => {
  const own = OWN_RULES.has(dialect.family) ? dialect.family : "";
  return { dialect, named: false, rules: `${own}|${dialect.judgesFunctions}` };
});

function enginesOf(names: string | readonly string[] = []): readonly Engine[] {
  if (typeof names === "string") return NAMED.get(findDialect(names)) ?? UNNAMED;
  const named = names.flatMap((name) => NAMED.get(findDialect(name)) ?? []);
  if (named.length === 0) return UNNAMED;
  if (named.length === names.length) return named;
  return UNNAMED.map((engine) => named.find(({ dialect }) => dialect === engine.dialect) ?? engine);
}

/** The first reading that asks settles it, unless a whole database could still be dropped in another one. */
function readAll(text: string, engines: readonly Engine[]): readonly SqlVerdict[] {
  const [single] = engines;
  const [reading] = single?.dialect.readings ?? [];
  const facts = factsThatMatter(text, engines.length === 1 ? single?.dialect : undefined);
  // Nothing in the text is read in more than one way.
  if (engines.length === 1 && single !== undefined && reading !== undefined && facts.length === 0)
    return [judge(text, single, read(text, reading))];
  const lexed = new Map<string, Read>();
  const seen = new Set<string>();
  const out: SqlVerdict[] = [];
  for (const engine of engines) {
    for (const profile of engine.dialect.readings) {
      const key = profileKey(facts, profile);
      const own = `${key}|${engine.rules}`;
      if (seen.has(own)) continue;
      seen.add(own);
      const tokens = lexed.get(key) ?? read(text, profile);
      lexed.set(key, tokens);
      const verdict = judge(text, engine, tokens);
      out.push(verdict);
      if (verdict.verdict === "ask" && !mayDropWhole(text)) return out;
    }
  }
  return out;
}

interface Read {
  readonly floors: readonly Floor[];
  readonly statements: readonly Statement[];
}

function read(text: string, profile: Profile): Read {
  const { tokens, floors } = lex(text, profile);
  return { floors, statements: splitStatements(tokens, useOf) };
}

function judge(text: string, { dialect, named }: Engine, { floors, statements }: Read): SqlVerdict {
  const { name, family, judgesFunctions } = dialect;
  const known = named ? name : null;
  let inBlock = false;
  const verdicts = statements.map((statement, index) => {
    const { hit, opensBlock } = judgeStatement(statement, {
      family,
      dialect: known,
      judgesFunctions,
      inBlock,
    });
    inBlock ||= opensBlock;
    return verdictOf(text, { statement, index }, hit);
  });
  if (named && family === "postgres")
    for (const index of harmlessSearchPaths(statements, verdicts)) {
      const statement = statements[index];
      if (statement !== undefined) verdicts[index] = passing(text, { statement, index });
    }
  return summary(verdicts, { dialect: name, floors, nul: text.includes("\0") });
}

function verdictOf(
  text: string,
  { statement, index }: { statement: Statement; index: number },
  hit: Hit | null,
): StatementVerdict {
  if (hit === null && statement.complete) return passing(text, { statement, index });
  const description =
    hit === null && index >= MAX_DESCRIBED ? NOT_DESCRIBED : describe(statement, hit?.at ?? 0, text);
  const base = { ...description, text: ownText(text, statement), op: hit?.op ?? wordAt(statement, 0) };
  if (hit?.rule === "drop_database") return { ...base, verdict: "deny", rule: hit.rule, reason: hit.reason };
  if (hit === null || !statement.complete)
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
