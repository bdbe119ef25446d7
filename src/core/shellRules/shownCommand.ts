/** A command as a person is shown it. Judges nothing. */
import type { LocatedCommand } from "../paths/locatedCommand";
import { UNKNOWN } from "../paths/shellWords";
import { visibleLine } from "../visible";

/** UTF-16 units. */
const LONGEST = 240;
/** What lies further inside a long text is never shown, so it is not made readable either: UTF-16 units, or words. */
const NEAR_AN_END = 500;

export function shownCommand(argv: readonly string[], located?: LocatedCommand): string {
  const redirects = (located?.redirects ?? []).map(({ op, word }) => `${op} ${shownWord(word.text)}`);
  const shown =
    argv.length > 2 * NEAR_AN_END ? [...argv.slice(0, NEAR_AN_END), ...argv.slice(-NEAR_AN_END)] : argv;
  const words = argv.length === 1 ? [ends(argv[0] ?? "").replaceAll(UNKNOWN, "…")] : shown.map(shownWord);
  const text = visibleLine(
    ends([...words, ...redirects].join(" "))
      .replace(/\s+/g, " ")
      .trim(),
  );
  if (text.length <= LONGEST) return text;
  const half = LONGEST / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

function ends(text: string): string {
  if (text.length <= 2 * NEAR_AN_END) return text;
  return `${text.slice(0, NEAR_AN_END)} … ${text.slice(-NEAR_AN_END)}`;
}

function shownWord(word: string): string {
  const text = ends(word).replaceAll(UNKNOWN, "…");
  return text === "" || /[\s'"\\;|&<>()]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text;
}
