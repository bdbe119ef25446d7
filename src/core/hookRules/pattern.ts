/** Patterns that people write: matched in time linear in the text whatever the pattern. Knows nothing of rules or files. */
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { withoutCounts } from "./loosePattern";
import { neededTexts } from "./neededTexts";

export interface Pattern {
  /** True when the whole text matches. */
  whole(text: string): boolean;
  /** True when some part of the text matches. */
  somewhere(text: string): boolean;
  /** What a character of text costs at worst, in steps of some ten nanoseconds. */
  readonly cost: number;
  /** Folded texts of which whatever matches holds one; undefined = none is known. */
  needs(): readonly string[] | undefined;
  /** Cheaper, and finds something wherever this one does. */
  readonly loose?: Pattern;
}

export interface PatternMistake {
  readonly message: string;
  readonly suggestion?: string;
  /** The part of the pattern that is wrong, as offsets into it; absent = all of it. */
  readonly start?: number;
  readonly end?: number;
}

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly mistake: PatternMistake };

/** Longer ones would take longer to compile than a call may wait. */
export const MAX_PATTERN = 1000;

/** Nothing that means more than itself in either engine. */
const LITERAL = /^[A-Za-z0-9_ :@]*$/u;

/** A configuration is checked first and put to use then: its patterns are compiled once for both. */
const known = new Map<string, CompiledPattern>();
const MAX_KNOWN = 1000;

/** RE2 syntax: `(?i)`, `(?P<name>…)` and `(?<name>…)` are taken; look-around and back-references are mistakes. Never throws. */
export function compilePattern(source: string): CompiledPattern {
  const before = known.get(source);
  if (before !== undefined) return before;
  const compiled = compileAnew(source);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(source, compiled);
  return compiled;
}

function compileAnew(source: string): CompiledPattern {
  if (source.length > MAX_PATTERN) {
    return { ok: false, mistake: { message: `is longer than ${MAX_PATTERN} characters` } };
  }
  const quick = plainPattern(source);
  if (quick !== undefined) return { ok: true, pattern: quick };
  const construct = unsupported(source);
  if (construct !== undefined) return { ok: false, mistake: construct };
  try {
    const pattern = compiledPattern(source);
    const loose = withoutCounts(source);
    return { ok: true, pattern: loose === undefined ? pattern : withLoose(pattern, loose) };
  } catch (error) {
    return { ok: false, mistake: mistakeOf(source, error) };
  }
}

function compiledPattern(source: string): Pattern {
  const compiled = RE2JS.compile(source);
  // On first use: a pattern that is only checked, or of an event that never comes, needs none.
  let needs: { readonly texts: readonly string[] | undefined } | undefined;
  return {
    whole: (text) => compiled.testExact(text),
    somewhere: (text) => compiled.test(text),
    cost: compiled.programSize(),
    needs() {
      needs ??= { texts: neededTexts(source, compiled) };
      return needs.texts;
    },
  };
}

function withLoose(pattern: Pattern, source: string): Pattern {
  try {
    const loose = compiledPattern(source);
    return loose.cost < pattern.cost ? { ...pattern, loose } : pattern;
  } catch {
    return pattern;
  }
}

/** Names, lists of names and words in any case, as most filters are, need no engine. */
function plainPattern(source: string): Pattern | undefined {
  const anyCase = source.startsWith("(?i)");
  const words = (anyCase ? source.slice(4) : source).split("|");
  if (words.every((word) => LITERAL.test(word))) {
    // `u` with `i` folds case as RE2 does; without a quantifier the system's own engine is linear too.
    const flags = anyCase ? "iu" : "u";
    const whole = new RegExp(`^(?:${words.join("|")})$`, flags);
    const somewhere = new RegExp(words.join("|"), flags);
    return {
      whole: (text) => whole.test(text),
      somewhere: (text) => somewhere.test(text),
      cost: 1,
      needs: nothing,
    };
  }
  const [stem, ...rest] = source.split(".*");
  // `.` stops at a line end, so only a text of one line can be told by its beginning.
  if (stem === undefined || rest.length !== 1 || rest[0] !== "" || !LITERAL.test(stem)) return undefined;
  return {
    whole: (text) => text.startsWith(stem) && !text.slice(stem.length).includes("\n"),
    somewhere: (text) => text.includes(stem),
    cost: 1,
    needs: nothing,
  };
}

/** These are as quick as any look beforehand. */
const nothing = (): undefined => undefined;

interface Construct {
  readonly form: RegExp;
  readonly what: string;
  readonly mend: string;
}

const constructs: readonly Construct[] = [
  { form: /\(\?<?[=!]/uy, what: "look-around", mend: "write a second rule, or filter by `arg`" },
  { form: /\(\?>/uy, what: "an atomic group", mend: "write `(?:…)`: matching takes linear time anyway" },
  { form: /\(\?P=\w*\)?/uy, what: "a back-reference", mend: "write out the alternatives" },
  { form: /\\(?:[1-9]|k[<{'])/uy, what: "a back-reference", mend: "write out the alternatives" },
  {
    form: /(?:[*+?]|\{\d+(?:,\d*)?\})\+/uy,
    what: "a possessive quantifier",
    mend: "leave out the last `+`: matching takes linear time anyway",
  },
];

/** The first construct that no linear-time engine can have; escapes and classes are passed over. */
function unsupported(source: string): PatternMistake | undefined {
  let inClass = false;
  for (let at = 0; at < source.length; at += 1) {
    for (const { form, what, mend } of inClass ? [] : constructs) {
      form.lastIndex = at;
      const found = form.exec(source)?.[0];
      if (found === undefined) continue;
      return {
        message: `uses ${what}, \`${found}\`, which patterns here do not have`,
        suggestion: mend,
        start: at,
        end: at + found.length,
      };
    }
    const c = source[at];
    if (c === "\\") {
      if (source[at + 1] === "Q") at = endOfQuote(source, at);
      else at += 1;
    } else if (c === "[" && !inClass) {
      inClass = true;
      // A `]` right after the bracket is a character of the class.
      if (source[at + 1] === "^") at += 1;
      if (source[at + 1] === "]") at += 1;
    } else if (c === "]") inClass = false;
  }
  return undefined;
}

function endOfQuote(source: string, from: number): number {
  const end = source.indexOf("\\E", from + 2);
  return end < 0 ? source.length : end + 1;
}

function mistakeOf(source: string, error: unknown): PatternMistake {
  if (!(error instanceof RE2JSSyntaxException)) return { message: "is no pattern: it cannot be compiled" };
  const message = `is no pattern: ${error.getDescription()}`;
  const part = error.getPattern() ?? "";
  const start = part === "" ? -1 : source.indexOf(part);
  if (start < 0 || source.indexOf(part, start + 1) >= 0 || part.length === source.length) return { message };
  return { message: `${message}: \`${part}\``, start, end: start + part.length };
}
