/** Finds the text literals and comments of program text, in the manner of the common script languages. Knows no grammar and no SQL. */
import { rememberLast } from "./rememberLast";

export interface CodeLiteral {
  /** Indexes in the code, quotes included. */
  readonly start: number;
  readonly end: number;
  /** What it says, the usual escapes resolved. */
  readonly text: string;
  /** What opens it: a quote, `q[`, `<<~SQL`. */
  readonly opener: string;
  /** What stands before it, without the letters of Python's prefixes. */
  readonly before: string;
  /** Calls around it from the outside to the inside, each by its name and the index of its bracket. */
  readonly calls: readonly { readonly name: string; readonly at: number }[];
}

export interface CodeParts {
  readonly literals: readonly CodeLiteral[];
  readonly comments: readonly { readonly start: number; readonly end: number }[];
}

/** `//` and not `#` begins a comment. */
const SLASHES =
  /^(?:node|nodejs|deno|bun|tsx|ts-node|php|artisan|tinker|sail|console|groovy|scala|jshell|mongo(?:sh)?)$/;
/** A quote may be closed lines later. */
const LINES = /^(?:perl|ruby|irb|rails|rake|php|artisan|tinker|sail|console|mix|elixir|iex|julia|rscript)$/;
/** `q[..]`, `qq{..}`, `%Q(..)`, `%w|..|` */
const OWN_QUOTES = /^(?:perl|ruby|irb|rails|rake)$/;

/** Opens a pattern of JavaScript. */
export const REGEX = "/";
const PATTERN = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,400}\/[a-z]{0,8}/y;

const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const MAX_CALLS = 12;
/** UTF-16 units of the name in front of a bracket. */
const MAX_NAME = 100;

interface Scan {
  readonly code: string;
  readonly program: string;
  at: number;
  /** Up to here no closing one was found, by quote. */
  readonly unclosed: Map<string, number>;
}

/** Several rules ask for the same code, one after the other. */
export const codeParts = rememberLast<CodeParts, string>(readParts);

function readParts(code: string, program: string): CodeParts {
  const literals: CodeLiteral[] = [];
  const comments: { start: number; end: number }[] = [];
  const calls: { name: string; at: number }[] = [];
  const scan: Scan = { code, program, at: 0, unclosed: new Map() };
  while (scan.at < code.length) {
    const start = scan.at;
    const char = code[start] ?? "";
    if (isComment(scan)) comments.push({ start, end: scan.at });
    else if (char === "(") {
      calls.push({ name: nameBefore(code, start), at: start });
      scan.at++;
    } else if (char === ")") {
      calls.pop();
      scan.at++;
    } else {
      const found = literal(scan);
      if (found === undefined) scan.at++;
      else {
        scan.at = found.end;
        const before = code.slice(Math.max(0, start - 80), start).replace(/(?<!\w)[fFrRbBuU]{1,2}$/, "");
        literals.push({ ...found, start, before, calls: calls.slice(-MAX_CALLS) });
      }
    }
  }
  return { literals, comments };
}

function nameBefore(code: string, at: number): string {
  const end = /\s/.test(code[at - 1] ?? "") ? at - 1 : at;
  let start = end;
  while (start > end - MAX_NAME && /[\w$.:>!?-]/.test(code[start - 1] ?? "")) start--;
  return code.slice(start, end);
}

/** Moves behind the comment. */
function isComment(scan: Scan): boolean {
  const { code, at, program } = scan;
  const slashes = SLASHES.test(program);
  if (slashes && code.startsWith("/*", at) && (scan.unclosed.get("/*") ?? -1) < at) {
    const end = code.indexOf("*/", at + 2);
    if (end < 0) scan.unclosed.set("/*", code.length);
    else scan.at = end + 2;
    return end >= 0;
  }
  const line = slashes
    ? code.startsWith("//", at) && code[at - 1] !== ":"
    : code[at] === "#" && (at === 0 || /\s/.test(code[at - 1] ?? ""));
  if (!line) return false;
  const end = code.indexOf("\n", at);
  scan.at = end < 0 ? code.length : end;
  return true;
}

type Found = Pick<CodeLiteral, "end" | "text" | "opener">;

function literal(scan: Scan): Found | undefined {
  const { code, at } = scan;
  const char = code[at] ?? "";
  if (char === '"' || char === "'") {
    const triple = char.repeat(3);
    return (
      (code.startsWith(triple, at) ? closed(scan, triple, triple) : undefined) ?? closed(scan, char, char)
    );
  }
  if (char === "`") return closed(scan, char, char);
  if (char === "<") return heredoc(scan);
  if (char === "/") return SLASHES.test(scan.program) ? pattern(scan) : undefined;
  return (char === "q" || char === "%") && OWN_QUOTES.test(scan.program) ? ownQuote(scan) : undefined;
}

/** To the closing one, escapes skipped; a quote of one sign ends with its line in most languages. */
function closed(scan: Scan, opener: string, closer: string): Found | undefined {
  const { code, at, unclosed } = scan;
  const key = `${opener} ${closer}`;
  if ((unclosed.get(key) ?? -1) > at) return undefined;
  const oneLine = opener === closer && opener !== "`" && closer.length === 1 && !LINES.test(scan.program);
  const nests = CLOSERS[opener.at(-1) ?? ""] === closer;
  let depth = 1;
  let from = at + opener.length;
  for (; from < code.length; from++) {
    if (code[from] === "\\") from++;
    else if (oneLine && code[from] === "\n") break;
    else if (code.startsWith(closer, from) && --depth === 0) {
      const text = unescaped(code.slice(at + opener.length, from));
      return { opener, text, end: from + closer.length };
    } else if (nests && code[from] === opener.at(-1)) depth++;
  }
  unclosed.set(key, from);
  return undefined;
}

/** Where a value may stand; elsewhere `/` divides. */
function pattern({ code, at }: Scan): Found | undefined {
  if (!/(?:^|[=(,:;!&|?{}[\n]|\breturn)\s*$/.test(code.slice(Math.max(0, at - 12), at))) return undefined;
  PATTERN.lastIndex = at;
  const text = PATTERN.exec(code)?.[0];
  return text === undefined ? undefined : { opener: REGEX, text, end: at + text.length };
}

function ownQuote(scan: Scan): Found | undefined {
  const { code, at } = scan;
  if (/[\w$@%&]/.test(code[at - 1] ?? "")) return undefined;
  const opener = /^(?:q[qwrx]?\s?|%[qQwWx]?)[[({<|!/~]/.exec(code.slice(at, at + 5))?.[0];
  if (
    opener === undefined ||
    (opener.startsWith("%") && /[\w)\]]\s?$/.test(code.slice(Math.max(0, at - 2), at)))
  )
    return undefined;
  const last = opener.at(-1) ?? "";
  return closed(scan, opener, CLOSERS[last] ?? last);
}

/** The body ends at the line that holds the delimiter. */
function heredoc(scan: Scan): Found | undefined {
  const { code, at } = scan;
  const found = /^<<<?[~-]?\s?(["']?)([A-Z_a-z]\w{0,60})\1/.exec(code.slice(at, at + 80));
  const line = code.indexOf("\n", at);
  if (found === null || line < 0 || (scan.unclosed.get(`<<${found[2]}`) ?? -1) > at) return undefined;
  const end = new RegExp(`^[ \\t]*${found[2]}\\b`, "m").exec(code.slice(line + 1));
  if (end === null) {
    scan.unclosed.set(`<<${found[2]}`, code.length);
    return undefined;
  }
  const stop = line + 1 + end.index;
  return { opener: found[0], text: code.slice(line + 1, stop), end: stop + end[0].length };
}

function unescaped(text: string): string {
  return text.replace(/\\([nt"'`\\])/g, (_, char: string) =>
    char === "n" ? "\n" : char === "t" ? "\t" : char,
  );
}
