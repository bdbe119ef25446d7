/** A conservative reading of PowerShell and cmd.exe text into simple commands. Knows no command and no variable. */
import { type SimpleCommand, UNKNOWN_COMMAND } from "./command";

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

export function flattenWindows(text: string, shell: WindowsShell): readonly SimpleCommand[] {
  const reader: Reader = { text, at: 0 };
  const commands: SimpleCommand[] = [];
  let draft = newDraft(0);
  const end = (piped: boolean) => {
    const done = finish(draft, text.slice(draft.start, reader.at));
    if (done !== null) commands.push(done);
    draft = newDraft(reader.at + 1);
    // Bracketed pieces are flattened; what a closing bracket pipes on is unknown.
    if (piped) draft.pipedFrom = done ?? UNKNOWN_COMMAND;
  };
  while (reader.at < text.length) {
    const c = text[reader.at] ?? "";
    const pair = text.slice(reader.at, reader.at + 2);
    if (/[\r\n]/.test(c) || separates(c, shell)) {
      const double = pair === "||" || pair === "&&";
      end(c === "|" && !double);
      reader.at += double ? 2 : 1;
    } else if (/\s/.test(c)) reader.at++;
    else if (shell === "powershell" && (c === "#" || pair === "<#")) skipComment(reader);
    else if (c === ">" || c === "<") {
      draft.redirectOp = pair === ">>" ? ">>" : c;
      reader.at += draft.redirectOp.length;
    } else addWord(draft, reader, shell);
  }
  end(false);
  return commands;
}

function separates(c: string, shell: WindowsShell): boolean {
  return shell === "powershell" ? /[;|&(){}]/.test(c) : /[&|()]/.test(c);
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

function powershellWord(reader: Reader): string | null {
  const { text } = reader;
  let out = "";
  let dynamic = false;
  const hereString = /^@(['"])\r?\n/.exec(text.slice(reader.at, reader.at + 4));
  if (hereString !== null) {
    const close = text.indexOf(`\n${hereString[1]}@`, reader.at + hereString[0].length - 1);
    const body = text.slice(reader.at + hereString[0].length, close < 0 ? text.length : close);
    reader.at = close < 0 ? text.length : close + 3;
    return hereString[1] === '"' && /[$`]/.test(body) ? null : body;
  }
  while (reader.at < text.length) {
    const c = text[reader.at] ?? "";
    // Typographic quotes are quotes in PowerShell.
    if (/['\u2018\u2019\u201a\u201b]/.test(c)) out += singleQuoted(reader);
    else if (/["\u201c\u201d\u201e]/.test(c)) {
      const inner = doubleQuoted(reader);
      if (inner === null) dynamic = true;
      else out += inner;
    } else if (c === "`") {
      const next = text[reader.at + 1] ?? "";
      out += POWERSHELL_ESCAPES[next] ?? (next === "\n" ? "" : next);
      reader.at += 2;
    } else if (/[\s;|&(){}<>]/.test(c)) break;
    else {
      if (c === "$" || (c === "@" && /\w/.test(text[reader.at + 1] ?? "")))
        dynamic ||= out === "" || c === "$";
      out += c;
      reader.at++;
    }
  }
  return dynamic ? null : out;
}

function singleQuoted(reader: Reader): string {
  let out = "";
  for (reader.at++; reader.at < reader.text.length; reader.at++) {
    if (!/['\u2018\u2019\u201a\u201b]/.test(reader.text[reader.at] ?? "")) out += reader.text[reader.at];
    else if (/['\u2018\u2019\u201a\u201b]/.test(reader.text[reader.at + 1] ?? "")) {
      out += "'";
      reader.at++;
    } else break;
  }
  reader.at++;
  return out;
}

function doubleQuoted(reader: Reader): string | null {
  let out = "";
  let dynamic = false;
  for (reader.at++; reader.at < reader.text.length; reader.at++) {
    const c = reader.text[reader.at] ?? "";
    const next = reader.text[reader.at + 1] ?? "";
    if (c === "`") {
      out += POWERSHELL_ESCAPES[next] ?? next;
      reader.at++;
    } else if (/["\u201c\u201d\u201e]/.test(c)) {
      if (!/["\u201c\u201d\u201e]/.test(next)) break;
      out += '"';
      reader.at++;
    } else {
      if (c === "$" && /[\w({:?^$]/.test(next)) dynamic = true;
      out += c;
    }
  }
  reader.at++;
  return dynamic ? null : out;
}

/** cmd itself toggles quoting at every `"`; the program then reads `\"` as a quote. */
function cmdWord(reader: Reader): string | null {
  const { text } = reader;
  let out = "";
  let quoted = false;
  const from = reader.at;
  for (; reader.at < text.length; reader.at++) {
    const c = text[reader.at] ?? "";
    if (c === '"') {
      if (text[reader.at - 1] === "\\" && reader.at > from) out = `${out.slice(0, -1)}"`;
      quoted = !quoted;
    } else if (quoted) {
      if (c === "\n") break;
      out += c;
    } else if (c === "^") {
      reader.at++;
      out += text[reader.at] ?? "";
    } else if (/[\s&|()<>]/.test(c)) break;
    else out += c;
  }
  return /%[^%\s]+%|![^!\s]+!|%[~*0-9a-z]/i.test(text.slice(from, reader.at)) ? null : out;
}
