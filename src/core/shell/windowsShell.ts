/** A conservative reading of PowerShell and cmd.exe text into simple commands. Knows no command and no variable. */
import { type SimpleCommand, UNKNOWN_COMMAND } from "./command";
import { type ReadLimit, TOO_MUCH, take } from "./readLimit";

interface Reader {
  readonly text: string;
  at: number;
}
interface Draft {
  argv: (string | null)[];
  words: string[];
  redirects: { op: string; target: string | null }[];
  start: number;
  pipedFrom?: SimpleCommand;
  redirectOp?: string;
}

export type WindowsShell = "powershell" | "cmd";

export interface FlattenedWindows {
  /** Those that were read whole. */
  readonly commands: readonly SimpleCommand[];
  /** Absent when the text could be read as a whole. */
  readonly problem?: string;
}

/** Stops where the limit ends: what is behind it costs nothing. */
export function flattenWindows(text: string, shell: WindowsShell, limit: ReadLimit): FlattenedWindows {
  const reader: Reader = { text, at: 0 };
  const commands: SimpleCommand[] = [];
  let draft = newDraft(0);
  const end = (piped: boolean): boolean => {
    const done = finish(draft, text.slice(draft.start, reader.at));
    if (done !== null && !take(limit, "commands", 1)) return false;
    if (done !== null) commands.push(done);
    draft = newDraft(reader.at + 1);
    // Bracketed pieces are flattened; what a closing bracket pipes on is unknown.
    if (piped) draft.pipedFrom = done ?? UNKNOWN_COMMAND;
    return true;
  };
  while (reader.at < text.length) {
    const c = text[reader.at] ?? "";
    if (isLineEnd(c) || separates(c, shell)) {
      const double = (c === "|" || c === "&") && text[reader.at + 1] === c;
      if (!end(c === "|" && !double)) return { commands, problem: TOO_MUCH };
      reader.at += double ? 2 : 1;
    } else if (isSpace(c)) reader.at++;
    else if (shell === "powershell" && (c === "#" || text.startsWith("<#", reader.at))) skipComment(reader);
    else if (c === ">" || c === "<") {
      draft.redirectOp = text.startsWith(">>", reader.at) ? ">>" : c;
      reader.at += draft.redirectOp.length;
    } else if (take(limit, "words", 1)) addWord(draft, reader, shell);
    else return { commands, problem: TOO_MUCH };
  }
  return end(false) ? { commands } : { commands, problem: TOO_MUCH };
}

const isLineEnd = (c: string): boolean => c === "\n" || c === "\r";
const isSpace = (c: string): boolean => c === " " || ((c < " " || c > "~") && /\s/.test(c));
const POWERSHELL_SEPARATORS = ";|&(){}";
const CMD_SEPARATORS = "&|()";

function separates(c: string, shell: WindowsShell): boolean {
  return (shell === "powershell" ? POWERSHELL_SEPARATORS : CMD_SEPARATORS).includes(c);
}

function newDraft(start: number): Draft {
  return { argv: [], words: [], redirects: [], start };
}

function finish(draft: Draft, raw: string): SimpleCommand | null {
  if (draft.argv.length === 0 && draft.redirects.length === 0) return null;
  // A quoted string in front of a pipe is PowerShell's echo.
  const first = draft.words[0]?.[0] ?? "";
  const isText = draft.argv.length === 1 && /["'@]/.test(first);
  const base = {
    argv: isText ? ["echo", ...draft.argv] : draft.argv,
    words: isText ? ["echo", ...draft.words] : draft.words,
    assignments: [],
    raw: raw.trim(),
    redirects: draft.redirects,
  };
  return draft.pipedFrom === undefined ? base : { ...base, pipedFrom: draft.pipedFrom };
}

function addWord(draft: Draft, reader: Reader, shell: WindowsShell): void {
  const from = reader.at;
  const value = shell === "powershell" ? powershellWord(reader) : cmdWord(reader);
  if (reader.at === from) reader.at++;
  if (draft.redirectOp !== undefined) {
    draft.redirects.push({ op: draft.redirectOp, target: value });
    delete draft.redirectOp;
    return;
  }
  // `@` in front of a command only keeps cmd from printing it.
  const silent = shell === "cmd" && draft.argv.length === 0 && value?.startsWith("@") === true;
  draft.argv.push(silent ? (value?.slice(1) ?? null) : value);
  draft.words.push(reader.text.slice(from, reader.at));
}

function skipComment(reader: Reader): void {
  const block = reader.text.startsWith("<#", reader.at);
  const end = reader.text.indexOf(block ? "#>" : "\n", reader.at);
  reader.at = end < 0 ? reader.text.length : end + (block ? 2 : 0);
}

const POWERSHELL_ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "0": "\0" };
// Typographic quotes are quotes in PowerShell.
const SINGLE = "'\u2018\u2019\u201a\u201b";
const DOUBLE = '"\u201c\u201d\u201e';
const PLAIN = new RegExp(`[^${SINGLE}${DOUBLE}\\s\`;|&(){}<>$@]+`, "y");
const IN_SINGLE = new RegExp(`[^${SINGLE}]+`, "y");
const IN_DOUBLE = new RegExp(`[^${DOUBLE}\`$]+`, "y");

/** What stands there of the given kind; the reader is behind it. */
function run(reader: Reader, kind: RegExp): string {
  kind.lastIndex = reader.at;
  const found = kind.exec(reader.text)?.[0] ?? "";
  reader.at += found.length;
  return found;
}

function powershellWord(reader: Reader): string | null {
  const { text } = reader;
  let out = "";
  let dynamic = false;
  const here = hereString(reader);
  if (here !== undefined) return here;
  while (reader.at < text.length) {
    const c = text[reader.at] ?? "";
    if (SINGLE.includes(c)) out += singleQuoted(reader);
    else if (DOUBLE.includes(c)) {
      const inner = doubleQuoted(reader);
      if (inner === null) dynamic = true;
      else out += inner;
    } else if (c === "`") {
      const next = text[reader.at + 1] ?? "";
      out += POWERSHELL_ESCAPES[next] ?? (next === "\n" ? "" : next);
      reader.at += 2;
    } else if (c === "$" || c === "@") {
      if (c === "$" || (out === "" && /\w/.test(text[reader.at + 1] ?? ""))) dynamic = true;
      out += c;
      reader.at++;
    } else {
      const plain = run(reader, PLAIN);
      if (plain === "") break;
      out += plain;
    }
  }
  return dynamic ? null : out;
}

/** Undefined = none stands here; null = it holds something that is put in. */
function hereString(reader: Reader): string | null | undefined {
  const { text } = reader;
  if (text[reader.at] !== "@") return undefined;
  const open = /^@(['"])\r?\n/.exec(text.slice(reader.at, reader.at + 4));
  if (open === null) return undefined;
  const from = reader.at + open[0].length;
  const close = text.indexOf(`\n${open[1]}@`, from - 1);
  const body = text.slice(from, close < 0 ? text.length : close);
  reader.at = close < 0 ? text.length : close + 3;
  return open[1] === '"' && /[$`]/.test(body) ? null : body;
}

function singleQuoted(reader: Reader): string {
  const { text } = reader;
  let out = "";
  for (reader.at++; reader.at < text.length; ) {
    out += run(reader, IN_SINGLE);
    reader.at++;
    const next = text[reader.at] ?? "";
    if (next === "" || !SINGLE.includes(next)) break;
    out += "'";
    reader.at++;
  }
  return out;
}

function doubleQuoted(reader: Reader): string | null {
  const { text } = reader;
  let out = "";
  let dynamic = false;
  for (reader.at++; reader.at < text.length; ) {
    out += run(reader, IN_DOUBLE);
    const c = text[reader.at] ?? "";
    const next = text[reader.at + 1] ?? "";
    reader.at++;
    if (c === "`") {
      out += POWERSHELL_ESCAPES[next] ?? next;
      reader.at++;
    } else if (c === "$") {
      if (/[\w({:?^$]/.test(next)) dynamic = true;
      out += c;
    } else {
      if (next === "" || !DOUBLE.includes(next)) break;
      out += '"';
      reader.at++;
    }
  }
  return dynamic ? null : out;
}

const CMD_PLAIN = /[^"\\^\s&|()<>]+/y;
const CMD_QUOTED = /[^"\\\n]+/y;

/** cmd itself toggles quoting at every `"`; the program then reads `\"` as a quote. */
function cmdWord(reader: Reader): string | null {
  const { text } = reader;
  let out = "";
  let quoted = false;
  const from = reader.at;
  while (reader.at < text.length) {
    const c = text[reader.at] ?? "";
    const escaped: boolean = c === "^" && !quoted;
    const at = escaped ? reader.at + 1 : reader.at;
    if (text[at] === "\\") {
      const quote = text[at + 1] === '"';
      if (quote) quoted = !quoted;
      out += quote ? '"' : "\\";
      reader.at = at + (quote ? 2 : 1);
    } else if (escaped) {
      out += text[at] ?? "";
      reader.at = at + 1;
    } else if (c === '"') {
      quoted = !quoted;
      reader.at++;
    } else {
      const plain = run(reader, quoted ? CMD_QUOTED : CMD_PLAIN);
      if (plain === "") break;
      out += plain;
    }
  }
  return /%[^%\s]+%|![^!\s]+!|%[~*0-9a-z]/i.test(text.slice(from, reader.at)) ? null : out;
}
