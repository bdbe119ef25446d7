/** Files of secrets that program text names in quotes: `open(".env")`. What else code does is its own. Knows no file system. */
import type { NamedPath } from "./commandPaths";
import { holdsSecrets, looksLikeCredential } from "./credentialGuess";

const LITERAL = /(["'`])((?:~|\.{1,2})?[\w./~-]{1,400})\1/g;
/** Perl's and Ruby's own quotes and shell words within: `qw(.env)`, `%x(cat .env)`, `cat .env`. */
const WORDS = /(?:^|[\s(|{[<"'`])((?:[\w.~-]*\/)*\.env(?:\.\w+)?)(?=[\s)|}\]>"'`;]|$)/g;
/** What stands before a file that is written or only looked for, or whose settings are loaded without being shown. */
const NO_READ =
  /(?:write(?:File|Text|Lines|text)?(?:Sync)?|append(?:File)?(?:Sync)?|exists?(?:Sync)?|is_?file|isfile|touch|file_put_contents|load_dotenv|dotenv_values|access(?:Sync)?|unlink(?:Sync)?|stat(?:Sync)?|endswith|endsWith|startsWith|startswith|includes|Path)\s*\(\s*r?$|path\s*[:=]\s*$|[=!]==?\s*$/;
const WRITE_MODE = /^\s*,\s*(?:mode\s*=\s*)?["'][waxWAX]/;
const READS_PATH = /^\s*\)\s*\.\s*(?:read|open)/;

export function codeLiterals(code: string): readonly NamedPath[] {
  // A text that stands a thousand times is looked up once.
  const secrets = new Map<string, boolean>();
  const isSecret = (text: string): boolean => {
    const known = secrets.get(text) ?? holdsSecrets(text);
    secrets.set(text, known);
    return known;
  };
  const found = [...code.matchAll(LITERAL)].flatMap((match) => {
    const text = match[2] ?? "";
    const before = code.slice(Math.max(0, match.index - 40), match.index);
    const behind = code.slice(match.index + match[0].length, match.index + match[0].length + 24);
    if (/^(?:~|\.{0,2}\/)/.test(text) && looksLikeCredential(text)) return [text];
    if (!isSecret(text) || WRITE_MODE.test(behind)) return [];
    return NO_READ.test(before) && !READS_PATH.test(behind) ? [] : [text];
  });
  const run =
    /\b(?:system|exec\w*|spawn\w*|popen|check_output|run|call|shell_exec|passthru|qx|backtick)\b|%x|`/i.test(
      code,
    );
  const words = run ? [...code.matchAll(WORDS)].map((match) => match[1] ?? "") : [];
  return [...new Set([...found, ...words.filter(holdsSecrets)])].map(
    (text): NamedPath => ({ text, action: "read" }),
  );
}
