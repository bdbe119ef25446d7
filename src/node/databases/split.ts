/** Splits SQL into statements for drivers that take one at a time; the server refuses what is split wrongly. Judges nothing. */

export interface SplitRules {
  /** Backslash escapes in '..' and "..", `#` comments, `--` only before a blank. */
  readonly dialect: "postgres" | "mysql";
}

/** Statements without their semicolons; what holds only blanks and comments is left out. */
export function splitStatements(text: string, { dialect }: SplitRules): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  let meaningful = false;
  let at = 0;
  const body = /\b(?:create|alter)\b[^;]*?\b(?:function|procedure|trigger|event|package)\b/iy;
  const push = (end: number) => {
    if (meaningful) pieces.push(text.slice(start, end).trim());
    meaningful = false;
  };
  while (at < text.length) {
    const skipped = skipComment(text, at, dialect);
    if (skipped > at) {
      // MySQL runs what stands in /*! */.
      if (dialect === "mysql" && /^\/\*M?!/.test(text.slice(at, at + 4))) meaningful = true;
      at = skipped;
      continue;
    }
    const char = text[at] ?? "";
    if (char === ";") {
      push(at);
      at += 1;
      start = at;
      continue;
    }
    if (!/\s/.test(char)) {
      // A stored body holds semicolons of its own: it reaches to the end of the text.
      if (!meaningful && hasBody(text, at, { body, dialect })) {
        meaningful = true;
        at = text.length;
        break;
      }
      meaningful = true;
    }
    at = skipQuoted(text, at, dialect);
  }
  push(text.length);
  return pieces;
}

function hasBody(text: string, at: number, { body, dialect }: { body: RegExp; dialect: string }): boolean {
  if (dialect !== "mysql") return false;
  body.lastIndex = at;
  return body.test(text);
}

function skipComment(text: string, at: number, dialect: string): number {
  const two = text.slice(at, at + 2);
  const dashes = two === "--" && (dialect === "postgres" || /^[\s\0]?$/.test(text[at + 2] ?? ""));
  if (dashes || (dialect === "mysql" && two[0] === "#")) {
    const end = dialect === "postgres" ? /[\n\r]|$/g : /\n|$/g;
    end.lastIndex = at;
    return end.exec(text)?.index ?? text.length;
  }
  if (two !== "/*") return at;
  if (dialect === "mysql") {
    const end = text.indexOf("*/", at + 2);
    return end < 0 ? text.length : end + 2;
  }
  return skipNested(text, at);
}

function skipNested(text: string, at: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

/** The end of the literal that begins here, or the next character. */
function skipQuoted(text: string, at: number, dialect: string): number {
  const char = text[at] ?? "";
  if (dialect === "postgres") {
    if (/[A-Za-z_\u0080-\uffff]/.test(char)) return skipWord(text, at);
    if (char === "$") return skipDollar(text, at);
    return char === "'" || char === '"' ? skipTo(text, at, { quote: char, escapes: "none" }) : at + 1;
  }
  if (char === "`") return skipTo(text, at, { quote: char, escapes: "none" });
  return char === "'" || char === '"' ? skipTo(text, at, { quote: char, escapes: "backslash" }) : at + 1;
}

/** A `$` within a name opens nothing; an `E` right before a quote brings backslash escapes. */
function skipWord(text: string, at: number): number {
  const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
  word.lastIndex = at;
  const name = word.exec(text)?.[0] ?? "";
  const end = at + Math.max(name.length, 1);
  if (/^e$/i.test(name) && text[end] === "'") return skipTo(text, end, { quote: "'", escapes: "backslash" });
  return end;
}

function skipDollar(text: string, at: number): number {
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
  tag.lastIndex = at;
  const mark = tag.exec(text)?.[0];
  if (mark === undefined) return at + 1;
  const end = text.indexOf(mark, at + mark.length);
  return end < 0 ? text.length : end + mark.length;
}

function skipTo(
  text: string,
  at: number,
  { quote, escapes }: { quote: string; escapes: "none" | "backslash" },
): number {
  for (let i = at + 1; i < text.length; i += 1) {
    if (escapes === "backslash" && text[i] === "\\") i += 1;
    else if (text[i] === quote) {
      if (text[i + 1] !== quote) return i + 1;
      i += 1;
    }
  }
  return text.length;
}

/** Leading words in upper case, comments left out: "CREATE TABLE", "SELECT", "START TRANSACTION". */
export function leadingWords(statement: string): string {
  const bare = statement.replace(/^(?:\s+|--[^\n\r]*|#[^\n]*|\/\*[\s\S]*?\*\/|\()+/, "");
  const words = (bare.match(/^[A-Za-z_]+(?:\s+[A-Za-z_]+)?/)?.[0] ?? "").toUpperCase().split(/\s+/);
  const paired = ["CREATE", "DROP", "ALTER", "START", "LOCK", "SET"];
  return paired.includes(words[0] ?? "") ? words.join(" ") : (words[0] ?? "");
}
