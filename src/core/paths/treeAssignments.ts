/** The assignments in front of a command of a syntax tree, with the values that can be told. Knows no program. */
import type { Command } from "unbash";
import type { SimpleCommand } from "../shell/command";
import type { State } from "./shellState";
import { expandWord, UNKNOWN } from "./shellWords";

export function assignmentsOf(
  item: Command["prefix"][number],
  variables: State["variables"],
): SimpleCommand["assignments"] {
  if (item.type !== "Assignment") return [];
  const values = item.value.type === "Word" ? expandWord(item.value, variables) : [];
  const [only] = values;
  const known = values.length === 1 && only !== undefined && !only.text.includes(UNKNOWN);
  return [{ name: item.name, value: known ? only.text : null }];
}
