/** Judges a SQL text: allow, ask or deny, with the statement to blame. Own lexer and rules decide; no parser is asked here. */
import { type Description, describe, outline } from "./describe";
import { DIALECTS, type Dialect, findDialect, OTHER_DIALECTS, type Profile } from "./dialects";
import { type Lexed, lex } from "./lexer";
import type { Floor } from "./lexState";
import { mayDropWhole } from "./mayDropWhole";
import { factsThatMatter, profileKey } from "./profileKey";
import { type Hit, type RuleName, wordAt } from "./rule";
import { judgeStatement } from "./statementRules";
import { type Statement, splitStatements } from "./statements";
import { isNotable } from "./verbs";

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
};

const EVERY_DIALECT: readonly Dialect[] = [...DIALECTS, ...OTHER_DIALECTS];

const RANK: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

export function classifySql(text: string, options: ClassifyOptions = {}): SqlVerdict {
  const named = dialectsOf(options.dialect);
  if (text.length > MAX_SQL_TEXT) return tooLong(text, named[0]?.name ?? "unknown");
  const readings = readAll(text, named);
  const [only] = readings;
  if (readings.length === 1 && only !== undefined && !only.unparseable) return only;
  const readable = readings.filter((reading) => !reading.unparseable);
  // What stands complete before a failure may run before the failure is met.
  const partial = readings.filter((reading) => reading.unparseable).map(completePart);
  const strictest = pick([...readable, ...partial.filter((part) => part.verdict !== "allow")]);
  if (readable.length > 0 && strictest !== undefined) return strictest;
  const hard = partial.find((part) => part.verdict === "deny");
  return hard ?? pick(readings) ?? tooLong(text, "unknown");
}

function dialectsOf(names: string | readonly string[] | undefined): readonly Dialect[] {
  const list = typeof names === "string" ? [names] : (names ?? []);
  const found = list.map(findDialect);
  return found.length === 0 || found.includes(undefined)
    ? EVERY_DIALECT
    : found.filter((one) => one !== undefined);
}

/** Of equals the first, so that the named or most common dialect words the prompt. */
function pick(readings: readonly SqlVerdict[]): SqlVerdict | undefined {
  let best: SqlVerdict | undefined;
  for (const reading of readings) {
    if (best === undefined || RANK[reading.verdict] > RANK[best.verdict]) best = reading;
  }
  return best;
}

/** The first reading that asks settles it, unless a whole database could still be dropped in another one. */
function readAll(text: string, dialects: readonly Dialect[]): readonly SqlVerdict[] {
  const [single] = dialects;
  const [reading] = single?.readings ?? [];
  if (single !== undefined && reading !== undefined && dialects.length === 1 && single.readings.length === 1)
    return [judge(text, single, read(text, reading))];
  const facts = factsThatMatter(text, dialects);
  const lexed = new Map<string, { lexed: Lexed; statements: readonly Statement[] }>();
  const seen = new Set<string>();
  const out: SqlVerdict[] = [];
  for (const dialect of dialects) {
    const own = ["tsql", "sqlite", "mysql", "oracle"].includes(dialect.family) ? dialect.family : "";
    const rules = `${own}|${dialect.judgesFunctions}`;
    for (const profile of dialect.readings) {
      const key = profileKey(facts, profile);
      if (seen.has(`${key}|${rules}`)) continue;
      seen.add(`${key}|${rules}`);
      const tokens = lexed.get(key) ?? read(text, profile);
      lexed.set(key, tokens);
      const verdict = judge(text, dialect, tokens);
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
  dialect: Dialect,
  { lexed, statements }: { lexed: Lexed; statements: readonly Statement[] },
): SqlVerdict {
  let inBlock = false;
  const verdicts = statements.map((statement, index) => {
    const judged = judgeStatement(statement, {
      family: dialect.family,
      judgesFunctions: dialect.judgesFunctions,
      inBlock,
    });
    inBlock ||= judged.opensBlock;
    return verdictOf(text, { statement, index }, judged.hit);
  });
  return summary(verdicts, { dialect: dialect.name, floors: [...lexed.floors], nul: text.includes("\0") });
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

interface Whole {
  readonly dialect: string;
  readonly floors: readonly Floor[];
  readonly nul: boolean;
}

function summary(statements: readonly StatementVerdict[], whole: Whole): SqlVerdict {
  let worst = -1;
  for (const [index, one] of statements.entries()) {
    const best = statements[worst];
    if (best === undefined || severity(one) > severity(best)) worst = index;
  }
  const one = statements[worst];
  const base = { statements, worst, dialect: whole.dialect, floors: whole.floors };
  const hard = one?.rule === "drop_database";
  if (whole.nul && !hard)
    return {
      ...base,
      verdict: "deny",
      rule: "unreadable",
      reason: "the text holds a NUL character",
      unparseable: true,
    };
  const floor = whole.floors[0];
  if (floor !== undefined && one?.verdict !== "ask" && one?.verdict !== "deny") {
    return {
      ...base,
      verdict: "ask",
      rule: "floor",
      reason: `${floor}: servers read this text differently`,
      unparseable: false,
    };
  }
  if (one === undefined)
    return { ...base, verdict: "allow", rule: "none", reason: "nothing to run", unparseable: false };
  return {
    ...base,
    verdict: one.verdict,
    rule: one.rule,
    reason: one.reason,
    unparseable: one.verdict === "deny" && !hard,
  };
}

function severity(one: StatementVerdict): number {
  if (one.rule === "drop_database") return 4;
  // A statement without a condition is the one a person must see.
  return one.verdict === "ask" ? (one.hasWhere ? 1 : 2) : one.verdict === "deny" ? 3 : 0;
}

function completePart(reading: SqlVerdict): SqlVerdict {
  // In Transact-SQL a name at the start of a batch calls the procedure of that name; `#` alone is none.
  const complete = reading.statements.flatMap((one): readonly StatementVerdict[] => {
    if (one.rule === "not_sql")
      return reading.dialect === "tsql" && /[^#]/.test(one.op) ? [{ ...one, verdict: "ask" }] : [];
    return one.rule === "unreadable" ? [] : [one];
  });
  return summary(complete, { dialect: reading.dialect, floors: [], nul: false });
}

const UNREAD = "text is longer than 256 KiB and was not read";

function tooLong(text: string, dialect: string): SqlVerdict {
  const drops = mayDropWhole(text);
  return {
    verdict: drops ? "deny" : "ask",
    statements: [],
    rule: drops ? "drop_database" : "too_long",
    reason: drops ? `The ${UNREAD}, and it may drop a whole database or schema` : `the ${UNREAD}`,
    worst: -1,
    unparseable: false,
    dialect,
    floors: [],
  };
}
