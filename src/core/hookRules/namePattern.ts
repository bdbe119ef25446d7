/** Patterns on whole names: what people mean as a shell's wildcard is a mistake there, not a pattern that never fits. Knows no rule. */
import { type CompiledPattern, compilePattern } from "./pattern";

/** `db_*` repeats its last character; no name is written like that. */
const WILDCARD = /(?<![\\.)\]}*+?])(?:(?<=^|\|)|[\w\-/:@])\*/u;

/** As `compilePattern`, for names and paths of which all must match. Never throws. */
export function compileNamePattern(source: string): CompiledPattern {
  const found = WILDCARD.exec(withoutClasses(source));
  if (found === null) return compilePattern(source);
  const start = found.index;
  const end = start + found[0].length;
  const at = end - 1;
  const [before, after] = [source.slice(0, at), source.slice(at + 1)];
  const what = end - start === 1 ? "`*` stands alone" : `\`${found[0]}\` repeats \`${source[start]}\``;
  return {
    ok: false,
    mistake: {
      message: `is a pattern, in which ${what}`,
      suggestion: `write \`${before}.*${after}\``,
      start,
      end,
    },
  };
}

/** What stands in brackets or behind a backslash means itself. */
function withoutClasses(source: string): string {
  return source.replace(/\\[\s\S]|\[\^?\]?[^\]]*\]/gu, (part) => ")".repeat(part.length));
}
