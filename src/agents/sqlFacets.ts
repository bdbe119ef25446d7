/** SQL out of the arguments of a call. Judges nothing. */
import { type Args, isPlainObject, type SqlFacet } from "../core/call";
import { isModelTool, withoutTemplates } from "./dbtTemplates";
import { isSpoken, isWholeStatement, isWordsOnly, type ToolKind, toolKind } from "./searchTools";
import { sqlclFacets } from "./sqlclText";
import { mayRun, mayRunWithin, readsLikeSql, runsBehind, runsSpoken, withoutBefore } from "./sqlWords";
import { MAYBE_SQL, plainName, SPOKEN_ARGS, SQL_ARGS } from "./toolTables";

/** An argument of the wrong type is given as the text it prints as, so that it is judged all the same. */
export function sqlFacets(args: Args, arg: string): readonly SqlFacet[] {
  if (!Object.hasOwn(args, arg)) return [];
  return textsIn(args[arg], arg).texts.map(({ text }) => facetOf(args, arg, text));
}

function facetOf(args: Args, arg: string, text: string): SqlFacet {
  return {
    arg,
    text: hasParameters(args) ? withoutPlaceholders(text) : text,
    ...(typeof args.dialect === "string" ? { dialect: args.dialect } : {}),
  };
}

/** Values for the places that drivers write as `%s` and `%(name)s`. */
function hasParameters(args: Args): boolean {
  return ["params", "parameters", "values", "args", "bindings", "bind"].some((name) => {
    const value = args[name];
    return typeof value === "object" && value !== null;
  });
}

/** A number in their place neither opens nor closes anything; what a bracket or a letter follows is no place. */
function withoutPlaceholders(text: string): string {
  return text.replace(/%(?:\(\w{1,60}\))?s(?![\w.]|\s*[(.])/g, "1");
}

interface Named {
  readonly text: string;
  /** The plain name of what holds it. */
  readonly name: string;
}

/** Names inside an object of SQL that hold the SQL and not its values. */
const INNER = /^(?:text|sql|quer\w*|statements?|stmt|value|raw|rawsql|rawquery|q|string|command|body|code)$/;

/** Every text in the value, at any depth, JSON in a text looked into; one that holds none as it prints. */
function textsIn(value: unknown, arg: string): { readonly texts: readonly Named[]; readonly deep: boolean } {
  const texts: Named[] = [];
  let deep = false;
  // With a stack of its own: arguments may be nested as deeply as they are long.
  const open: { value: unknown; name: string }[] = [{ value, name: plainName(arg) }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { name } = one;
    const inner = typeof one.value === "string" ? jsonIn(one.value) : one.value;
    if (typeof one.value === "string" && inner === undefined) texts.push({ text: one.value, name });
    else if (Array.isArray(inner)) for (const item of inner) open.push({ value: item, name });
    else if (isPlainObject(inner)) {
      deep = true;
      for (const [key, item] of Object.entries(inner)) open.push({ value: item, name: plainName(key) });
    } else if (typeof inner === "string") open.push({ value: inner, name });
  }
  texts.reverse();
  if (deep) {
    const sql = texts.filter(
      ({ text, name }) => INNER.test(name) || readsLikeSql(text) || isWholeStatement(text),
    );
    if (sql.length > 0) return { texts: sql, deep };
  } else if (texts.length > 0) return { texts, deep };
  const printed = value === undefined || value === null || value === "" ? undefined : JSON.stringify(value);
  return {
    texts: printed === undefined || printed === "[]" ? [] : [{ text: printed, name: plainName(arg) }],
    deep,
  };
}

/**
 * SQL in the arguments of a tool nobody knows, at any depth: under names that mean SQL, and, where the tool's name speaks
 * of a database, under any name; what people read there only where it is a whole statement. JSON in a text is looked into.
 */
export function guessedSql(
  toolName: string,
  args: Args,
  kind: ToolKind = toolKind(toolName),
): readonly SqlFacet[] {
  const found: SqlFacet[] = [];
  const open: { value: unknown; path: string }[] = [{ value: args, path: "" }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { value, path } = one;
    const name = plainName(path.slice(path.lastIndexOf(".") + 1));
    if (SQL_ARGS.has(name)) {
      const { texts, deep } = textsIn(value, name);
      for (const each of texts)
        if (isSql(each, { name, kind, deep })) {
          const facet = facetOf(args, path, each.text);
          found.push(...(name === "sqlcl" ? sqlclFacets(facet) : [facet]));
        }
    } else if (Array.isArray(value)) for (const item of value) open.push({ value: item, path });
    else if (isPlainObject(value)) {
      for (const [key, item] of Object.entries(value)) open.push({ value: item, path: pathTo(path, key) });
    } else if (typeof value === "string") {
      const inner = jsonIn(value);
      if (inner !== undefined) open.push({ value: inner, path });
      else if (isHidden(value, { name, kind })) found.push(facetOf(args, path, value));
    }
  }
  found.reverse();
  return isModelTool(toolName) ? found.map(withoutTemplates) : found;
}

/** SQL under a name that does not say so. */
function isHidden(text: string, { name, kind }: Pick<Place, "name" | "kind">): boolean {
  if (!isDatabase(kind)) return name.includes("sql") && runsBehind(text);
  return SPOKEN_ARGS.has(name) || isSpoken(name) ? runsSpoken(text) : runsBehind(text);
}

/** Where arguments are nested beyond all use only the end of the path is kept. */
const MAX_PATH = 200;

function pathTo(path: string, key: string): string {
  const whole = path === "" ? key : `${path}.${key}`;
  return whole.length > MAX_PATH ? key : whole;
}

interface Place {
  /** The argument's plain name. */
  readonly name: string;
  readonly kind: ToolKind;
  /** The text stands within an object. */
  readonly deep: boolean;
}

/** A text under a name that means SQL, or may mean it. */
function isSql(one: Named, { name, kind, deep }: Place): boolean {
  const { text } = one;
  const means = !MAYBE_SQL.test(name) || (isDatabase(kind) && !name.startsWith("quer"));
  if (deep && !INNER.test(one.name))
    return isWholeStatement(withoutBefore(text)) || (means && readsLikeSql(text));
  if (means) return true;
  if (kind === "searched service") return false;
  if (isDatabase(kind)) return kind === "database" ? mayRun(text) : mayRunWithin(text);
  if (kind === "tracker") return !isWordsOnly(text) && isWholeStatement(withoutBefore(text));
  return kind === "search" ? isWholeStatement(withoutBefore(text)) : readsLikeSql(text);
}

function isDatabase(kind: ToolKind): boolean {
  return kind === "database" || kind === "searched database";
}

/** Arguments of another call, packed into a text. */
function jsonIn(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return (typeof value === "object" && value !== null) || typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
