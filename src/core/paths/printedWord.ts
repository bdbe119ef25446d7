/** What a command between `$(` and `)` prints, where that stands in the text itself. Knows no variable. */
import type { ParsedScript } from "unbash";
import { flattenBash } from "../shell/bash";
import { UNKNOWN_COMMAND } from "../shell/command";
import { newLimit } from "../shell/readLimit";
import { stdinText } from "../shell/stdin";

/** Longer ones are no word, in UTF-16 units. */
const LONGEST = 4096;
const PRINTS = /^(?:\$\(|`)\s*(?:echo|printf|cat|base64|rev|xxd|command\s+echo|builtin\s+echo)\b/;

/** None = that cannot be told. */
export function printedWords(text: string, script: ParsedScript | undefined): readonly string[] {
  if (text.length > LONGEST || script?.commands.length !== 1 || !PRINTS.test(text)) return [];
  const inner = text.startsWith("$(") ? text.slice(2, -1) : text.slice(1, -1).replace(/\\([$`\\])/g, "$1");
  const only = script.commands[0]?.command;
  const count = only?.type === "Pipeline" ? only.commands.length : only?.type === "Command" ? 1 : 0;
  const { commands, problem } = flattenBash(inner, newLimit());
  const last = commands.at(-1);
  if (problem !== undefined || last === undefined || commands.length !== count) return [];
  const printed = stdinText({ ...UNKNOWN_COMMAND, pipedFrom: last });
  if (printed.kind !== "text") return [];
  return [...new Set(printed.texts.map((one) => one.replace(/\n+$/, "")))];
}
