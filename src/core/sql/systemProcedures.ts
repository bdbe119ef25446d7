/** SQL Server's own procedures that only read, by name and by the arguments they may be given. Knows no other EXEC. */
import { nameText, qualifiedName } from "./names";
import { opAt, wordAt } from "./rule";
import type { Statement } from "./statements";
import { ASKING_STARTS, READING_STARTS } from "./verbs";
import { setOf } from "./wordList";

/** A user's procedure of such a name is never run in their place while no schema of the user is named. */
const READING =
  setOf(`sp_help sp_helptext sp_helpindex sp_helpconstraint sp_helpdb sp_helpfile sp_helpfilegroup sp_helpuser sp_helprole
  sp_helprolemember sp_helpsrvrole sp_helpsrvrolemember sp_helpdbfixedrole sp_helplogins sp_helprotect sp_helpstats
  sp_helptrigger sp_helpserver sp_helpsort sp_helplanguage sp_helpextendedproc sp_helpntgroup sp_columns
  sp_column_privileges sp_tables sp_table_privileges sp_pkeys sp_fkeys sp_statistics sp_special_columns
  sp_stored_procedures sp_sproc_columns sp_databases sp_linkedservers sp_server_info sp_datatype_info sp_who sp_who2
  sp_lock sp_depends sp_spaceused sp_describe_first_result_set sp_describe_undeclared_parameters`);

const OWNERS: ReadonlySet<string> = new Set(["sys", "master.sys", "master.dbo", "master."]);

/** `EXEC sp_help 't'` and its kind, with nothing behind the arguments: the batch needs no mark between statements. */
export function isReadingProcedure(statement: Statement): boolean {
  const first = wordAt(statement, 0);
  if (first !== "EXEC" && first !== "EXECUTE") return false;
  const { parts, next } = procedureName(statement);
  const name = (parts.at(-1) ?? "").toLowerCase();
  const owner = parts.slice(0, -1).join(".").toLowerCase();
  if (!READING.has(name) || (parts.length > 1 && !OWNERS.has(owner))) return false;
  const count = countArguments(statement, next);
  // The second one of `sp_spaceused` writes corrected figures.
  return count >= 0 && (name !== "sp_spaceused" || count <= 1);
}

/** `master..sp_who2` leaves its schema out. */
function procedureName(statement: Statement): ReturnType<typeof qualifiedName> {
  if (opAt(statement, 2) !== "." || opAt(statement, 3) !== ".") return qualifiedName(statement, 1);
  const rest = qualifiedName(statement, 4);
  const database = statement.tokens[1];
  return { parts: [database === undefined ? "" : nameText(database), "", ...rest.parts], next: rest.next };
}

/** How many plain arguments there are up to the end of the statement; -1 = something else stands there. */
function countArguments(statement: Statement, from: number): number {
  let at = from;
  for (let count = 0; ; count++) {
    if (statement.tokens[at] === undefined) return count === 0 ? 0 : -1;
    if (statement.tokens[at]?.kind === "param" && opAt(statement, at + 1) === "=") {
      if (/^@updateusage$/i.test(statement.tokens[at]?.text ?? "")) return -1;
      at += 2;
    }
    if (wordAt(statement, at) === "N" && statement.tokens[at + 1]?.kind === "string") at++;
    if (!isPlainArgument(statement, at)) return -1;
    at++;
    if (statement.tokens[at] === undefined) return count + 1;
    if (opAt(statement, at) !== ",") return -1;
    at++;
  }
}

/** A word is a text without quotes here, unless it begins the next statement. */
function isPlainArgument(statement: Statement, at: number): boolean {
  const token = statement.tokens[at];
  if (token === undefined) return false;
  if (token.kind === "word")
    return token.text === "NULL" || !(READING_STARTS.has(token.text) || ASKING_STARTS.has(token.text));
  return /^(?:string|name|number|param)$/.test(token.kind);
}
