/** The commands of a task that a tool creates and runs. Judges nothing. */
import { type Args, type CommandFacet, isPlainObject, type Shell } from "../core/call";
import { textsOfTask } from "../core/execution/taskTexts";

/** On every system: which of them it will run on is not said. */
export function taskFacets(args: Args, shell: Shell): readonly CommandFacet[] {
  const { task } = args;
  if (!isPlainObject(task)) return [];
  const systems = (["linux", "darwin", "win32"] as const).flatMap((os) => textsOfTask(task, os));
  const texts = [...new Map(systems.map((one) => [`${one.folder ?? ""} ${one.text}`, one])).values()];
  return texts.map(({ text, folder }) => ({
    arg: "task",
    text,
    shell,
    ...(folder === undefined ? {} : { folder }),
  }));
}
