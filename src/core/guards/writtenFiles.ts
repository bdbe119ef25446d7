/** The guard `written_files`: what agents wrote and then run is judged as if its text had been typed. */
import type { FileSystem } from "../../ports";
import type { Args, Facets, ReadFacets, ToolCall } from "../call";
import { sessionKey } from "../consent";
import { Allow, AskUser, type Decision, Deny } from "../decision";
import { redToken } from "../execution/redTokens";
import type { Hook, HookContext } from "../hook";
import { readAnswer } from "../hookAnswer";
import { inFolder } from "../paths/changeFolder";
import { rememberLooks } from "../paths/rememberLooks";
import { resolvePath } from "../paths/resolvePath";
import { taskToRun } from "./taskToRun";
import { type InCall, writtenInCall } from "./writtenFilesInCall";
import type { WrittenFiles } from "./writtenFilesMemory";
import { type ReadText, type RunText, textsToRun } from "./writtenFilesTexts";
import { writtenTasks } from "./writtenFilesTools";

export interface WrittenFilesOptions {
  readonly facets: ReadFacets;
  readonly fs: FileSystem | ((call: ToolCall) => FileSystem);
  readonly files: WrittenFiles;
  /** Given a real path. Never rejects. */
  readonly readText: ReadText;
  /** The guards that judge the texts, as they judge a terminal command. */
  readonly judges: readonly Hook[];
}

export function writtenFiles(options: WrittenFilesOptions): Hook {
  const fsOf = (call: ToolCall): FileSystem =>
    rememberLooks(typeof options.fs === "function" ? options.fs(call) : options.fs);
  return {
    name: "written_files",
    guard: true,
    deadlineMs: 2000,
    async preToolUse(ctx, _toolName, args) {
      const { call } = ctx;
      const tasks = await writtenTasks(call, fsOf(call), options.files);
      if (tasks !== undefined)
        return AskUser({ prompt: `Run a task of ${tasks}, which an agent wrote.`, details: { file: tasks } });
      const task = await judgedTask(ctx, fsOf(call), options);
      if (task !== undefined) return task;
      const { commands } = options.facets(call, args);
      if (commands.length === 0) return Allow();
      const where = { fs: fsOf(call), cwd: call.cwd };
      const inCall = await writtenInCall(commands, where);
      const { files, readText } = options;
      if (files.isEmpty() && inCall.texts.size + inCall.downloads.size + inCall.made.size === 0)
        return Allow();
      const found = await textsToRun(commands, {
        ...where,
        files,
        readText,
        inCall: withUnseen(inCall),
        moved: inCall.moved,
      });
      for (const one of found) {
        const decision = await judge(one, ctx, { options, downloads: inCall.downloads });
        if (decision !== undefined) return decision;
      }
      return Allow();
    },
    async postToolUse({ call, outcome }, _toolName, args) {
      if (outcome?.kind !== "run") return;
      const facets = options.facets(call, args);
      const where = { fs: fsOf(call), cwd: call.cwd };
      if (outcome.consent !== undefined) approveTexts(call, outcome.binding, options.files);
      await rememberWritten(facets, where, options.files);
    },
  };
}

/** A task of the workspace is judged as the command that it runs. */
async function judgedTask(
  ctx: HookContext,
  fs: FileSystem,
  { readText, judges }: WrittenFilesOptions,
): Promise<Decision | undefined> {
  const task = await taskToRun(ctx.call, fs, readText);
  if (task.kind === "none") return undefined;
  if (task.kind === "unreadable")
    return AskUser({
      prompt: `Run the task ${task.name}: ${task.file} cannot be read, so that nobody can tell what it runs.`,
      details: { file: task.file },
    });
  const start = task.folder === undefined ? ctx.call : { ...ctx.call, cwd: task.folder };
  for (const { text, shell, folder } of task.texts) {
    const cwd = folder === undefined || start.cwd === undefined ? start.cwd : inFolder(folder, start.cwd);
    const call = { ...start, ...(cwd === undefined ? {} : { cwd }), extra: { ...start.extra, shell } };
    const verdict = await judgedText(text, { ...ctx, call }, judges);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** Marks what nobody has seen with a text of its own, so that running it is found. */
const DOWNLOADED = "\u0000downloaded";
const MADE = "\u0000made";

function withUnseen({ texts, downloads, made }: InCall): ReadonlyMap<string, string> {
  return new Map([
    ...[...made].map((path) => [path, MADE] as const),
    ...[...downloads].map((path) => [path, DOWNLOADED] as const),
    ...texts,
  ]);
}

interface Judging {
  readonly options: WrittenFilesOptions;
  readonly downloads: ReadonlySet<string>;
}

async function judge(one: RunText, ctx: HookContext, { options }: Judging): Promise<Decision | undefined> {
  const { path, text, hash, language } = one;
  if (text === DOWNLOADED)
    return ask(one, `Run ${path}, which this very command downloads: nobody has seen what will stand there.`);
  if (text === MADE)
    return ask(one, `Run ${path}, which this very command writes: what will stand there cannot be read now.`);
  const known = options.files.approved(sessionKey(ctx.call), hash);
  if (text === null)
    return known
      ? undefined
      : ask(one, `Run ${path}, which an agent wrote and which is too large or no text: it cannot be judged.`);
  const verdict = await judgedText(asCommand(text, language), ctx, options.judges);
  if (verdict?.kind === "deny") return Deny(`${path}, which an agent wrote, would run: ${verdict.reason}`);
  // Shell is judged as if it were typed; of program text a reading is never whole, so that one look is for all its runs.
  if (verdict !== undefined && (language.kind === "shell" || !known))
    return ask(one, `Run ${path}, which an agent wrote: ${verdict.prompt}`, verdict.details);
  const red = language.kind === "code" && !known ? redToken(text) : undefined;
  return red === undefined
    ? undefined
    : ask(one, `Run ${path}, which an agent wrote: it ${red.what} (${red.token}).`);
}

function ask({ path, hash }: RunText, prompt: string, details: Args = {}): Decision {
  return AskUser({ prompt, details: { ...details, file: path }, binding: { [`${BOUND}${path}`]: hash } });
}

/** A program text as its interpreter would be given it in a terminal. */
function asCommand(text: string, language: RunText["language"]): string {
  if (language.kind === "shell") return text.replace(/^#!.*\n?/, "");
  if (/^(?:awk|sed)$/.test(language.interpreter))
    return `${language.interpreter} '${text.replaceAll("'", "'\\''")}'`;
  let mark = "PROGRAM_TEXT";
  while (text.includes(mark)) mark += "_";
  return `${language.interpreter} <<'${mark}'\n${text}\n${mark}\n`;
}

type Strict = Extract<Decision, { kind: "deny" | "ask" }>;

/** The strictest word of the guards; a guard that fails denies the call that runs the text. */
async function judgedText(
  command: string,
  ctx: HookContext,
  judges: readonly Hook[],
): Promise<Strict | undefined> {
  const input = Object.freeze({ command });
  const call: ToolCall = { ...ctx.call, toolName: "Bash", canonicalName: "Bash", input };
  let asked: Strict | undefined;
  for (const hook of judges) {
    const decision = readAnswer(await hook.preToolUse?.({ ...ctx, call }, "Bash", input));
    if (decision.kind === "deny") return decision;
    if (decision.kind === "ask") asked ??= decision;
  }
  return asked;
}

const BOUND = "written ";

/** The texts as they were when the person was asked: what stands there now the call itself may have written. */
function approveTexts(call: ToolCall, binding: Readonly<Record<string, string>>, files: WrittenFiles): void {
  for (const [name, hash] of Object.entries(binding))
    if (name.startsWith(BOUND)) files.approve(sessionKey(call), hash);
}

async function rememberWritten(
  { paths }: Facets,
  { fs, cwd }: { readonly fs: FileSystem; readonly cwd: string | undefined },
  files: WrittenFiles,
): Promise<void> {
  const written = paths.filter(({ access }) => access === "write");
  const ends = await Promise.all(written.map(({ path }) => resolvePath({ path, cwd, fs })));
  for (const resolved of ends) if (resolved.ok) files.wrote(resolved.real.text);
}
