/**
 * Agents' settings files on the disk: what installing or uninstalling would change, doing it after a person agreed, and how things
 * stand. Knows nothing of how a person is asked.
 */
import { existsSync } from "node:fs";
import { chmod, mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentId } from "../agents/agentDoor";
import { agentDoors } from "../agents/agentDoors";
import { isCurrent, isOurs, plannedInstall, plannedUninstall } from "../agents/install/installPlan";
import { type Path, parseJsonc } from "../agents/install/jsonc";
import { lineDiff } from "../agents/install/lineDiff";
import { type Plan, plans } from "../agents/install/settingsPlan";
import { codexReviewed, switchedOffBy, switchFiles } from "../agents/install/switches";
import { messageOf } from "../core/errors";
import { forgetInstall, knownInstalls, readInstall, rememberInstall } from "./agentInstalls";
import { binFolder, hookProgram } from "./launcherFiles";
import { hasCode } from "./privateFile";

export type OutsideAgent = Exclude<AgentId, "vscode">;
export const outsideAgents = Object.keys(plans) as readonly OutsideAgent[];

export interface AgentPlaces {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The workspace whose own settings may switch hooks off. */
  readonly workspace?: string;
}

/** One file as it is and as it would be; `after` undefined = it goes. */
export interface FileChange {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly made: readonly Path[];
  readonly executable: boolean;
}

export interface AgentChange {
  readonly agent: OutsideAgent;
  readonly to: "install" | "uninstall";
  readonly files: readonly FileChange[];
  /** What a person is shown. */
  readonly diff: readonly string[];
}

export type PlannedChange =
  | { readonly ok: true; readonly change: AgentChange }
  | { readonly ok: false; readonly message: string };

interface Target {
  readonly file: string;
  readonly plan: Plan;
  readonly script?: string;
}

function targetsOf(agent: OutsideAgent, { home, env }: AgentPlaces): readonly Target[] {
  const openCodePlugin = pathToFileURL(join(binFolder(home), "opencode.mjs")).href;
  const plan = plans[agent]({ hook: hookProgram(home), openCodePlugin });
  if (plan.kind === "scripts")
    return plan.files.map(({ below, text }) => ({ file: join(home, ...below), plan, script: text }));
  const moved = plan.file.env === undefined ? undefined : env[plan.file.env];
  const [, ...rest] = plan.file.below;
  return [{ plan, file: moved?.startsWith("/") ? join(moved, ...rest) : join(home, ...plan.file.below) }];
}

/** What a person must agree to. Changes nothing. */
export async function planChange(
  agent: OutsideAgent,
  to: AgentChange["to"],
  places: AgentPlaces,
): Promise<PlannedChange> {
  const files: FileChange[] = [];
  for (const target of targetsOf(agent, places)) {
    const planned = await changeOf(target, to, places.home);
    if (typeof planned === "string") return { ok: false, message: `${target.file}: ${planned}` };
    if (planned.before !== planned.after) files.push(planned);
  }
  const diff = files.flatMap(({ file, before = "", after = "" }) => lineDiff(file, before, after));
  return { ok: true, change: { agent, to, files, diff } };
}

async function changeOf(target: Target, to: AgentChange["to"], home: string): Promise<FileChange | string> {
  const { file, plan, script } = target;
  const before = await textOf(file);
  const common = { file, before, executable: plan.kind === "scripts" };
  if (plan.kind === "scripts") {
    if (before !== undefined && !isOurs(before))
      return "a hook of this name is there already; it is left alone";
    return { ...common, after: to === "install" ? script : undefined, made: [] };
  }
  if (to === "install") {
    const planned = plannedInstall(before, plan.file);
    if (!planned.ok) return planned.message;
    return { ...common, after: planned.value.text, made: planned.value.made };
  }
  if (before === undefined) return { ...common, after: undefined, made: [] };
  const known = await readInstall(home, file);
  const planned = plannedUninstall(before, { file: plan.file, made: known?.made ?? [] });
  if (!planned.ok) return planned.message;
  const empty = known?.created === true && isInitial(planned.text, plan.file.initial ?? {});
  return { ...common, after: empty ? undefined : planned.text, made: [] };
}

/**
 * One change for each settings file of the agent that holds a hook of ours: where this environment places it, and in every folder that
 * a variable led it to when its hook was installed, since whoever takes hooks out later may not have that variable.
 */
export async function planUninstalls(
  agent: OutsideAgent,
  places: AgentPlaces,
): Promise<readonly PlannedChange[]> {
  const { home, env } = places;
  const found = new Map<string, PlannedChange>();
  for (const one of [env, ...(await movedBy(agent, home)).map((moved) => ({ ...env, ...moved }))]) {
    const planned = await planChange(agent, "uninstall", { ...places, env: one });
    if (!planned.ok) found.set(planned.message, planned);
    // The folder that was moved to and the usual one may be the same.
    else if (planned.change.files.length > 0) found.set(planned.change.diff.join("\n"), planned);
  }
  return [...found.values()];
}

/** Settings of the variable that leads an agent elsewhere, as the files tell that were installed and are nobody's usual ones. */
async function movedBy(agent: OutsideAgent, home: string): Promise<readonly AgentPlaces["env"][]> {
  const usual = (one: OutsideAgent) => targetsOf(one, { home, env: {} });
  const [target] = usual(agent);
  const variable = target?.plan.kind === "settings" ? target.plan.file.env : undefined;
  if (target === undefined || variable === undefined) return [];
  const files = new Set(outsideAgents.flatMap((one) => usual(one).map(({ file }) => file)));
  return (await knownInstalls(home))
    .filter((file) => !files.has(file) && basename(file) === basename(target.file))
    .map((file) => ({ [variable]: dirname(file) }));
}

function isInitial(text: string, initial: Readonly<Record<string, unknown>>): boolean {
  const parsed = parseJsonc(text);
  return parsed.ok && JSON.stringify(parsed.value) === JSON.stringify(initial);
}

/** Writes what a person has agreed to. Throws where a file has changed since they were shown it. */
export async function applyChange(change: AgentChange, { home }: AgentPlaces): Promise<void> {
  for (const { file, before } of change.files)
    if ((await textOf(file)) !== before)
      throw new Error(`${file} has changed meanwhile; nothing was written`);
  for (const { file, before, after, made, executable } of change.files) {
    if (after === undefined) await rm(file, { force: true });
    else await replaceFile(file, after, executable);
    if (change.to === "install") await rememberInstall(home, file, { made, created: before === undefined });
    else await forgetInstall(home, file);
  }
}

export interface AgentStatus {
  readonly agent: OutsideAgent;
  readonly title: string;
  /** "run" = what stands in docs/agents.md was seen with the real program. */
  readonly basis: "run" | "read";
  readonly state: "installed" | "outdated" | "absent" | "unreadable";
  readonly file: string;
  readonly message?: string;
  /** Settings that keep the hook from running: file and key. */
  readonly switchedOff: readonly { readonly file: string; readonly setting: string }[];
  /** Codex alone: whether a person has reviewed the hook there. */
  readonly reviewed?: boolean;
}

export async function agentStatus(agent: OutsideAgent, places: AgentPlaces): Promise<AgentStatus> {
  const targets = targetsOf(agent, places);
  const [{ file } = { file: "" }] = targets;
  const { title, capabilities } = agentDoors[agent];
  const common = { agent, title, basis: capabilities.basis, file };
  try {
    const states = await Promise.all(targets.map(stateOf));
    const state = states.every((one) => one === states[0]) ? (states[0] ?? "absent") : "outdated";
    const config = agent === "codex" ? await textOf(join(dirname(file), "config.toml")) : undefined;
    const lost = state !== "absent" && !existsSync(hookProgram(places.home));
    return {
      ...common,
      state,
      ...(lost
        ? { message: `the launcher ${hookProgram(places.home)} is missing: every call is denied` }
        : {}),
      switchedOff: await switchesOf(agent, places),
      ...(agent === "codex" ? { reviewed: codexReviewed(config ?? "", file) } : {}),
    };
  } catch (error) {
    return { ...common, state: "unreadable", message: messageOf(error), switchedOff: [] };
  }
}

async function stateOf({ file, plan, script }: Target): Promise<"installed" | "outdated" | "absent"> {
  const text = await textOf(file);
  if (text === undefined) return "absent";
  if (plan.kind === "scripts") return text === script ? "installed" : isOurs(text) ? "outdated" : "absent";
  const parsed = parseJsonc(text);
  if (!parsed.ok) throw new Error(parsed.message);
  if (isCurrent(text, plan.file)) return "installed";
  return isOurs(parsed.value) ? "outdated" : "absent";
}

async function switchesOf(agent: OutsideAgent, places: AgentPlaces): Promise<AgentStatus["switchedOff"]> {
  const found: { file: string; setting: string }[] = [];
  for (const one of switchFiles[agent] ?? []) {
    const root = one.place === "home" ? places.home : places.workspace;
    if (root === undefined) continue;
    const file = join(root, ...one.below);
    const text = await textOf(file).catch(() => undefined);
    if (text === undefined) continue;
    for (const setting of switchedOffBy(agent, one, text)) found.push({ file, setting });
  }
  return found;
}

export async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** As a whole, with the mode that it has; a link stays one, and what it names is replaced. */
export async function replaceFile(file: string, text: string, executable: boolean): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const target = await realpath(file).catch(() => file);
  const there = await stat(target).catch(() => undefined);
  const draft = `${target}.countersign-${process.pid}`;
  const handle = await open(draft, "wx", there === undefined ? 0o600 : there.mode & 0o777);
  try {
    await handle.writeFile(text, "utf8");
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (executable) await chmod(draft, 0o700);
  await rename(draft, target);
}
