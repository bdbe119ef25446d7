/** The names that a SQL text or a routine's body holds: what it may read, call or do. Knows no catalogue; holds rather too many names than too few. */
import { findDialect } from "../../core/sql/dialects";
import { lex } from "../../core/sql/lexer";
import type { Token } from "../../core/sql/lexState";
import { nameText } from "../../core/sql/names";

export interface SqlNames {
  /** Every name, bare ones in lower case, quoted ones as written. */
  readonly names: ReadonlySet<string>;
  /** Those that may be called: before a bracket, or behind a dot. */
  readonly called: ReadonlySet<string>;
  /** Those of them that stand before a bracket. */
  readonly bracketed: ReadonlySet<string>;
  /** Every operator that the signs may be read as. */
  readonly operators: ReadonlySet<string>;
  /** A verb of a body that is not known to leave everything as it is; null = none. */
  readonly acting: string | null;
}

/** Acting wherever they stand outside of quotes. */
const ACTING = words(
  "INSERT UPDATE DELETE MERGE REPLACE TRUNCATE DROP ALTER CREATE GRANT REVOKE EXECUTE COPY CALL OUTFILE DUMPFILE HANDLER",
);
/** Acting where a statement may begin; elsewhere people name columns so. */
const ACTING_FIRST = words(
  "ABORT ANALYZE CHECKPOINT CLUSTER COMMENT COMMIT DEALLOCATE DISCARD DO IMPORT LISTEN LOAD LOCK MOVE NOTIFY PREPARE REASSIGN REFRESH REINDEX RELEASE RENAME RESET ROLLBACK SAVEPOINT SECURITY SET START UNLISTEN VACUUM FLUSH KILL OPTIMIZE REPAIR PURGE INSTALL UNINSTALL",
);
const BEGINNERS = words("BEGIN THEN ELSE LOOP DO AS EXPLAIN");
const SIGNS = /[-+*/<>=~!@#%^&|`?]+/g;
/** Bytes; PostgreSQL cuts longer names. */
const LONGEST_NAME = 63;
const MAX_OPERATOR = 8;

export function sqlNames(text: string, dialect: "postgres" | "mysql"): SqlNames {
  const names = new Set<string>();
  const called = new Set<string>();
  const bracketed = new Set<string>();
  let acting: string | null = null;
  for (const profile of findDialect(dialect)?.readings ?? []) {
    const { tokens } = lex(text, profile);
    for (const [at, token] of tokens.entries()) {
      if (token.kind === "bad") acting ??= "UNREADABLE";
      acting ??= actingWord(tokens, at, dialect);
      const found = spellings(token, dialect);
      for (const name of found) names.add(name);
      if (tokens[at + 1]?.text === "(") for (const name of found) bracketed.add(name).size, called.add(name);
      if (tokens[at - 1]?.text === ".") for (const name of found) called.add(name);
    }
  }
  return { names, called, bracketed, operators: operatorsIn(text), acting };
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

function actingWord(tokens: readonly Token[], at: number, dialect: string): string | null {
  const token = tokens[at];
  if (token?.kind !== "word") return null;
  const before = tokens[at - 1];
  const calls = tokens[at + 1]?.text === "(";
  if (ACTING.has(token.text)) {
    // REPLACE(a, b, c) and INSERT(a, 1, 2, b) are functions; FOR UPDATE locks.
    if (calls && /^(?:REPLACE|INSERT|TRUNCATE)$/.test(token.text) && tokens[at - 1]?.text !== "(") return null;
    return token.text === "UPDATE" && before?.text === "FOR" ? null : token.text;
  }
  const first = before === undefined || before.kind === "end" || before.text === ";" || BEGINNERS.has(before.text);
  if (!first || !ACTING_FIRST.has(token.text)) return null;
  // MySQL's bodies set their variables by SET, and loop by DO.
  if (dialect === "mysql" && token.text === "SET") return setsOwn(tokens, at) ? null : "SET";
  return token.text;
}

/** `SET x = ..` within a body, and not a server variable. */
function setsOwn(tokens: readonly Token[], at: number): boolean {
  return !/^(?:GLOBAL|SESSION|LOCAL|PERSIST|PASSWORD|ROLE|TRANSACTION|DEFAULT|STATEMENT)$/.test(tokens[at + 1]?.text ?? "") &&
    !(tokens[at + 1]?.text ?? "").startsWith("@@");
}

function spellings(token: Token, dialect: string): readonly string[] {
  if (token.kind === "word") return [cut(token.text.toLowerCase(), dialect)];
  if (token.kind !== "name") return [];
  const name = nameText(token);
  const all = name.includes("\\") ? [name, unicode(name)] : [name];
  return all.map((one) => cut(one, dialect));
}

/** `U&"\0061"` */
function unicode(name: string): string {
  return name.replace(/\\(?:\+([0-9a-f]{6})|([0-9a-f]{4}))/gi, (whole, six?: string, four?: string) => {
    const code = Number.parseInt(six ?? four ?? "", 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function cut(name: string, dialect: string): string {
  if (dialect !== "postgres" || name.length * 3 <= LONGEST_NAME) return name;
  const bytes = new TextEncoder().encode(name);
  if (bytes.length <= LONGEST_NAME) return name;
  let end = LONGEST_NAME;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return new TextDecoder().decode(bytes.slice(0, end));
}

function operatorsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [run] of text.matchAll(SIGNS)) {
    const signs = run.slice(0, 64);
    for (let from = 0; from < signs.length; from += 1)
      for (let size = 1; size <= MAX_OPERATOR && from + size <= signs.length; size += 1)
        found.add(signs.slice(from, from + size));
  }
  return found;
}
