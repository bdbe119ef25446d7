/** What a tool that runs a task of the workspace by its name would run. Judges nothing. */
import type { FileSystem } from "../../ports";
import type { ToolCall } from "../call";
import { type TaskText, taskTexts } from "../execution/taskTexts";
import { resolvePath } from "../paths/resolvePath";
import type { ReadText } from "./writtenFilesTexts";
import { RUNS_TASK } from "./writtenFilesTools";

export type TaskToRun =
  | { readonly kind: "none" }
  | { readonly kind: "texts"; readonly texts: readonly TaskText[]; readonly folder: string | undefined }
  /** Nobody can read what the name stands for. */
  | { readonly kind: "unreadable"; readonly name: string; readonly file: string };

const NONE: TaskToRun = { kind: "none" };

export async function taskToRun(
  { toolName, input, cwd }: Pick<ToolCall, "toolName" | "input" | "cwd">,
  fs: FileSystem,
  readText: ReadText,
): Promise<TaskToRun> {
  if (!RUNS_TASK.test(toolName)) return NONE;
  const folder =
    typeof input.workspaceFolder === "string" && input.workspaceFolder !== "" ? input.workspaceFolder : cwd;
  const name = input.id ?? input.task ?? input.label ?? input.taskName ?? input.name;
  if (typeof name !== "string") return NONE;
  const file = await resolvePath({ path: ".vscode/tasks.json", cwd: folder, fs });
  const read = file.ok ? await readText(file.real.text) : undefined;
  const where = file.ok ? file.real.text : ".vscode/tasks.json";
  if (read?.kind === "unreadable") return { kind: "unreadable", name, file: where };
  const found = taskTexts(read?.kind === "text" ? read.text : undefined, name, fs.os);
  if (found.kind === "texts") return { kind: "texts", texts: found.texts, folder };
  return found.kind === "unreadable" ? { kind: "unreadable", name, file: where } : NONE;
}
