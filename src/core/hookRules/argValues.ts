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
 * Every value that the path may mean; none = the argument is not there. A key that holds the dots itself comes first;
 * numbers reach into lists. Of values in a row nobody knows the names: each of them may be the one.
 */
export function valuesAt(event: HookEvent, path: string): readonly unknown[] {
  const root: unknown = event.tool_input ?? event.request;
  if (isPlainObject(root) && Object.hasOwn(root, path)) return [root[path]];
  const parts = path.split(".");
  const found = valuesBelow(root, parts, SAME[event.canonical_name ?? event.tool_name ?? ""]);
  const row = event.tool_input?.[IN_A_ROW];
  return Array.isArray(row) && parts[0] !== IN_A_ROW ? [...found, ...row] : found;
}

type Names = Readonly<Record<string, readonly string[]>> | undefined;

function valuesBelow(root: unknown, parts: readonly string[], same: Names): readonly unknown[] {
  const [part, ...rest] = parts;
  if (part === undefined) return [root];
  if (Array.isArray(root))
    return /^\d{1,9}$/u.test(part) && Number(part) < root.length
      ? valuesBelow(root[Number(part)], rest, undefined)
      : [];
  if (!isPlainObject(root)) return [];
  if (Object.hasOwn(root, part)) return valuesBelow(root[part], rest, undefined);
  const wanted = plain(part);
  const others = same !== undefined && Object.hasOwn(same, wanted) ? (same[wanted] ?? []) : [];
  return Object.entries(root).flatMap(([key, value]): readonly unknown[] => {
    const name = plain(key);
    if (name === wanted || others.includes(name)) return valuesBelow(value, rest, undefined);
    return same !== undefined && name === "replacements" ? inEach(value, parts, same) : [];
  });
}

/** Several edits in one call. */
function inEach(value: unknown, parts: readonly string[], same: Names): readonly unknown[] {
  return Array.isArray(value) ? value.flatMap((item: unknown) => valuesBelow(item, parts, same)) : [];
}
