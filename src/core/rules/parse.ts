/** Text to configuration, with every mistake at its place. Never throws; knows nothing of files or layers. */
import { parse as parseToml, TomlError } from "smol-toml";
import type { Problem, Result } from "../errors";
import { allIssues } from "./allIssues";
import { type Path, parseJsonText, type Spans } from "./jsonText";
import { type Places, placesOf, type Range, rangesOf, tomlSpans } from "./locate";
import { explainIssues, type Mistake } from "./mistakes";
import type { ConfigFile } from "./schema";
import type { HooksConfig } from "./schemaHooks";
import { soundHandlers } from "./soundHandlers";

export type ConfigFormat = "toml" | "json";

export interface ConfigText {
  readonly text: string;
  /** Named in problems. */
  readonly file: string;
  readonly format: ConfigFormat;
}

/** 1 MiB, in UTF-16 units here and in bytes where files are read. */
export const MAX_CONFIG_SIZE = 1_048_576;
const MAX_PROBLEMS = 100;

interface Tree {
  readonly value: unknown;
  readonly places: () => Places;
}

/** What the text says, unchanged and without defaults; or at most 100 problems in the order of the text. */
export function parseConfig(source: ConfigText): Result<ConfigFile> {
  const tree = readTree(source);
  return tree.ok ? checkConfig(source, tree.value) : tree;
}

/** Of a text that `parseConfig` refuses: its handlers that are whole, at their places, so that the rest that is wrong with them can be told too. */
export function handlersDespite(source: ConfigText): HooksConfig {
  const tree = readTree(source);
  return soundHandlers(allIssues(tree.ok ? plainCopy(tree.value.value, [], []) : {}));
}

function readTree(source: ConfigText): Result<Tree> {
  const text = source.text.startsWith("\ufeff") ? source.text.slice(1) : source.text;
  if (text.length > MAX_CONFIG_SIZE) {
    const first = { line: 1, column: 1, endLine: 1, endColumn: 1 };
    return broken([syntax(source, first, "the file is larger than 1 MiB")]);
  }
  return source.format === "toml" ? readToml(source, text) : readJson(source, text);
}

function broken(problems: readonly Problem[]): { ok: false; problems: readonly Problem[] } {
  return { ok: false, problems };
}

function syntax(source: ConfigText, range: Range, message: string, suggestion?: string): Problem {
  return {
    code: "config.syntax",
    file: source.file,
    ...range,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

function readToml(source: ConfigText, text: string): Result<Tree> {
  try {
    const value: unknown = parseToml(text, { integersAsBigInt: "asNeeded", maxDepth: 64 });
    return { ok: true, value: { value, places: () => placesOf(text, tomlSpans(text)) } };
  } catch (error) {
    if (error instanceof TomlError) {
      const { line, column } = error;
      const message = (error.message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /u, "not TOML: ");
      const suggestion = hintFor(text, line, message);
      return broken([
        syntax(source, { line, column, endLine: line, endColumn: column + 1 }, message, suggestion),
      ]);
    }
    const first = { line: 1, column: 1, endLine: 1, endColumn: 1 };
    return broken([syntax(source, first, "not TOML: the document cannot be read")]);
  }
}

/** A sentence for the mistakes that people make most. */
function hintFor(text: string, line: number, message: string): string | undefined {
  const written = text.split("\n")[line - 1] ?? "";
  if (/escape/iu.test(message))
    return "in double quotes a backslash is written twice; in single quotes, '…', it means itself";
  if (message.includes("redefine")) return "set each key and each table once";
  if (/=\s*(?:True|False|yes|no|on|off)\b/u.test(written)) return "write `true` or `false`";
  if (/=\s*[A-Za-z]/u.test(written)) return 'put text in double quotes: "…"';
  if (/^\s*[\w.-]+\s*:/u.test(written)) return "write `key = value`";
  if (/^\s*\/\//u.test(written)) return "a comment begins with #";
  if (/^\s*\{/u.test(written) && line === 1) return "name a file of JSON `gateway-hooks.json`";
  return undefined;
}

function readJson(source: ConfigText, text: string): Result<Tree> {
  const read = parseJsonText(text);
  if (!read.ok) return broken([syntax(source, rangesOf(text)(read.span), `not JSON: ${read.message}`)]);
  const spans: ReadonlyMap<string, Spans> = read.spans;
  return { ok: true, value: { value: read.value, places: () => placesOf(text, spans) } };
}

/** Stands for a TOML date, which no key takes and which zod would take for an empty table. */
const DATE = Symbol("date");

/** A copy that holds only what JSON holds; notes each `__proto__`, which zod passes over in silence. */
function plainCopy(value: unknown, path: Path, unsafe: Path[]): unknown {
  if (value instanceof Date) return DATE;
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map((item, index) => plainCopy(item, [...path, index], unsafe));
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    if (key === "__proto__") unsafe.push(at);
    else entries.push([key, plainCopy(inner, at, unsafe)]);
  }
  return Object.fromEntries(entries);
}

function checkConfig(source: ConfigText, tree: Tree): Result<ConfigFile> {
  const unsafe: Path[] = [];
  const value = plainCopy(tree.value, [], unsafe);
  const { issues } = allIssues(value);
  // The schema has just held it to be one.
  if (issues.length === 0 && unsafe.length === 0) return { ok: true, value: value as ConfigFile };
  const mistakes: Mistake[] = unsafe.map((path) => ({
    code: "config.unknown_key",
    at: "key",
    path,
    message: "unknown key `__proto__`",
  }));
  if (issues.length > 0) mistakes.push(...explainIssues(issues, value));
  const places = tree.places();
  const problems = mistakes.map((mistake) => problemOf(source, mistake, places));
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return broken(problems.slice(0, MAX_PROBLEMS));
}

function problemOf({ file, format }: ConfigText, mistake: Mistake, places: Places): Problem {
  const { at, code, message, path, suggestion, replacement, within } = mistake;
  const range = at === "key" ? places.key(path) : places.value(path, within);
  // A bare word is a key of TOML; every other replacement is written alike in both languages.
  const bare = at === "key" && format === "toml" && typeof replacement === "string";
  return {
    code,
    file,
    ...range,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(replacement === undefined ? {} : { replacement: bare ? replacement : JSON.stringify(replacement) }),
  };
}
