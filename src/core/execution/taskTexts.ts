/** The shell texts that a task of the workspace stands for, by the text of its file. Reads no file, judges nothing. */
import { isPlainObject, type Shell } from "../call";

export interface TaskText {
  readonly text: string;
  readonly shell: Shell;
  /** As the task names it; absent = the workspace folder. */
  readonly folder?: string;
}

/** unknown: no task of that name; a file that is none says nothing of any name. */
export type TaskTexts =
  | { readonly kind: "texts"; readonly texts: readonly TaskText[] }
  | { readonly kind: "unknown" }
  | { readonly kind: "unreadable" };

type Os = "linux" | "darwin" | "win32";
type Task = Readonly<Record<string, unknown>>;
const MAX_DEPTH = 8;
const MAX_TEXTS = 100;

/** The task called `id`, as the editor's tool names it, and all tasks that it waits for. */
export function taskTexts(file: string | undefined, id: string, os: Os): TaskTexts {
  const npm = /^npm: ([\w:.-]+)/.exec(id)?.[1];
  const found = file === undefined ? [] : tasksOf(file);
  if (found === undefined) return npm === undefined ? { kind: "unreadable" } : packageScript(npm, os);
  const task = found.find((one) => namesOf(one).includes(id));
  if (task === undefined) return npm === undefined ? { kind: "unknown" } : packageScript(npm, os);
  const texts: TaskText[] = [];
  collect(task, { tasks: found, os, texts, seen: new Set(), depth: 0 });
  return { kind: "texts", texts };
}

/** One task that stands by itself, as a tool is given it. */
export function textsOfTask(task: Task, os: Os): readonly TaskText[] {
  return ownTexts(task, os);
}

const packageScript = (name: string, os: Os): TaskTexts => ({
  kind: "texts",
  texts: [{ text: `npm run ${name}`, shell: shellOf({}, os) }],
});

function tasksOf(file: string): readonly Task[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(withoutRemarks(file));
  } catch {
    return undefined;
  }
  const listed = isPlainObject(parsed) ? parsed.tasks : undefined;
  return Array.isArray(listed) ? listed.filter(isPlainObject) : [];
}

function namesOf(task: Task): readonly string[] {
  const label = task.label ?? task.taskName;
  const type = typeof task.type === "string" ? task.type : "shell";
  const own = typeof label === "string" ? [label, `${type}: ${label}`] : [];
  return typeof task.script === "string" ? [...own, `${type}: ${task.script}`] : own;
}

interface Walk {
  readonly tasks: readonly Task[];
  readonly os: Os;
  readonly texts: TaskText[];
  readonly seen: Set<Task>;
  readonly depth: number;
}

function collect(task: Task, walk: Walk): void {
  if (walk.seen.has(task) || walk.depth > MAX_DEPTH || walk.texts.length > MAX_TEXTS) return;
  walk.seen.add(task);
  for (const name of [task.dependsOn].flat()) {
    const before = walk.tasks.find((one) => typeof name === "string" && namesOf(one).includes(name));
    if (before !== undefined) collect(before, { ...walk, depth: walk.depth + 1 });
  }
  walk.texts.push(...ownTexts(task, walk.os));
}

const OF_SYSTEM: Readonly<Record<Os, string>> = { linux: "linux", darwin: "osx", win32: "windows" };

function ownTexts(task: Task, os: Os): readonly TaskText[] {
  const system = task[OF_SYSTEM[os]];
  const one: Task = isPlainObject(system) ? { ...task, ...system } : task;
  const options = isPlainObject(one.options) ? one.options : {};
  const folder = typeof options.cwd === "string" ? withoutVariables(options.cwd) : undefined;
  const text = textOf(one);
  if (text === undefined) return [];
  return [{ text, shell: shellOf(options, os), ...(folder === undefined ? {} : { folder }) }];
}

function textOf(task: Task): string | undefined {
  if (task.type === "npm" && typeof task.script === "string") return `npm run ${quotedWord(task.script)}`;
  const command = wordOf(task.command);
  if (command === undefined) return undefined;
  const args = Array.isArray(task.args) ? task.args.flatMap((word: unknown) => wordOf(word) ?? []) : [];
  const own = withoutVariables(command);
  // The words of a process are never read by a shell.
  const program = task.type === "process" ? quotedWord(own) : own;
  return [program, ...args.map((word) => quotedWord(withoutVariables(word)))].join(" ");
}

/** `"a"`, `{ "value": "a", "quoting": "strong" }`, `["a", "b"]` */
function wordOf(word: unknown): string | undefined {
  if (typeof word === "string") return word;
  if (Array.isArray(word)) return word.filter((one) => typeof one === "string").join(" ");
  return isPlainObject(word) ? wordOf(word.value) : undefined;
}

function shellOf(options: Task, os: Os): Shell {
  const named = isPlainObject(options.shell) ? options.shell.executable : undefined;
  const name = typeof named === "string" ? named.toLowerCase() : "";
  if (/cmd(?:\.exe)?$/.test(name)) return "cmd";
  if (/(?:pwsh|powershell)(?:\.exe)?$/.test(name)) return "pwsh";
  return named === undefined && os === "win32" ? "pwsh" : "bash";
}

/** `${workspaceFolder}` is where the task starts; what else the editor puts in nobody can tell. */
function withoutVariables(text: string): string {
  return text
    .replaceAll(/\$\{(?:workspaceFolder|workspaceRoot|cwd)\}/g, ".")
    .replaceAll(/\$\{[^}]*[^\w}][^}]*\}/g, "$UNKNOWN");
}

function quotedWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return word.includes("$UNKNOWN")
    ? `"${word.replaceAll(/["\\`]/g, "\\$&")}"`
    : `'${word.replaceAll("'", "'\\''")}'`;
}

/** JSON with remarks and commas too many, as the editor reads it. */
function withoutRemarks(text: string): string {
  return text
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
      part.startsWith('"') ? part : " ",
    )
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part.startsWith('"') ? part : ""));
}
