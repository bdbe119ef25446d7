/** Bounds the rows of a reading statement in the words of its dialect. Changes nothing that it is not sure of; judges nothing. */
import { type Dialect, findDialect, type Profile } from "./dialects";
import { lex } from "./lexer";
import { type Insertion, isReading, type Reading, readingOf } from "./limitReading";
import { isSoleTsql, topOf } from "./limitTsql";
import { factsThatMatter, profileKey } from "./profileKey";
import { type Statement, splitStatements } from "./statements";
import { TRANSACTION_WORDS } from "./verbs";

export interface RowLimitOptions {
  /** A name or synonym; with an unknown one nothing is changed. */
  readonly dialect: string;
  /** Whole number of at least 1. */
  readonly max: number;
}

/** Longer texts are left alone, in UTF-16 units: this runs in the thread of everything else. */
export const MAX_LIMITED_TEXT = 8192;

/**
 * The text with a limit in its last statement, or null where it stays as it is: the statement does more than read, has a
 * limit of its own at its top level, takes none there, or is cut differently by a setting of the server.
 */
export function limitRows(sql: string, { dialect: name, max }: RowLimitOptions): string | null {
  const dialect = findDialect(name);
  if (dialect === undefined || sql.length > MAX_LIMITED_TEXT) return null;
  const facts = factsThatMatter(sql, dialect);
  const profiles = new Map(dialect.readings.map((profile) => [profileKey(facts, profile), profile]));
  const [first, ...others] = [...profiles.values()].map((profile) =>
    inReading(sql, { dialect, profile, max }),
  );
  if (first === undefined || first === null) return null;
  const agreed = others.every((other) => other?.at === first.at && other.text === first.text);
  return agreed ? sql.slice(0, first.at) + first.text + sql.slice(first.at) : null;
}

function inReading(
  sql: string,
  { dialect, profile, max }: { dialect: Dialect; profile: Profile; max: number },
): Insertion | null {
  const { tokens, floors } = lex(sql, profile);
  if (floors.length > 0) return null;
  const statements = splitStatements(tokens);
  const last = statements.at(-1);
  if (last === undefined || !statements.every((one) => one.complete)) return null;
  if (!statements.slice(0, -1).every((one) => standsAlone(one, dialect))) return null;
  const reading = readingOf(last, dialect);
  if (reading === null || !isReading(last)) return null;
  if (dialect.family !== "tsql") return appended(reading, dialect, max);
  return isSoleTsql(reading) ? topOf(sql, reading, max) : null;
}

const BEFORE = new Set([
  "SELECT",
  "VALUES",
  "INSERT",
  "UPDATE",
  "DELETE",
  "SET",
  "USE",
  "COMMIT",
  "ROLLBACK",
]);

/** What follows is a statement of its own: this one opens neither a block nor a stored body. */
function standsAlone({ tokens }: Statement, { family }: Dialect): boolean {
  const words = tokens.map((token) => (token.kind === "word" ? token.text : ""));
  const [first = "", second] = words;
  // Without separators a block could begin anywhere in a longer one.
  if (family === "tsql") return (first === "SET" || first === "USE") && tokens.length <= 3;
  if (BEFORE.has(first)) return true;
  if (first === "BEGIN" || first === "START") return second === undefined || TRANSACTION_WORDS.has(second);
  const kind = words.slice(1).find((word) => word !== "TEMP" && word !== "TEMPORARY" && word !== "UNIQUE");
  return first === "CREATE" && (kind === "TABLE" || kind === "INDEX" || kind === "VIEW");
}

/** Behind the last token, or before the clause that locks rows. */
function appended({ top, statement }: Reading, { family }: Dialect, max: number): Insertion | null {
  const lock = top.find(
    ({ text, next }) =>
      (text === "FOR" && /^(?:UPDATE|SHARE|NO|KEY|READ)$/.test(next)) || (text === "LOCK" && next === "IN"),
  );
  const before = statement.tokens[(lock?.index ?? statement.tokens.length) - 1];
  if (before === undefined) return null;
  if (family === "oracle")
    return lock === undefined ? { at: before.end, text: ` FETCH FIRST ${max} ROWS ONLY` } : null;
  return { at: before.end, text: ` LIMIT ${max}` };
}
