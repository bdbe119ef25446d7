/** Variables of a terminal text whose values stand in it, put into the words that use them. Knows no program. */
import { programName, type SimpleCommand } from "./command";
import { stdinText } from "./stdin";

export type Values = ReadonlyMap<string, readonly string[]>;

const MAX_VALUES = 8;
const SETS = /^(?:export|declare|local|typeset|readonly|env|sudo|doas)$/;

/** Every value that the text gives a name, one after the other. */
export function valuesIn(commands: readonly SimpleCommand[]): Values {
  const values = new Map<string, string[]>();
  const add = (name: string, value: string | null) => {
    const known = values.get(name) ?? [];
    if (value !== null && known.length < MAX_VALUES) values.set(name, [...known, value]);
  };
  for (const command of commands) {
    const { argv, assignments } = command;
    for (const { name, value } of assignments) add(name, value);
    if (argv[0] === "read") for (const [name, value] of readNames(command)) add(name, value);
    if (!SETS.test(programName(argv[0]) ?? "")) continue;
    for (const word of argv.slice(1)) {
      const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(word ?? "") ?? [];
      if (name !== undefined) add(name, value ?? "");
    }
  }
  return values;
}

/** `read R <<< x` */
function readNames(command: SimpleCommand): readonly (readonly [string, string])[] {
  const stdin = stdinText(command);
  if (stdin.kind !== "text") return [];
  const names = command.argv.slice(1).filter((word) => word !== null && /^\w+$/.test(word));
  const line = (stdin.texts[0] ?? "").split("\n")[0]?.trim() ?? "";
  return names.flatMap((name) => (name === null ? [] : [[name, line] as const]));
}

/** `$R`, `db:$R`, `"${R}:x"` */
const USE = /^"?([^$"`\\]*)\$(?:(\w+)|\{(\w+)\})([^$"`\\]*)"?$/;

/** What a word may be; none = nobody can tell. */
export function wordsOf(raw: string, values: Values): readonly string[] {
  const [, before = "", plain, braced, behind = ""] = USE.exec(raw) ?? [];
  const name = plain ?? braced;
  return name === undefined ? [] : (values.get(name) ?? []).map((value) => before + value + behind);
}
