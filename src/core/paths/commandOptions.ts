/** Parts the words of a command into options and operands by its row of the table. Knows no file system. */
import type { Family, NamedPath } from "./commandPaths";
import type { FileCommand } from "./fileCommands";

/** `host:path` of scp and rsync; a single letter is a Windows drive. */
export function isRemote(text: string): boolean {
  return /^[^/\\]{2,}:/.test(text) && !/^file:/i.test(text);
}

export interface ReadOptions {
  readonly operands: readonly string[];
  readonly found: readonly NamedPath[];
  readonly target?: string;
  readonly given: boolean;
  readonly inPlace: boolean;
  /** Whole folders are copied. */
  readonly recursive: boolean;
}

export function readOptions(args: readonly string[], rule: FileCommand, family: Family): ReadOptions {
  const operands: string[] = [];
  const found: NamedPath[] = [];
  let target: string | undefined;
  let given = false;
  const inPlace = args.some((word) => rule.inPlace?.test(word));
  const copies = rule.last === "write" && rule.operands === "read";
  // A mode set on a whole folder is set on all that lies in it.
  const recursive =
    (copies || rule.given?.includes("--reference") === true) &&
    args.some((word) => /^(-[a-zA-Z]*[rRa][a-zA-Z]*|--recursive|--archive|-recurse)$/i.test(word));
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    if (word === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    const option = splitOption(word, rule, family);
    if (option === null) {
      if (!(family === "windows" && /^\/[a-z]{1,4}(:.*)?$/i.test(word)))
        operands.push(...listed(word, family));
      continue;
    }
    const pair = rule.pairs?.[option.name];
    if (pair !== undefined) {
      i += 2;
      found.push({ text: args[i] ?? "", action: pair });
      continue;
    }
    if (rule.given?.includes(option.name)) given = true;
    const action = rule.files?.[option.name];
    const isTarget = rule.target?.includes(option.name) === true;
    if (action === undefined && !isTarget && rule.valued?.includes(option.name) !== true) continue;
    const value = option.value ?? args[++i];
    if (value === undefined) continue;
    if (isTarget) target = value;
    else if (action !== undefined) for (const text of listed(value, family)) found.push({ text, action });
  }
  return { operands, found, given, inPlace, recursive, ...(target === undefined ? {} : { target }) };
}

/** PowerShell takes several paths joined by commas. */
function listed(word: string, family: Family): readonly string[] {
  return family === "windows" && word.includes(",") ? word.split(",").filter((text) => text !== "") : [word];
}

/** `--name=value`, `-nVALUE`, `-Path:value`; null = no option. */
function splitOption(
  word: string,
  rule: FileCommand,
  family: Family,
): { name: string; value?: string } | null {
  if (!/^-./.test(word)) return null;
  if (family === "windows") {
    const [name = "", value] = word.split(/:(.*)/s);
    return value === undefined ? { name: name.toLowerCase() } : { name: name.toLowerCase(), value };
  }
  const long = /^(--?[a-z][\w-]*)=(.*)$/is.exec(word);
  if (long !== null) return { name: long[1] ?? "", value: long[2] ?? "" };
  if (word.startsWith("--") || word.length === 2) return { name: word };
  const known = (name: string) =>
    rule.valued?.includes(name) || rule.target?.includes(name) || Object.hasOwn(rule.files ?? {}, name);
  if (known(word)) return { name: word };
  // In a cluster the first letter that takes a value takes the rest of the word, or the next word.
  for (let i = 1; i < word.length; i++) {
    const name = `-${word[i]}`;
    if (known(name) || rule.given?.includes(name))
      return i + 1 < word.length ? { name, value: word.slice(i + 1) } : { name };
  }
  return { name: word };
}
