/** Parts the words of one command into options and operands, without knowing the program's options. Judges nothing. */
import { UNKNOWN } from "../paths/shellWords";
import { programName } from "../shell/command";

export interface CommandWords {
  /** Lower case, without folder and ending. */
  readonly program: string;
  /** Behind the program. */
  readonly words: readonly string[];
  readonly operands: readonly Operand[];
  /** Words that begin with `-`, up to `--`. */
  readonly options: readonly string[];
}

export interface Operand {
  readonly text: string;
  /** Stands behind an option and may be its value. */
  readonly maybeValue: boolean;
}

/** Alternatives of one word, `a|b`; `*` is any word. */
export type Verb = string | RegExp;

export function commandWords(argv: readonly string[]): CommandWords {
  const words = argv.slice(1);
  const operands: Operand[] = [];
  const options: string[] = [];
  let ended = false;
  for (const [at, text] of words.entries()) {
    if (!ended && text === "--") ended = true;
    else if (!ended && /^-./.test(text)) options.push(text);
    else {
      const before = words[at - 1] ?? "";
      operands.push({ text, maybeValue: !ended && /^-./.test(before) && !before.includes("=") });
    }
  }
  return {
    // `=rm` is rm in zsh.
    program: programName(argv[0]?.replace(/^=(?=\w)/, "")) ?? "",
    words,
    operands,
    options,
  };
}

/** `-f|--force`: short ones also among other letters, long ones also cut short as many programs allow. */
export function hasOption({ options }: Pick<CommandWords, "options">, names: string): boolean {
  return names.split("|").some((name) => options.some((word) => isOption(word, name)));
}

function isOption(word: string, name: string): boolean {
  const own = word.split("=")[0] ?? word;
  if (own === name) return true;
  if (name.startsWith("--")) return own.length >= 4 && name.startsWith(own) && own.startsWith("--");
  return name.length === 2 && /^-[A-Za-z0-9]+$/.test(own) && own.includes(name.charAt(1));
}

/** The operands behind the verbs, or undefined. What may be the value of an option in front of a verb is passed over. */
export function behindVerbs(
  { operands }: Pick<CommandWords, "operands">,
  verbs: readonly Verb[],
): readonly Operand[] | undefined {
  return search(operands, verbs);
}

function search(operands: readonly Operand[], verbs: readonly Verb[]): readonly Operand[] | undefined {
  const [verb, ...rest] = verbs;
  if (verb === undefined) return operands;
  for (const [at, operand] of operands.entries()) {
    if (isVerb(operand.text, verb)) {
      const found = search(operands.slice(at + 1), rest);
      if (found !== undefined) return found;
    }
    if (!operand.maybeValue) return undefined;
  }
  return undefined;
}

function isVerb(text: string, verb: Verb): boolean {
  if (typeof verb !== "string") return verb.test(text);
  return verb === "*" || verb.split("|").includes(text.toLowerCase());
}

/** True where a piece of the word cannot be told. */
export function isUnknown(text: string): boolean {
  return text.includes(UNKNOWN);
}
