/**
 * What `countersign write` would change in a workspace: skills as files, MCP servers in agents' configuration. Plans from what was
 * written before, so that doing it again changes nothing and undoing it gives back every byte. Asks nobody.
 */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { lineDiff } from "../../agents/install/lineDiff";
import { agentPlaces, type WrittenAgent } from "../../core/cards/agentPlaces";
import { holds, realOf } from "../dataFolder";
import { hasCode } from "../privateFile";
import type { CardState } from "./cardsInForce";
import { planServers, type ServerEdit } from "./serverText";
import { type Wanted, type WantedServers, wantedServers, wantedSkills } from "./wantedFiles";
import { readWritten, saveWritten, type Written } from "./writtenRecord";

interface FileWrite {
  /** Absolute. */
  readonly file: string;
  readonly before: Buffer | undefined;
  /** Undefined = it goes. */
  readonly after: Uint8Array | undefined;
}

export interface WritePlan {
  readonly root: string;
  readonly dataFolder: string;
  readonly files: readonly FileWrite[];
  readonly diff: readonly string[];
  /** What was left alone, one sentence each. */
  readonly warnings: readonly string[];
  readonly written: Written;
}

export interface WritePlace {
  readonly root: string;
  readonly dataFolder: string;
}

/** An empty list of agents takes everything out again. */
export async function planWrite(
  place: WritePlace,
  cards: readonly CardState[],
  agents: readonly WrittenAgent[],
): Promise<WritePlan> {
  const known = await readWritten(place.dataFolder);
  const warnings: string[] = [];
  const skills = await planSkills(place, wantedSkills(cards, agents, warnings), { known, warnings });
  const servers = await planAllServers(place, wantedServers(cards, agents, warnings), { known, warnings });
  const files = [...skills.files, ...servers.files];
  return {
    ...place,
    files,
    warnings,
    diff: files.flatMap(({ file, before, after }) => diffOf(file, before, after)),
    written: { version: 1, skills: skills.skills, servers: servers.servers },
  };
}

/** Writes what a person agreed to. Throws where a file has changed since they were shown it. */
export async function applyWrite(plan: WritePlan): Promise<void> {
  for (const { file, before } of plan.files) {
    const now = await bytesOf(file);
    if (now === undefined ? before !== undefined : before === undefined || !now.equals(before))
      throw new Error(`${file} has changed meanwhile; nothing was written`);
  }
  // First what is ours: killed halfway, the rest is still known.
  await saveWritten(plan.dataFolder, plan.written);
  for (const { file, before, after } of plan.files) {
    if (after === undefined) await removeWith(file, plan.root);
    else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, after, { flag: before === undefined ? "wx" : "w" });
    }
  }
}

/** The file, and the folders that are empty without it. */
async function removeWith(file: string, root: string): Promise<void> {
  await rm(file, { force: true });
  for (let folder = dirname(file); folder !== root && holds(root, folder); folder = dirname(folder)) {
    const gone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!gone) return;
  }
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function planSkills(
  { root }: WritePlace,
  wanted: Wanted<Uint8Array>,
  { known, warnings }: { readonly known: Written; readonly warnings: string[] },
): Promise<{ readonly files: readonly FileWrite[]; readonly skills: Written["skills"] }> {
  const files: FileWrite[] = [];
  const skills: Record<string, string> = {};
  for (const path of new Set([...wanted.keys(), ...Object.keys(known.skills)])) {
    const after = wanted.get(path);
    const file = join(root, path);
    const ours = Object.hasOwn(known.skills, path) ? known.skills[path] : undefined;
    if (!(await isInside(root, file))) {
      warnings.push(`${path} is left alone: ${OUTSIDE}`);
      if (ours !== undefined) skills[path] = ours;
      continue;
    }
    const before = await bytesOf(file);
    const isOurs = before === undefined || hashOf(before) === ours;
    if (after !== undefined && before?.equals(after) === true) {
      if (ours !== undefined) skills[path] = hashOf(after);
    } else if (isOurs) {
      if (before !== undefined || after !== undefined) files.push({ file, before, after });
      if (after !== undefined) skills[path] = hashOf(after);
    } else warnings.push(`${path} is left alone: it is not what Countersign wrote`);
  }
  return { files, skills };
}

async function planAllServers(
  { root }: WritePlace,
  wanted: Wanted<WantedServers>,
  { known, warnings }: { readonly known: Written; readonly warnings: string[] },
): Promise<{ readonly files: readonly FileWrite[]; readonly servers: Written["servers"] }> {
  const files: FileWrite[] = [];
  const servers: Written["servers"] = {};
  for (const path of new Set([...wanted.keys(), ...Object.keys(known.servers)])) {
    const ours = known.servers[path];
    const planned = await serversIn(root, path, { wanted: wanted.get(path)?.servers ?? {}, known: ours });
    if (!planned.ok) {
      warnings.push(`${path} is left alone: ${planned.why}`);
      if (ours !== undefined) servers[path] = ours;
      continue;
    }
    const { before, edit } = planned;
    for (const name of edit.taken)
      warnings.push(`MCP server ${name} in ${path} is left alone: there is another one of that name`);
    const after = edit.after === undefined ? undefined : Buffer.from(edit.after, "utf8");
    if (after === undefined ? before !== undefined : before?.equals(after) !== true)
      files.push({ file: join(root, path), before, after });
    const { created, made } = edit.written;
    if (edit.written.servers.length > 0)
      servers[path] = { servers: [...edit.written.servers], created, made: made.map((one) => [...one]) };
  }
  return { files, servers };
}

type ServersIn =
  | { readonly ok: true; readonly before: Buffer | undefined; readonly edit: ServerEdit }
  | { readonly ok: false; readonly why: string };

async function serversIn(
  root: string,
  path: string,
  given: Parameters<typeof planServers>[2],
): Promise<ServersIn> {
  const place = Object.values(agentPlaces).find(({ servers: { file } }) => file === path)?.servers;
  if (place === undefined) return { ok: false, why: "no agent reads it any more" };
  const file = join(root, path);
  if (!(await isInside(root, file))) return { ok: false, why: OUTSIDE };
  const before = await bytesOf(file);
  // Written back, bytes that are no text would be others.
  if (before !== undefined && !isUtf8(before)) return { ok: false, why: "it is no UTF-8" };
  const planned = planServers(before?.toString("utf8"), place, given);
  return planned.ok ? { ok: true, before, edit: planned.edit } : planned;
}

const OUTSIDE = "a link leads out of the workspace";

/** Neither the file nor a folder on the way may be a link that leads elsewhere. */
async function isInside(root: string, file: string): Promise<boolean> {
  return (await realOf(file)) === join(await realOf(root), file.slice(root.length));
}

async function bytesOf(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

function diffOf(file: string, before: Buffer | undefined, after: Uint8Array | undefined): readonly string[] {
  const text = (bytes: Uint8Array | undefined): string | undefined => {
    try {
      return bytes === undefined ? "" : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return undefined;
    }
  };
  const [old, now] = [text(before), text(after)];
  if (old === undefined || now === undefined)
    return [
      `--- ${file}`,
      `+++ ${file}`,
      `binary, ${after?.length ?? 0} bytes, SHA-256 ${after === undefined ? "none" : hashOf(after)}`,
    ];
  const lines = lineDiff(file, old, now);
  return lines.length === 0 ? [`--- ${file}`, `+++ ${file}`, "an empty file"] : lines;
}
