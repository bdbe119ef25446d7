/** Turns the schema's complaints into sentences for people. Knows the grammar, nothing of text or places. */
import type * as z from "zod";
import { visibleLine } from "../visible";
import type { Path } from "./jsonText";
import { meantKey, misplacedRuleKey, ruleMistake, ruleTable } from "./ruleMistakes";
import { configSchema, laterKeys } from "./schema";
import { keysOfTable } from "./schemaWalk";
import { nearest } from "./suggest";

export interface Mistake {
  readonly code: "config.unknown_key" | "config.type";
  readonly at: "key" | "value";
  readonly path: Path;
  readonly message: string;
  readonly suggestion?: string;
  /** What to write instead: the name of a key, or a value. */
  readonly replacement?: string | number | boolean | readonly string[];
  /** The part of a text value that is wrong, as offsets into it. */
  readonly within?: { readonly start: number; readonly end: number };
}

type Issue = z.core.$ZodIssue;

/** Nobody reads more; a file made of mistakes must not hold the editor. */
const MAX_EXPLAINED = 200;

/** One sentence per mistake: of several complaints about one value the wrong type stands, else the last, which is the most exact. */
export function explainIssues(issues: readonly Issue[], root: unknown): readonly Mistake[] {
  const byPlace = new Map<string, Mistake>();
  const wrongType = new Set<string>();
  for (const issue of issues.slice(0, MAX_EXPLAINED).flatMap(innermost)) {
    for (const mistake of explain(issue, root)) {
      const place = JSON.stringify([mistake.at, mistake.path]);
      if (wrongType.has(place)) continue;
      if (issue.code === "invalid_type") wrongType.add(place);
      byPlace.set(place, { ...mistake, message: visibleLine(mistake.message) });
    }
  }
  return withoutMisspelt([...byPlace.values()], root);
}

/** A misspelt key is missing too: the person is told once, at what they wrote. */
function withoutMisspelt(mistakes: readonly Mistake[], root: unknown): readonly Mistake[] {
  const meant = new Set(
    mistakes.flatMap(({ code, path, replacement }) =>
      code === "config.unknown_key" && typeof replacement === "string"
        ? [JSON.stringify([...path.slice(0, -1), replacement])]
        : [],
    ),
  );
  return mistakes.filter(
    ({ code, path }) =>
      code === "config.unknown_key" || !meant.has(JSON.stringify(path)) || valueAt(root, path) !== undefined,
  );
}

const pathOf = (issue: Issue): Path =>
  issue.path.map((part) => (typeof part === "number" ? part : String(part)));

/** `chain.options.quota.calls`, `chain.order[2]` */
export function dotted(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    "",
  );
}

function explain(issue: Issue, root: unknown): readonly Mistake[] {
  const path = pathOf(issue);
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, MAX_EXPLAINED).map((key) => unknownKey(path, key, root));
  if (issue.code === "invalid_key") {
    const why = issue.issues[0]?.message ?? "is not a tool name";
    const what = path[0] === "hooks" ? "this name" : "the tool's name";
    return [{ code: "config.type", at: "key", path, message: `\`${dotted(path)}\`: ${what} ${lower(why)}` }];
  }
  const value = valueAt(root, path);
  const rule = ruleMistake(issue, { name: dotted(path), value });
  if (rule !== undefined) {
    const { whole: _, ...said } = rule;
    return [{ code: "config.type", at: "value", path, ...said }];
  }
  const name = path.length === 0 ? "the document" : `\`${dotted(path)}\``;
  const message = `${name} ${demand(issue)}${instead(issue, path, value)}`;
  return [{ code: "config.type", at: "value", path, message, ...mend(issue, value) }];
}

function unknownKey(path: Path, key: string, root: unknown): Mistake {
  const table = dotted(path);
  const value = valueAt(root, path);
  const where = table === "" ? "" : ` in ${ruleTable(path, value) ?? `[${table}]`}`;
  const base = { code: "config.unknown_key", at: "key", path: [...path, key] } as const;
  if (laterKeys[table]?.includes(key)) {
    return {
      ...base,
      message: `\`${dotted([...path, key])}\` is not in this version`,
      suggestion: "remove it",
    };
  }
  const message = `unknown key \`${cut(key)}\`${where}`;
  const known = keysOfTable(configSchema, path, root);
  const misplaced = misplacedRuleKey(path, key, value);
  if (misplaced !== undefined) return { ...base, message, suggestion: misplaced };
  const near = meantKey(key, known) ?? nearest(key, known);
  if (near !== undefined) {
    return { ...base, message, suggestion: `did you mean \`${near}\`?`, replacement: near };
  }
  const elsewhere = homeOf(key);
  if (elsewhere !== undefined)
    return { ...base, message, suggestion: `\`${key}\` belongs in [${elsewhere}]` };
  return known.length > 0
    ? { ...base, message, suggestion: `known: ${known.join(", ")}` }
    : { ...base, message };
}

const tables: readonly Path[] = [
  ["chain"],
  ["chain", "options"],
  ["chain", "options", "path_allowlist"],
  ["chain", "options", "destructive_sql"],
  ["chain", "options", "quota"],
  ["chain", "options", "row_limit"],
  ["audit"],
  ["database"],
];

/** The one table that has this key, when it was written in another. */
function homeOf(key: string): string | undefined {
  const homes = tables.filter((table) => keysOfTable(configSchema, table).includes(key));
  const only = homes.length === 1 ? homes[0] : undefined;
  return only === undefined ? undefined : dotted(only);
}

function demand(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${some(issue.values.map(quoted))}`;
    case "too_big":
      return issue.origin === "number" || issue.origin === "int" || issue.origin === "bigint"
        ? `must be at most ${issue.maximum}`
        : `must not be longer than ${issue.maximum}`;
    case "too_small":
      return issue.origin === "number" || issue.origin === "int" || issue.origin === "bigint"
        ? `must be at least ${issue.minimum}`
        : "must not be empty";
    case "invalid_union":
      return `must be ${issue.errors.map(wantedType).join(" or ")}`;
    default:
      return lower(issue.message);
  }
}

const wantedType = ([issue]: readonly Issue[]): string =>
  issue?.code === "invalid_type" ? (typeNames[issue.expected] ?? issue.expected) : "another value";

/** Of a choice of shapes, the complaints of the one that was meant: whose own type is right. */
function innermost(issue: Issue): readonly Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const meant = issue.errors.find((branch) =>
    branch.every((one) => one.path.length > 0 || one.code !== "invalid_type"),
  );
  if (meant === undefined || meant.length === 0) return [issue];
  return meant.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

const typeNames: Readonly<Record<string, string>> = {
  boolean: "true or false",
  string: "text",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "a table",
  record: "a table",
};

type Mend = Pick<Mistake, "suggestion" | "replacement">;

function mend(issue: Issue, value: unknown): Mend {
  if (issue.code === "invalid_value" && typeof value === "string") {
    const words = issue.values.filter((v) => typeof v === "string");
    const near = nearest(value, words);
    return near === undefined ? {} : { suggestion: `did you mean ${quoted(near)}?`, replacement: near };
  }
  if (issue.code !== "invalid_type") return {};
  if (issue.expected === "boolean") return asBoolean(value);
  if (issue.expected === "array" && typeof value === "string") {
    return { suggestion: `write [${quoted(cut(value))}]`, replacement: [value] };
  }
  if (issue.expected === "number" && typeof value === "string") {
    const number = /^(\d{1,9}(?:\.\d{1,3})?)\s*(?:s|sec|secs|seconds?)?$/u.exec(value)?.[1];
    if (number !== undefined)
      return { suggestion: `write ${number} without quotes`, replacement: Number(number) };
  }
  return issue.expected === "int" ? { suggestion: "write a whole number" } : {};
}

function asBoolean(value: unknown): Mend {
  const word = String(value).toLowerCase();
  if (["true", "1", "yes", "on", "y", "t"].includes(word))
    return { suggestion: "write true", replacement: true };
  if (["false", "0", "no", "off", "n", "f"].includes(word))
    return { suggestion: "write false", replacement: false };
  return {};
}

/** What is there instead; a URL may hold a password and is never shown. */
function instead(issue: Issue, path: Path, value: unknown): string {
  if (path.at(-1) === "url" && typeof value === "string") return "";
  const tooSmall = issue.code === "too_small" && value === "";
  const tooLong = issue.code === "too_big" && typeof value !== "number";
  const aboutList = (issue.code === "custom" || issue.code === "too_small") && Array.isArray(value);
  // The name is what is wrong, and it stands in the message's own place.
  const isTaken = issue.code === "custom" && issue.message.startsWith("is the name of");
  return tooSmall || tooLong || aboutList || isTaken ? "" : `, not ${shown(value)}`;
}

function valueAt(root: unknown, path: Path): unknown {
  let at = root;
  for (const part of path) {
    at = typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[part] : undefined;
  }
  return at;
}

function shown(value: unknown): string {
  if (typeof value === "string") return `the text ${quoted(cut(value))}`;
  if (Array.isArray(value)) return "a list";
  if (value === null) return "null";
  if (typeof value === "symbol") return "a date";
  if (typeof value === "object") return "a table";
  return String(value);
}

const some = (words: readonly string[]): string =>
  words.length > 8 ? `${words.slice(0, 6).join(", ")}, …` : words.join(", ");
const quoted = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : String(value);
const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);
