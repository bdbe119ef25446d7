/** Wrapped servers on the disk: what stands in clients' files, and what they were before. Knows nothing of how a person is asked. */
import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { replaceFile, textOf } from "../../node/agentSettings";
import { binFolder } from "../../node/launcherFiles";
import { ensurePrivateFolder, hasCode, readPrivateFile, writePrivateFile } from "../../node/privateFile";
import { type ClientFile, type ClientPlaces, clientFiles } from "./clientFiles";
import { type FilePlan, type Kept, listServers, planFile } from "./plan";
import type { Entry } from "./serverEntries";

export interface ServerStatus {
  readonly client: string;
  readonly file: string;
  readonly name: string;
  readonly state: "behind the chain" | "not governed" | "cannot be wrapped";
  readonly kind: Entry["reached"]["kind"];
  readonly why?: string;
}

export interface FileProblem {
  readonly client: string;
  readonly file: string;
  readonly problem: string;
}

export const launcherPath = (home: string): string => join(binFolder(home), "countersign");

export async function serverStatus(
  places: ClientPlaces,
): Promise<{ readonly servers: readonly ServerStatus[]; readonly problems: readonly FileProblem[] }> {
  const servers: ServerStatus[] = [];
  const problems: FileProblem[] = [];
  for (const file of clientFiles(places)) {
    const text = await textOf(file.file);
    if (text === undefined) continue;
    const listed = listServers(file, text);
    if (listed.ok) servers.push(...listed.entries.map((entry) => statusOf(file, entry)));
    else problems.push({ client: file.client, file: file.file, problem: listed.message });
  }
  return { servers, problems };
}

function statusOf({ client, file }: ClientFile, { name, reached, wrapped }: Entry): ServerStatus {
  const state = wrapped
    ? "behind the chain"
    : reached.kind === "other"
      ? "cannot be wrapped"
      : "not governed";
  return {
    client,
    file,
    name,
    state,
    kind: reached.kind,
    ...(reached.kind === "other" ? { why: reached.why } : {}),
  };
}

/** One plan for each file in which something changes, or about which there is something to say. */
export async function planServers(
  places: ClientPlaces,
  wanted: { readonly to: "wrap" | "unwrap"; readonly names?: readonly string[] },
): Promise<readonly FilePlan[]> {
  const plans: FilePlan[] = [];
  for (const file of clientFiles(places)) {
    const text = await textOf(file.file);
    if (text === undefined) continue;
    const kept = await readKept(places.home, file.file);
    const plan = planFile(file, { text, kept }, { ...wanted, launcher: launcherPath(places.home) });
    if (plan.diff.length > 0 || plan.notes.length > 0) plans.push(plan);
  }
  return plans;
}

/** Writes what a person has agreed to. Throws where the file has changed since they were shown it. */
export async function applyPlan(home: string, { file, before, after, kept }: FilePlan): Promise<void> {
  if ((await textOf(file)) !== before) throw new Error(`${file} has changed meanwhile; nothing was written`);
  // The way back first: a wrapped file without one would be worse than a way back that nobody needs.
  const wrapping = Object.keys(kept).length > 0;
  if (wrapping) await writeKept(home, file, { ...(await readKept(home, file)), ...kept });
  await replaceFile(file, after, false);
  if (wrapping) await writeKept(home, file, kept);
  else await rm(keptFile(home, file), { force: true });
}

const keptSchema = z.object({
  file: z.string(),
  servers: z.record(z.string(), z.object({ before: z.string(), after: z.string() })),
});

const folderOf = (home: string): string => join(home, ".countersign", "mcp-wrapped");
const keptFile = (home: string, file: string): string =>
  join(folderOf(home), `${createHash("sha256").update(file).digest("hex").slice(0, 40)}.json`);

/** What cannot be believed is not used: the way back is then made from what stands in the file. */
async function readKept(home: string, file: string): Promise<Kept> {
  const text = await readPrivateFile(keptFile(home, file)).catch(() => undefined);
  const read = text === undefined ? undefined : keptSchema.safeParse(parsed(text));
  return read?.success === true && read.data.file === file ? read.data.servers : {};
}

async function writeKept(home: string, file: string, servers: Kept): Promise<void> {
  await ensurePrivateFolder(join(home, ".countersign"));
  await writePrivateFile(keptFile(home, file), `${JSON.stringify({ file, servers }, null, 1)}\n`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every file that was wrapped, whatever folder it belongs to: for the way out when the extension goes. */
export async function unwrapPlans(places: ClientPlaces): Promise<readonly FilePlan[]> {
  const plans: FilePlan[] = [];
  for (const file of await keptFiles(places.home)) {
    const text = await textOf(file);
    const known = clientFiles(places).find((one) => one.file === file) ?? guessed(file, places);
    if (text === undefined || known === undefined) continue;
    const kept = await readKept(places.home, file);
    const plan = planFile(known, { text, kept }, { to: "unwrap", launcher: launcherPath(places.home) });
    if (plan.diff.length > 0) plans.push(plan);
  }
  return plans;
}

/** A file of another folder is one of the same name there. */
function guessed(file: string, places: ClientPlaces): ClientFile | undefined {
  const inFolder = clientFiles({ ...places, workspace: "\0" }).filter((one) => one.file.startsWith("\0"));
  const found = inFolder.find((one) => file.endsWith(one.file.slice(1)));
  return found === undefined ? undefined : { ...found, file };
}

async function keptFiles(home: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folderOf(home));
    const texts = await Promise.all(
      names.map((name) => readPrivateFile(join(folderOf(home), name)).catch(() => undefined)),
    );
    return texts.flatMap((text) => {
      const read = text === undefined ? undefined : keptSchema.safeParse(parsed(text));
      return read?.success === true ? [read.data.file] : [];
    });
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
