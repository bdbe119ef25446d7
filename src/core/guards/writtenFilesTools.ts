/** Tools that run a file which they do not name, or only part of one: tasks of the workspace. Judges nothing. */
import type { FileSystem } from "../../ports";
import type { ToolCall } from "../call";
import { resolvePath } from "../paths/resolvePath";
import type { WrittenFiles } from "./writtenFilesMemory";

export const RUNS_TASK = /^(?:run_task|run_vscode_task|runTask|runTasks|copilot_runVscodeTask)$/;

/** The file of tasks that the call runs one of, where an agent wrote it in this window. */
export async function writtenTasks(
  call: ToolCall,
  fs: FileSystem,
  files: WrittenFiles,
): Promise<string | undefined> {
  if (!RUNS_TASK.test(call.toolName) || files.isEmpty()) return undefined;
  const folder = call.input.workspaceFolder;
  const start = typeof folder === "string" && folder !== "" ? folder : call.cwd;
  const resolved = await resolvePath({ path: ".vscode/tasks.json", cwd: start, fs });
  return resolved.ok && files.has(resolved.real.text) ? resolved.real.text : undefined;
}
