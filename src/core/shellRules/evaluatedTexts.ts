/** Substitutions in words that bash reads a second time: indexes, arithmetic, `${x@P}`. Judges nothing. */
import type { LocatedCommand } from "../paths/locatedCommand";
import type { NestedText } from "../shell/nestedText";
import { rememberLast } from "../shell/rememberLast";

/** These read an index as arithmetic, and run what stands in it. */
const READS_INDEX =
  /^(?:test|\[|\[\[|printf|read|unset|let|declare|typeset|local|export|readonly|wait|mapfile|readarray|expr|getopts|set)$/;
/** Somewhere in the text a variable's value is read again. */
const READS_AGAIN =
  /@P\}|\(\(|\$\[|\b(?:let|shopt|typeset|declare|local|export)\b|\[\[|-(?:eq|ne|lt|le|gt|ge|v)\b|\$\{\w+(?:\[|:\s?\w)/;
/** Each command of a text asks for the whole of it. */
const readsAgain = rememberLast((text) => READS_AGAIN.test(text));
const SUBSTITUTES = /\$\(|`/;

/** `test -v 'a[$(rm -rf src)]'`, `x='$(rm -rf src)'; echo "${x@P}"` */
export function evaluatedTexts(
  { command }: LocatedCommand,
  argv: readonly string[],
  text: string,
): readonly NestedText[] {
  const words = READS_INDEX.test(argv[0] ?? "")
    ? argv
        .slice(1)
        .filter((word) => /\[[^\]]*(\$\(|`)/.test(word) || (argv[0] === "let" && SUBSTITUTES.test(word)))
    : [];
  const kept = command.assignments.flatMap(({ value }) =>
    value !== null && SUBSTITUTES.test(value) ? [value] : [],
  );
  const again = kept.length > 0 && readsAgain(text, "bash") ? kept : [];
  return [...words, ...again].map((word) => ({
    text: `: <<COUNTERSIGN_END\n${word}\nCOUNTERSIGN_END\n`,
    shell: "bash",
  }));
}
