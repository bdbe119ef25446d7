/** What a tool that is known was given in no argument that is known: values in a row, or other names. Judges nothing. */
import {
  type Args,
  type CommandFacet,
  isPlainObject,
  type PathFacet,
  type Shell,
  type SqlFacet,
} from "../core/call";
import { commandText } from "./commandText";
import { guessedSql, sqlFacets } from "./sqlFacets";
import { mayRun, readsLikeSql } from "./sqlWords";

/** Where a function's arguments stand that was not called with one object. */
const IN_A_ROW = "_args";

/** The values of a call that names none of them; undefined where it names them. */
export function valuesInARow(args: Args): readonly unknown[] | undefined {
  const values = Object.hasOwn(args, IN_A_ROW) ? args[IN_A_ROW] : undefined;
  return Array.isArray(values) ? values : undefined;
}

interface Text {
  readonly arg: string;
  readonly text: string;
}

/** Every text, at any depth and in its order; those within objects too where `into` is "objects". */
function textsIn(given: Args, into: "lists" | "objects"): readonly Text[] {
  const texts: Text[] = [];
  const open = Object.entries(given).reverse();
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [arg, value] = one;
    if (typeof value === "string") texts.push({ arg, text: value });
    else if (Array.isArray(value) || (into === "objects" && isPlainObject(value)))
      open.push(
        ...Object.entries(value)
          .map(([key, inner]) => [labelOf(arg, key), inner] as [string, unknown])
          .reverse(),
      );
  }
  return texts;
}

/** Where arguments are nested beyond all use only the end of the path is kept. */
const labelOf = (arg: string, key: string): string => (arg.length > 200 ? key : `${arg}.${key}`);

/** Each text as a command, and each list as the words of one. */
export function unnamedCommands(args: Args, shell: Shell): readonly CommandFacet[] {
  const lists = listsIn(args).flatMap(({ arg, value }) =>
    commandText({ [arg]: value }, arg).map((text) => ({ arg, text, shell })),
  );
  const texts = textsIn(args, "objects").filter(({ text }) => text.trim() !== "");
  return [...texts.map((one) => ({ ...one, shell })), ...lists];
}

function listsIn(args: Args): readonly { readonly arg: string; readonly value: readonly unknown[] }[] {
  const lists: { arg: string; value: readonly unknown[] }[] = [];
  const open: [string, unknown][] = Object.entries(args);
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [arg, value] = one;
    if (Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === "string"))
      lists.push({ arg, value });
    if (typeof value === "object" && value !== null)
      open.push(
        ...Object.entries(value).map(([key, inner]) => [labelOf(arg, key), inner] as [string, unknown]),
      );
  }
  return lists;
}

/** Each text that may name a file; the first of values in a row in any case. */
export function unnamedPaths(args: Args, how: Pick<PathFacet, "access" | "strict">): readonly PathFacet[] {
  return textsIn(args, "lists")
    .filter(({ arg, text }) => text !== "" && (how.strict || arg === `${IN_A_ROW}.0` || mayBePath(text)))
    .map(({ arg, text }) => ({ arg, path: text, ...how }));
}

/** Contents of files have many lines, and what has an address is no file; `file:` has one. */
function mayBePath(text: string): boolean {
  const path = text.trim();
  const isAddress = /^[a-z][a-z0-9+.-]+:\/\//i.test(path) && !/^file:/i.test(path);
  return path !== "" && path.length <= 1024 && !path.includes("\n") && !isAddress;
}

/**
 * SQL of a tool whose argument for it is `name`. Of several values nobody knows which one is the SQL: what may be, is
 * judged, and what cannot be told from it is asked about.
 */
export function unnamedSql(args: Args, name: string): readonly SqlFacet[] {
  const row = valuesInARow(args);
  if (row === undefined && sqlFacets(args, name).length > 0) return [];
  const found = guessedSql("", args, "database");
  const known = new Set(found.map(({ text }) => text));
  const why = `The call must have one object such as { ${name} }: it cannot be told which of its values is the SQL.`;
  const texts = textsIn(row === undefined ? args : { [IN_A_ROW]: row }, "lists").filter(
    ({ text }) => text.trim() !== "",
  );
  const only = texts.length === 1 && row !== undefined;
  const rest = texts
    .filter(({ text }) => !known.has(text))
    .flatMap(({ arg, text }): readonly SqlFacet[] => {
      if (only || (mayRun(text) && (readsLikeSql(text) || /\s/.test(text)))) return [{ arg, text }];
      return mayRun(text) && row !== undefined ? [{ arg, text, why }] : [];
    });
  if (found.length + rest.length > 0) return [...found, ...rest];
  return texts.slice(0, 1).map(({ arg, text }) => ({ arg, text, why }));
}
