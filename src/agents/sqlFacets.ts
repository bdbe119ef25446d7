/** SQL out of the arguments of a call. Judges nothing. */
import { type Args, isPlainObject, type SqlFacet } from "../core/call";
import { SQL_VERBS } from "./toolTables";

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

/** Begins with a word of SQL, a comment or a bracket: a search for "drop in revenue" passes for SQL, a question does not. */
export function readsLikeSql(text: string): boolean {
  const start = text.trimStart();
  if (/^(--|\/\*|\(|;)/.test(start)) return true;
  const word = /^[a-z]+/i.exec(start)?.[0].toLowerCase();
  return word !== undefined && SQL_VERBS.has(word) && /^[a-z]+([\s;(*'"`[\\@/-]|$)/i.test(start);
}
