/** Words of a bash syntax tree to the texts they may become, variables of the same text included. Knows no command. */
import type { Word, WordPart } from "unbash";
import { changedValue } from "./changedValue";
import { printedWords } from "./printedWord";

/** What a variable may hold; null = nobody can tell. */
export type Variables = ReadonlyMap<string, readonly WordText[] | null>;

export interface WordText {
  /** `UNKNOWN` stands for a piece nobody can tell. */
  readonly text: string;
  /** Holds an unquoted wildcard, kept as written. */
  readonly glob: boolean;
  /** Begins with an unquoted `~`, or with $HOME. */
  readonly home: boolean;
}

export const UNKNOWN = "\u0001";
const MAX_TEXTS = 16;
/** `A=$A$A` doubles: longer texts are no path anyway. */
const MAX_TEXT = 8192;

export function expandWord(word: Word, variables: Variables): readonly WordText[] {
  const home = word.text.startsWith("~");
  if (word.parts === undefined) return [{ text: word.value, glob: false, home }];
  return joined({ text: "", glob: false, home }, word.parts, variables);
}

function joined(start: WordText, parts: readonly WordPart[], variables: Variables): readonly WordText[] {
  let texts: readonly WordText[] = [start];
  for (const part of parts) {
    const options = partTexts(part, variables);
    if (texts.length * options.length > MAX_TEXTS) return [plain(UNKNOWN)];
    texts = texts.flatMap((head) => options.map((tail) => join(head, tail)));
    if (texts.some(({ text }) => text.length > MAX_TEXT)) return [plain(UNKNOWN)];
  }
  return texts;
}

function join(head: WordText, tail: WordText): WordText {
  const home = head.home || (head.text === "" && tail.home);
  return { text: head.text + tail.text, glob: head.glob || tail.glob, home };
}

function isText(text: string | undefined): text is string {
  return text !== undefined;
}

function plain(text: string): WordText {
  return { text, glob: false, home: false };
}

function partTexts(part: WordPart, variables: Variables): readonly WordText[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [plain(part.value)];
    case "Glob":
    case "ExtendedGlob":
      return [{ text: part.text, glob: true, home: false }];
    case "DoubleQuoted":
    case "LocaleString":
      return joined(plain(""), part.parts, variables);
    case "SimpleExpansion":
      return variable(part.text.slice(1), variables);
    case "ParameterExpansion":
      return parameter(part, variables);
    case "BraceExpansion":
      return braceTexts(part.text);
    case "CommandExpansion": {
      const printed = printedWords(part.text, part.script);
      return printed.length > 0 ? printed.map(plain) : [plain(printedFolder(part.text))];
    }
    default:
      return [plain(UNKNOWN)];
  }
}

function parameter(
  part: WordPart & { type: "ParameterExpansion" },
  variables: Variables,
): readonly WordText[] {
  if (part.prefix === "!" && part.operation === undefined)
    return variable(part.parameter, variables).flatMap(({ text }) => variable(text, variables));
  if (part.prefix !== undefined) return [plain(UNKNOWN)];
  const { operation } = part;
  if (operation === undefined) return variable(part.parameter, variables);
  const whole = variable(part.parameter, variables);
  // `${X:-/etc}` may be either, `${X:+/etc}` that or nothing.
  if (operation.type === "Default") {
    const other = expandWord(operation.operand, variables);
    return operation.operator.includes("+") ? [plain(""), ...other] : [...whole, ...other];
  }
  const changed = whole.map(({ text }) => changedValue(text, operation));
  if (whole.every(({ text, home }) => !text.includes(UNKNOWN) && !home) && changed.every(isText))
    return changed.map(plain);
  // `${HOME%/}`: what is cut or changed cannot be told; that it is not is one of the readings.
  return whole.some(({ text }) => text === UNKNOWN) ? [plain(UNKNOWN)] : [...whole, plain(UNKNOWN)];
}

function variable(name: string, variables: Variables): readonly WordText[] {
  const known = variables.get(name);
  if (known !== undefined) return known ?? [plain(UNKNOWN)];
  if (name === "HOME") return [{ text: "~", glob: false, home: true }];
  if (name === "PWD") return [plain(".")];
  if (name === "TMPDIR") return [plain("/tmp")];
  return [plain(UNKNOWN)];
}

/** Folders that commands are asked for every day. */
function printedFolder(text: string): string {
  const command = text.replace(/^(\$\(|`)\s*|\s*(\)|`)$/g, "").replace(/\s+2>\s*\/dev\/null$/, "");
  if (/^pwd( -[LP])?$/.test(command)) return ".";
  if (/^mktemp( -d| -q| --directory| -t [\w.-]+)*$/.test(command)) return "/tmp/tmp.mktemp";
  const said = /^(?:(?:echo|printf)(?: -n| --)*|which|command -v|type -[pP]) +(["']?)([\w@+=:,./-]+)\1$/.exec(
    command,
  );
  if (said !== null) return said[2] ?? UNKNOWN;
  if (/^dirname "?(\$PWD|\$\(pwd\))"?$/.test(command)) return "..";
  const git = /^git rev-parse --(show-toplevel|git-dir|git-common-dir|absolute-git-dir|git-path (\S+))$/.exec(
    command,
  );
  if (git === null) return UNKNOWN;
  if (git[2] !== undefined) return `.git/${git[2]}`;
  return git[1] === "show-toplevel" ? "." : ".git";
}

/** Flat lists `{a,b}` are spelt out; nested ones and ranges count as a wildcard. */
function braceTexts(text: string): readonly WordText[] {
  // The place that find and xargs fill in.
  if (text === "{}") return [plain(UNKNOWN)];
  const inner = /^\{([^{}$`'"\\]*,[^{}$`'"\\]*)\}$/.exec(text);
  if (inner === null) return [{ text: "*", glob: true, home: false }];
  return (inner[1] ?? "").split(",").map((item) => ({ text: item, glob: /[*?[]/.test(item), home: false }));
}
