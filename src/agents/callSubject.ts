/** What a call is about, as one text: its command, else its SQL, else its paths. Reads the tables of tool names; parses nothing, judges nothing. */
import type { Args, ToolCall } from "../core/call";
import { commandText } from "./commandText";
import { rowOf } from "./toolFacts";
import { COMMAND_ARGS, PATH_ARGS, plainName, SQL_ARGS, type ToolRow } from "./toolTables";

/** Of several texts all are given, a line each: none of them may hide behind another. Where there is none, the arguments in JSON. */
export function callSubject(
  call: Pick<ToolCall, "toolName" | "canonicalName" | "extra">,
  args: Args,
): string {
  const row = rowOf(call);
  for (const read of [commandsOf, sqlOf, pathsOf]) {
    const texts = read(args, row);
    if (texts.length > 0) return texts.join("\n");
  }
  return JSON.stringify(args);
}

function commandsOf(args: Args, row: ToolRow | undefined): readonly string[] {
  const names = row === undefined ? COMMAND_ARGS : (row.commands ?? []);
  return names.flatMap((name) => commandText(args, name));
}

function sqlOf(args: Args, row: ToolRow | undefined): readonly string[] {
  const isSql = (name: string): boolean =>
    row === undefined ? SQL_ARGS.has(plainName(name)) : (row.sql?.includes(name) ?? false);
  return textsUnder(args, isSql);
}

function pathsOf(args: Args, row: ToolRow | undefined): readonly string[] {
  if (row?.patch === true) return textsUnder(args, () => true);
  return textsUnder(args, (name) => PATH_ARGS.has(plainName(name)));
}

function textsUnder(args: Args, wanted: (name: string) => boolean): readonly string[] {
  return Object.keys(args)
    .filter(wanted)
    .flatMap((name) => [args[name]].flat())
    .filter((value) => typeof value === "string" && value !== "")
    .map(String);
}
