/** What wrapping or unwrapping servers would change in one file. Pure. */
import { lineDiff } from "../../agents/install/lineDiff";
import type { ClientFile } from "./clientFiles";
import { readConfig } from "./configText";
import { type Entry, entriesOf, unknownValues } from "./serverEntries";
import { unwrapEntry, type Wrapped, wrapEntry } from "./wrapEntry";

/** By the path of a server in its file, what wrapping changed. */
export type Kept = Readonly<Record<string, Pick<Wrapped, "before" | "after">>>;

export interface FilePlan {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** What is to be kept for the way back once this is written. */
  readonly kept: Kept;
  readonly servers: readonly string[];
  /** What a person is shown: the exact difference. */
  readonly diff: readonly string[];
  /** One line each: what was left alone and why, and what is kept although nobody here can read it. */
  readonly notes: readonly string[];
}

export interface PlanOptions {
  readonly to: "wrap" | "unwrap";
  /** Absent = every server; one over the network only when it is named. */
  readonly names?: readonly string[];
  readonly launcher: string;
}

export const entryKey = ({ path }: Pick<Entry, "path">): string => JSON.stringify(path);

export type Listed =
  | { readonly ok: true; readonly entries: readonly Entry[] }
  | { readonly ok: false; readonly message: string };

export function listServers(file: ClientFile, text: string): Listed {
  const config = readConfig(text, file.syntax);
  if (!config.ok) return config;
  return { ok: true, entries: file.at.flatMap((at) => entriesOf(config, at, file.shape)) };
}

/** One server after the other, each in the text that the one before has left. */
export function planFile(
  file: ClientFile,
  given: { text: string; kept: Kept },
  options: PlanOptions,
): FilePlan {
  const { to, names, launcher } = options;
  const notes: string[] = [];
  const servers: string[] = [];
  let { text } = given;
  const kept: Record<string, Pick<Wrapped, "before" | "after">> = { ...given.kept };
  const first = listServers(file, text);
  if (!first.ok) notes.push(`${file.file}: cannot be read: ${first.message}`);
  for (const { path, name } of first.ok ? first.entries : []) {
    if (names !== undefined && !names.includes(name)) continue;
    const config = readConfig(text, file.syntax);
    const entry = config.ok
      ? file.at
          .flatMap((at) => entriesOf(config, at, file.shape))
          .find((one) => entryKey(one) === entryKey({ path }))
      : undefined;
    if (!config.ok || entry === undefined || entry.wrapped === (to === "wrap")) continue;
    if (to === "wrap" && entry.reached.kind === "http" && names === undefined) {
      notes.push(`${name}: over the network; name it to wrap it, unless it wants a sign-in (OAuth)`);
      continue;
    }
    const place = { text, syntax: file.syntax, config, launcher };
    const key = entryKey(entry);
    const done = to === "wrap" ? wrapEntry(entry, place) : unwrapEntry(entry, place, kept[key]);
    if (!done.ok) {
      notes.push(`${name}: left as it is: ${done.why}`);
      continue;
    }
    const unknown = to === "wrap" ? unknownValues(entry, config) : [];
    if (unknown.length > 0)
      notes.push(`${name}: ${unknown.join(", ")} stays as it is; the client fills it in`);
    text = done.value.text;
    servers.push(name);
    if (to === "wrap") kept[key] = { before: done.value.before, after: done.value.after };
    else delete kept[key];
  }
  const diff = lineDiff(file.file, given.text, text);
  return { file: file.file, before: given.text, after: text, kept, servers, diff, notes };
}
