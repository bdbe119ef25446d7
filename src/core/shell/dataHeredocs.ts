/** Finds the heredocs of a bash text whose bodies are data, so that what stands in them is not counted as shell. Knows no command. */
import { forEachChild, type HereDoc, parse, type SyntaxNode } from "unbash";

/** A text without the bodies, and where the parser must see each of their heredocs for that to be true. */
export interface WithoutBodies {
  readonly text: string;
  readonly expected: readonly Expected[];
}

/** Indexes in the text without bodies. */
interface Expected {
  /** Behind the delimiter's word. */
  readonly end: number;
  readonly body: number;
  /** The delimiter in its closing line. */
  readonly closing: number;
}

interface Opener {
  readonly end: number;
  readonly strips: boolean;
  readonly quoted: boolean;
  readonly delimiter: string;
}

interface ClosingLine {
  readonly start: number;
  readonly end: number;
  readonly tabs: number;
}

const OPENER =
  /(?<!<)<<(-?)[ \t]{0,9}(?:'([^'\n]{1,99})'|"([\w .!%+-]{1,99})"|\\([\w.!%+-]{1,99})|([\w.!%+-]{1,99}))/g;
const LONGEST_CLOSING = 120;
const MAX_NODES = 100_000;

/**
 * One pass over the lines. Undefined when there is no such heredoc, or when brackets may decide by what stands in a body
 * how they are read.
 */
export function withoutBodies(text: string): WithoutBodies | undefined {
  if (!text.includes("<<")) return undefined;
  const expected: Expected[] = [];
  const closingOf = closingLines(text);
  let reduced = "";
  for (let at = 0; at < text.length; ) {
    const line = text.slice(at, lineEnd(text, at));
    const from = reduced.length;
    reduced += line;
    at += line.length;
    for (const opener of openersIn(line)) {
      const closing = closingOf(at, opener);
      // Nothing closes it: most likely it is none.
      if (closing === undefined) continue;
      const body = text.slice(at, closing.start);
      if (isData(body, opener))
        expected.push({
          end: from + opener.end,
          body: reduced.length,
          closing: reduced.length + closing.tabs,
        });
      else reduced += body;
      reduced += text.slice(closing.start, closing.end);
      at = closing.end;
    }
  }
  // `((` is arithmetic or two subshells, by where it ends.
  return expected.length === 0 || reduced.includes("((") ? undefined : { text: reduced, expected };
}

/** True when the parser sees exactly these heredocs: it then reads the whole text as it reads the one without bodies. */
export function isConfirmed({ text, expected }: WithoutBodies): boolean {
  const seen = new Map<number, HereDoc>();
  const stack: SyntaxNode[] = [parse(text)];
  for (let count = 0; stack.length > 0; count++) {
    if (count > MAX_NODES) return false;
    const node = stack.pop();
    if (node === undefined) break;
    if (node.type === "HereDoc") seen.set(node.delimiter?.end ?? -1, node);
    forEachChild(node, (child) => {
      // A text inside back-ticks counts from its own beginning.
      if (child.type !== "Script" || child.source === undefined || child.source === text) stack.push(child);
    });
  }
  return expected.every(({ end, body, closing }) => {
    const found = seen.get(end);
    return found?.body.text === "" && found.body.pos === body && found.closing?.pos === closing;
  });
}

function openersIn(line: string): readonly Opener[] {
  return Array.from(line.matchAll(OPENER), (match) => {
    const quoted = match[2] ?? match[3] ?? match[4];
    return {
      end: match.index + match[0].length,
      strips: match[1] === "-",
      quoted: quoted !== undefined,
      delimiter: quoted ?? match[5] ?? "",
    };
  });
}

/** Without line continuations and substitutions an unquoted body is text too. */
function isData(body: string, { quoted, strips, delimiter }: Opener): boolean {
  if (!quoted && /`|\$[([]|\$\{(?!\w{1,99}\})|\\\n/.test(body)) return false;
  // Inside `$(..)` a line that only begins with the delimiter may close it.
  const lines = `\n${strips ? body.replace(/^\t+/gm, "") : body}`;
  return !lines.includes(`\n${delimiter}`);
}

/** Finds the first line at or behind `at` that closes a heredoc; it is asked from the beginning to the end of the text. */
function closingLines(text: string): (at: number, opener: Opener) => ClosingLine | undefined {
  const byText = new Map<string, { readonly lines: ClosingLine[]; next: number }>();
  const add = (key: string, line: ClosingLine) => {
    const known = byText.get(key);
    if (known === undefined) byText.set(key, { lines: [line], next: 0 });
    else known.lines.push(line);
  };
  for (let start = 0; start < text.length; ) {
    const end = lineEnd(text, start);
    if (end - start <= LONGEST_CLOSING) {
      const line = text.slice(start, end).replace(/\n$/, "");
      const stripped = line.replace(/^\t+/, "");
      const tabs = line.length - stripped.length;
      add(`- ${stripped}`, { start, end, tabs });
      if (tabs === 0) add(`  ${line}`, { start, end, tabs });
    }
    start = end;
  }
  return (at, { strips, delimiter }) => {
    const known = byText.get(`${strips ? "-" : " "} ${delimiter}`);
    if (known === undefined) return undefined;
    while ((known.lines[known.next]?.start ?? at) < at) known.next += 1;
    return known.lines[known.next];
  };
}

/** Index behind the line's end. */
function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at + 1;
}
