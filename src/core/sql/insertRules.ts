/** INTO that is no INSERT's, and INSERTs into places where a row is a command. */
import { nameText, qualifiedName } from "./names";
import { type Hit, opAt, type RuleContext, wordAt } from "./rule";
import type { Statement } from "./statements";
import { INSERT_MODIFIERS, SYSTEM_SCHEMAS, SYSTEM_TABLES } from "./verbs";

export function intoRule(statement: Statement): readonly Hit[] {
  const first = wordAt(statement, 0);
  // `INSERT ALL INTO a .. INTO b ..` of Oracle and Snowflake.
  const several = first === "INSERT" && /^(ALL|FIRST|OVERWRITE)$/.test(wordAt(statement, 1));
  for (const at of statement.notable) {
    if (wordAt(statement, at) !== "INTO" || opAt(statement, at - 1) === ".") continue;
    if (several || insertStands(statement, at)) continue;
    if (first === "INSERT" && fillsBinds(statement, at)) continue;
    return [
      {
        verdict: "ask",
        rule: "into",
        op: "INTO",
        at,
        reason: "SELECT .. INTO writes a table, a variable or a file",
      },
    ];
  }
  return [];
}

function insertStands(statement: Statement, into: number): boolean {
  let at = into - 1;
  while (into - at < 5 && INSERT_MODIFIERS.has(wordAt(statement, at))) at--;
  return wordAt(statement, at) === "INSERT";
}

/** Oracle's `RETURNING id INTO :a, :b` at the end of an INSERT hands values to the program that asked. */
function fillsBinds(statement: Statement, into: number): boolean {
  let at = into;
  do {
    at++;
    if (opAt(statement, at) === ":") at++;
    else if (!/^:\w/.test(paramText(statement, at))) return false;
    if (!/^(?:word|number|param)$/.test(statement.tokens[at]?.kind ?? "")) return false;
    at++;
  } while (opAt(statement, at) === ",");
  return statement.tokens[at] === undefined;
}

function paramText(statement: Statement, at: number): string {
  const token = statement.tokens[at];
  return token?.kind === "param" ? token.text : "";
}

export function insertTargetRule(statement: Statement, context: RuleContext): readonly Hit[] {
  const hits: Hit[] = [];
  for (const at of statement.notable) {
    if (wordAt(statement, at) !== "INTO") continue;
    const name = qualifiedName(statement, wordAt(statement, at + 1) === "TABLE" ? at + 2 : at + 1);
    const last = name.parts.at(-1)?.toUpperCase() ?? "";
    const qualifiers = name.parts.slice(0, -1).map((part) => part.toUpperCase());
    if (SYSTEM_TABLES.has(last) || qualifiers.some((part) => SYSTEM_SCHEMAS.has(part))) {
      hits.push({
        verdict: "ask",
        rule: "insert_target",
        op: "INSERT",
        at,
        reason: "the table belongs to the server",
      });
    } else if (context.family === "sqlite" && namesOwnColumn(statement, name.next, last)) {
      hits.push({
        verdict: "ask",
        rule: "insert_target",
        op: "INSERT",
        at,
        reason: "a row in the column named like its full-text table is a command",
      });
    }
  }
  return hits;
}

const SAFE_PRAGMA_TABLES =
  /^PRAGMA_(?:TABLE_X?INFO|TABLE_LIST|INDEX_X?INFO|INDEX_LIST|FOREIGN_KEY_LIST|FOREIGN_KEY_CHECK|DATABASE_LIST|FUNCTION_LIST|MODULE_LIST|PRAGMA_LIST|COLLATION_LIST|COMPILE_OPTIONS|INTEGRITY_CHECK|QUICK_CHECK)$/;

/** SQLite's pragmas can be read as tables too, with or without brackets; some act. */
export function pragmaTableRule(statement: Statement, context: RuleContext): readonly Hit[] {
  if (context.family !== "sqlite") return [];
  const at = statement.tokens.findIndex((token) => {
    const name = token.kind === "word" || token.kind === "name" ? nameText(token).toUpperCase() : "";
    return name.startsWith("PRAGMA_") && !SAFE_PRAGMA_TABLES.test(name);
  });
  return at < 0
    ? []
    : [{ verdict: "ask", rule: "function", op: "PRAGMA", at, reason: "this pragma may change the database" }];
}

/** `INSERT INTO ft [AS x] (.., ft, ..)` */
function namesOwnColumn(statement: Statement, from: number, table: string): boolean {
  const open = wordAt(statement, from) === "AS" ? from + 2 : from;
  if (opAt(statement, open) !== "(") return false;
  const close = statement.partner[open] ?? -1;
  return statement.tokens
    .slice(open + 1, close < 0 ? undefined : close)
    .some((token) => nameText(token).toUpperCase() === table);
}
