/** Reads the options of a command and says in plain words what is wrong with them. Knows no command. */
import { parseArgs } from "node:util";
import { nearest } from "../core/rules/suggest";

export interface CommandLine<T extends string, F extends string = never> {
  readonly name: string;
  readonly usage: string;
  /** Options with a value. */
  readonly texts: readonly T[];
  /** Options without one. */
  readonly flags?: readonly F[];
  /** How many arguments may stand beside the options; default none. */
  readonly words?: number;
}

export interface Asked<T extends string, F extends string> {
  readonly kind: "run";
  readonly values: Readonly<Partial<Record<T, string>>>;
  readonly flags: ReadonlySet<F>;
  readonly words: readonly string[];
}

export type NotAsked = { readonly kind: "help" } | { readonly kind: "wrong"; readonly why: string };

export function readOptions<T extends string, F extends string = never>(
  argv: readonly string[],
  line: CommandLine<T, F>,
): Asked<T, F> | NotAsked {
  const values: Partial<Record<T, string>> = {};
  const flags = new Set<F>();
  const words: string[] = [];
  const wrong = (why: string): NotAsked => ({ kind: "wrong", why });
  for (const token of tokensOf(argv, line)) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      if (words.push(token.value) > (line.words ?? 0)) return wrong(`unexpected argument "${token.value}"`);
      continue;
    }
    const { name, rawName, value, inlineValue } = token;
    if (name === "help") return { kind: "help" };
    const text = line.texts.find((known) => known === name);
    const flag = line.flags?.find((known) => known === name);
    if (text !== undefined) {
      if (Object.hasOwn(values, text)) return wrong(`${rawName} is given twice`);
      if (value === undefined || value === "") return wrong(`${rawName} needs a value`);
      if (!inlineValue && value.length > 1 && value.startsWith("-"))
        return wrong(`${rawName} needs a value; write ${rawName}=VALUE if it begins with "-"`);
      values[text] = value;
    } else if (flag !== undefined) {
      if (value !== undefined) return wrong(`${rawName} takes no value`);
      flags.add(flag);
    } else return wrong(unknownOption(rawName, [...line.texts, ...(line.flags ?? [])]));
  }
  return { kind: "run", values, flags, words };
}

/** Answers a command line that is not to be run: help on standard output, else what is wrong and where help is. The exit code. */
export function answerUsage(
  asked: NotAsked,
  line: Pick<CommandLine<string>, "name" | "usage">,
  io: { stdout(text: string): unknown; stderr(text: string): unknown },
): number {
  if (asked.kind === "help") {
    io.stdout(line.usage);
    return 0;
  }
  io.stderr(`countersign ${line.name}: ${asked.why}\ncountersign ${line.name} --help tells more\n`);
  return 2;
}

export function unknownOption(written: string, known: readonly string[]): string {
  return `unknown option ${written}${didYouMean(
    written,
    known.map((name) => `--${name}`),
  )}`;
}

/** `, did you mean explain?`, or nothing where no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? "" : `, did you mean ${near}?`;
}

function tokensOf(argv: readonly string[], line: CommandLine<string, string>) {
  const options = Object.fromEntries([
    ...line.texts.map((name) => [name, { type: "string" as const }]),
    ...(line.flags ?? []).map((name) => [name, { type: "boolean" as const }]),
    ["help", { type: "boolean" as const, short: "h" }],
  ]);
  // Not strict: what it refuses it would say in its own words.
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}
