/** SQL out of the arguments of a call. Judges nothing. */
import { type Args, isPlainObject, type SqlFacet } from "../core/call";
import { isSpoken, isWholeStatement, type ToolKind, toolKind } from "./searchTools";
import { MAYBE_SQL, plainName, SPOKEN_ARGS, SQL_ARGS, SQL_VERBS } from "./toolTables";

/** An argument of the wrong type is given as the text it prints as, so that it is judged all the same. */
export function sqlFacets(args: Args, arg: string): readonly SqlFacet[] {
  if (!Object.hasOwn(args, arg)) return [];
  const dialect = typeof args.dialect === "string" ? { dialect: args.dialect } : {};
  return textsOf(args[arg]).map((text) => ({ arg, text, ...dialect }));
}

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsOf(item));
  if (isPlainObject(value)) {
    const inner = ["text", "sql", "query", "statement"].flatMap((key) => textsOf(value[key]));
    if (inner.length > 0) return inner;
  }
  return [String(JSON.stringify(value))];
}

/** What may stand before a statement: comments, templates, a client's own commands, invisible marks. */
const BEFORE = /^(?:[\s\ufeff\u200b]+|#[^\n]*\n|\{\{[^}]*\}\}|\{%[^%]*%\}|\\+[^\n]*\n|@\w+[^\n]*\n)+/;

/** Begins with a word of SQL, a comment or a bracket: a search for "drop in revenue" passes for SQL, a question does not. */
export function readsLikeSql(text: string): boolean {
  const start = text.replace(BEFORE, "");
  if (/^(--|\/\*|\(|;)/.test(start)) return true;
  const word = /^[a-z]+/i.exec(start)?.[0].toLowerCase();
  return word !== undefined && SQL_VERBS.has(word) && /^[a-z]+([\s;(*'"`[\\@/-]|$)/i.test(start);
}

const MAX_DEPTH = 8;

/**
 * SQL in the arguments of a tool nobody knows, at any depth: under names that mean SQL, and, where the tool's name speaks
 * of a database, under any name that is not for people to read. JSON in a text is looked into.
 */
export function guessedSql(toolName: string, args: Args): readonly SqlFacet[] {
  const dialect = typeof args.dialect === "string" ? { dialect: args.dialect } : {};
  const kind = toolKind(toolName);
  const found: SqlFacet[] = [];
  const walk = (value: unknown, path: string, depth: number): void => {
    const name = plainName(path.split(".").at(-1) ?? path);
    if (SQL_ARGS.has(name)) {
      const texts = textsOf(value).filter((text) => isSql(text, name, kind));
      found.push(...texts.map((text) => ({ arg: path, text, ...dialect })));
    } else if (depth > MAX_DEPTH) return;
    else if (Array.isArray(value)) for (const item of value) walk(item, path, depth + 1);
    else if (isPlainObject(value)) {
      for (const [key, item] of Object.entries(value))
        walk(item, path === "" ? key : `${path}.${key}`, depth + 1);
    } else if (typeof value === "string") {
      const inner = jsonIn(value);
      if (inner !== undefined) walk(inner, path, depth + 1);
      else if (kind === "database" && !SPOKEN_ARGS.has(name) && !isSpoken(name) && readsLikeSql(value))
        found.push({ arg: path, text: value, ...dialect });
    }
  };
  walk(args, "", 0);
  return found;
}

/** A text under a name that means SQL, or may mean it. */
function isSql(text: string, name: string, kind: ToolKind): boolean {
  if (!MAYBE_SQL.test(name) || (kind === "database" && !name.startsWith("quer"))) return true;
  if (kind === "searched service") return false;
  return kind === "search" ? isWholeStatement(text.replace(BEFORE, "")) : readsLikeSql(text);
}

const MAX_JSON = 65_536;

/** Arguments of another call, packed into a text. */
function jsonIn(text: string): unknown {
  if (text.length > MAX_JSON || !/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
