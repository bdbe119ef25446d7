/** What a rule's `arg` finds in a call: by its path, however the agent spells the names. Knows no pattern. */
import { isPlainObject } from "../call";
import type { HookEvent } from "./types";

/** Where the values of a call stand that names none of them. */
const IN_A_ROW = "_args";

/** Names that agents give to what one common tool takes, in their plain spelling. */
const SAME: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Read: { filepath: ["path", "absolutepath", "notebookpath", "targetfile"] },
  Write: {
    filepath: ["path", "absolutepath", "targetfile"],
    content: ["contents", "text", "filetext", "code"],
  },
  Edit: {
    filepath: ["path", "absolutepath", "notebookpath", "targetfile"],
    oldstring: ["oldstr"],
    newstring: ["newstr", "newcode", "code"],
  },
  Glob: { pattern: ["query", "globpattern"] },
  Grep: { pattern: ["query"], glob: ["include", "includepattern"] },
  WebFetch: { url: ["urls"] },
  Bash: { command: ["cmd", "commands", "chars", "input"] },
};

/** `filePath`, `file_path` and `FILE-PATH` are one name. */
const plain = (name: string): string => name.replace(/[_-]/gu, "").toLowerCase();

/**
 * Every value that the path may mean; none = the argument is not there. Nobody knows which reading the tool will take,
 * so no reading hides another: names in every spelling, keys that hold the dots themselves, numbers that reach into
 * lists, and names into each of their elements. Of values in a row nobody knows the names: each may be the one.
 */
export function valuesAt(event: HookEvent, path: string): readonly unknown[] {
  const root: unknown = event.tool_input ?? event.request;
  const parts = path.split(".").map(plain);
  const walk: Walk = { parts, found: [], seen: new Map() };
  read(root, { at: 0, same: SAME[event.canonical_name ?? event.tool_name ?? ""] }, walk);
  const row = event.tool_input?.[IN_A_ROW];
  if (Array.isArray(row) && path.split(".")[0] !== IN_A_ROW) walk.found.push(...row);
  return walk.found;
}

type Names = Readonly<Record<string, readonly string[]>>;

interface Walk {
  readonly parts: readonly string[];
  readonly found: unknown[];
  /** At which parts of the path a list or an object was read already: readings meet again, and are many. */
  readonly seen: Map<object, Set<number>>;
}

/** `at`: the first part of the path that is still to be found. */
interface Step {
  readonly at: number;
  readonly same?: Names | undefined;
}

function read(value: unknown, step: Step, walk: Walk): void {
  const { at, same } = step;
  if (at === walk.parts.length) walk.found.push(value);
  else if (Array.isArray(value)) {
    if (!isNew(value, step, walk)) return;
    const part = walk.parts[at] ?? "";
    for (const item of value) read(item, { at }, walk);
    if (/^\d{1,9}$/u.test(part) && Number(part) < value.length)
      read(value[Number(part)], { at: at + 1 }, walk);
  } else if (isPlainObject(value) && isNew(value, step, walk)) {
    for (const [key, inner] of Object.entries(value)) {
      readEntry(plain(key), inner, { step, walk });
      if (same === undefined || plain(key) !== "replacements" || !Array.isArray(inner)) continue;
      // Several edits in one call.
      for (const edit of inner) read(edit, step, walk);
    }
  }
}

function isNew(value: object, { at, same }: Step, { seen }: Walk): boolean {
  const places = seen.get(value) ?? new Set();
  seen.set(value, places);
  const place = at * 2 + (same === undefined ? 0 : 1);
  if (places.has(place)) return false;
  places.add(place);
  return true;
}

function readEntry(
  name: string,
  value: unknown,
  { step: { at, same }, walk }: { readonly step: Step; readonly walk: Walk },
): void {
  const { parts } = walk;
  const wanted = parts[at] ?? "";
  const others = same !== undefined && Object.hasOwn(same, wanted) ? (same[wanted] ?? []) : [];
  if (others.includes(name)) read(value, { at: at + 1 }, walk);
  let key = "";
  for (let last = at; last < parts.length && key.length <= name.length; last += 1) {
    key += `${last === at ? "" : "."}${parts[last]}`;
    if (key === name) read(value, { at: last + 1 }, walk);
  }
}
