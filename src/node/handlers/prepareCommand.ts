/** Checks a command handler's configuration and makes it ready to run. Knows nothing of rules. */
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { messageOf } from "../../core/errors";
import type { HandlerConfig } from "../../core/rules/schemaHandlers";
import { type CommandPlan, runCommand } from "./command";
import { reachOfCommand } from "./commandReach";
import { unlistedProblem, withDeclared } from "./declaredReach";
import { environmentFor, expandNames, isOurs } from "./environment";
import { ABSENT, changedFile, digestOf, type Reached, stampOf } from "./fileDigest";
import { findProgram, isProgram } from "./findProgram";
import { watchFolders } from "./folderWatch";
import type { Found } from "./foundFiles";
import { linkedDigest } from "./linkedPath";
import { type KeyProblem, type Prepared, type Surroundings, unfit } from "./prepare";
import { isLoading } from "./programKinds";
import { fillRun, fillRunInShell, RUN_DIR, RUN_ID } from "./runPlaces";

type CommandConfig = Extract<HandlerConfig, { type: "command" }>;

export async function prepareCommand(
  config: CommandConfig,
  name: string,
  around: Surroundings,
): Promise<Prepared> {
  const cwd = resolve(around.folder, config.cwd ?? ".");
  if (!(await isFolder(cwd)) && !/\{run_(?:id|dir)\}/.test(config.cwd ?? "")) {
    return unfit({ path: ["cwd"], message: `there is no folder ${cwd}` });
  }
  const given = await environmentOf(config, around);
  const { command } = config;
  const program = await programOf(command, { cwd, env: given.env });
  const problems = [...given.problems, ...(typeof program === "string" ? [] : [program])];
  if (typeof program !== "string" || problems.length > 0) return unfit(...problems);
  const found = await reachOfCommand(command, { ...around, cwd, env: given.env });
  const own = await digests(command, found, cwd);
  if ("message" in own) return unfit(own);
  const { reaches } = config;
  if (reaches === undefined && around.unlisted === "problem" && found.unlisted.size > 0)
    return unfit(unlistedProblem("command", [...found.unlisted]));
  const reached = await withDeclared(own, { reaches, folder: around.folder });
  if ("message" in reached) return unfit(reached);
  return {
    problems: [],
    reached,
    async run(event, signal) {
      const run = around.runPlace(event);
      const plan: CommandPlan = {
        name,
        program,
        ...argumentsOf(command, (text) => fillRun(text, run)),
        cwd: resolve(around.folder, fillRun(config.cwd ?? ".", run)),
        env: {
          ...filled(given.env, (text) => fillRun(text, run)),
          ...compiledNowhere(),
          [RUN_ID]: run.id,
          [RUN_DIR]: run.dir,
        },
      };
      const answer = await unexchanged(reached, () => runCommand(plan, event, signal));
      return typeof answer === "string" ? { kind: "broken", why: answer } : answer;
    },
  };
}

/** What was swapped while it ran may be what ran, even if it was put back: then why it does not count. */
async function unexchanged<T>(reached: Reached, run: () => Promise<T>): Promise<T | string> {
  const folders = await watchFolders([...reached.files.keys(), ...reached.empty]);
  try {
    const before = await stampOf(reached);
    // Looked at again behind the stamp: what changed before it is not hidden by it.
    const early = await changedFile(reached);
    if (early !== undefined) return `${early} since it was trusted`;
    const answer = await run();
    const changed = await changedFile(reached);
    if (changed !== undefined) return `${changed} while it ran`;
    if ((await stampOf(reached)) !== before) return `${SWAPPED} while it ran`;
    const exchanged = await folders.exchanged();
    return exchanged === undefined ? answer : `${exchanged} was exchanged while it ran`;
  } finally {
    folders.close();
  }
}

const SWAPPED = "a file that it runs was written or exchanged";

/** Python's compiled files beside a script could say something else than the script that was hashed. */
const compiledNowhere = (): Readonly<Record<string, string>> => ({
  PYTHONDONTWRITEBYTECODE: "1",
  PYTHONPYCACHEPREFIX: join(tmpdir(), `countersign-${randomBytes(12).toString("hex")}`),
});

const filled = (env: Readonly<Record<string, string>>, fill: (text: string) => string) =>
  Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fill(value)]));

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function argumentsOf(
  command: string | readonly string[],
  fill: (text: string) => string,
): Pick<CommandPlan, "args" | "verbatim"> {
  if (typeof command !== "string") return { args: command.slice(1).map(fill) };
  const text = fillRunInShell(command);
  return process.platform === "win32"
    ? { args: ["/d", "/s", "/c", `"${text}"`], verbatim: "yes" }
    : { args: ["-c", text] };
}

async function environmentOf(
  { env: wanted }: CommandConfig,
  around: Surroundings,
): Promise<{ readonly env: Readonly<Record<string, string>>; readonly problems: readonly KeyProblem[] }> {
  const given = await environmentFor(around);
  const { env } = around;
  const problems: KeyProblem[] = [];
  for (const [name, text] of Object.entries(wanted ?? {})) {
    const path = ["env", name];
    const expanded = expandNames(text, env);
    if (isOurs(name)) {
      problems.push({ path, message: `${name} is Countersign's own`, suggestion: "choose another name" });
    } else if (isLoading(name)) {
      problems.push({
        path,
        message: `${name} makes programs load code that nobody has seen`,
        suggestion: LOADING,
      });
    } else if (expanded.ok && /^path$/i.test(name)) {
      given[name] = (await environmentFor({ ...around, env: { PATH: expanded.text } })).PATH ?? "";
    } else if (expanded.ok) given[name] = expanded.text;
    else problems.push({ path, message: expanded.message, suggestion: expanded.suggestion });
  }
  return { env: given, problems };
}

const LOADING = "name what is to be run in the command itself";

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Found once: what PATH holds later changes nothing. */
async function programOf(command: string | readonly string[], place: Place): Promise<string | KeyProblem> {
  if (typeof command === "string") return shellOf(place.env);
  const [word = ""] = command;
  const path: readonly (string | number)[] = ["command", 0];
  if (!/[\\/]/.test(word)) {
    const found = await findProgram(word, place.env.PATH ?? place.env.Path ?? "");
    if (found !== undefined) return found;
    return { path, message: `there is no program ${word} on PATH`, suggestion: hintFor(word) };
  }
  const file = resolve(place.cwd, word);
  if (await isProgram(file)) return file;
  const exists = (await digestOf(file).catch(() => undefined)) !== ABSENT;
  return exists
    ? {
        path,
        message: `${file} may not be run`,
        suggestion: `chmod +x ${basename(file)}, or name its interpreter first`,
      }
    : { path, message: `there is no file ${file}` };
}

const hintFor = (word: string) =>
  word.includes(" ")
    ? "in a list each word is an item of its own; a whole line is a text"
    : "give its path, or install it; a folder of PATH within the configuration's own folder is not looked in";

const shellOf = (env: Place["env"]) =>
  process.platform === "win32" ? (env.ComSpec ?? env.COMSPEC ?? "C:\\Windows\\System32\\cmd.exe") : "/bin/sh";

async function digests(
  command: string | readonly string[],
  found: Found,
  cwd: string,
): Promise<Reached | KeyProblem> {
  const files = new Map<string, string>();
  for (const file of [...found.files].sort()) {
    try {
      const leads = found.links.has(file) ? await linkedDigest(file) : undefined;
      const digest = leads ?? (await digestOf(file));
      if (digest === ABSENT && isCertain(command)) {
        return { path: keyOf(command, file, cwd), message: `there is no file ${file}` };
      }
      files.set(file, digest);
    } catch (error) {
      return { path: ["command"], message: messageOf(error) };
    }
  }
  const { watched, links, empty } = found;
  return { files, watched, links, empty, folders: new Map() };
}

/** A text of several commands may go elsewhere, make the file, or ask whether it is there. */
const isCertain = (command: string | readonly string[]) =>
  typeof command !== "string" || !/[;&|\n`(){}<>]|\b(?:if|for|while|cd|case)\b/.test(command);

function keyOf(command: string | readonly string[], file: string, cwd: string): readonly (string | number)[] {
  if (typeof command === "string") return ["command"];
  const index = command.findIndex((word) => resolve(cwd, word) === file);
  return index < 0 ? ["command"] : ["command", index];
}
