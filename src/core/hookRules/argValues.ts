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
  const parts = path.split(".");
  const found = valuesBelow(root, parts, SAME[event.canonical_name ?? event.tool_name ?? ""]);
  const row = event.tool_input?.[IN_A_ROW];
  return Array.isArray(row) && parts[0] !== IN_A_ROW ? [...found, ...row] : found;
}

type Names = Readonly<Record<string, readonly string[]>> | undefined;

function valuesBelow(root: unknown, parts: readonly string[], same: Names): readonly unknown[] {
  const [part, ...rest] = parts;
  if (part === undefined) return [root];
  if (Array.isArray(root)) {
    const each = root.flatMap((item: unknown) => valuesBelow(item, parts, undefined));
    const isPlace = /^\d{1,9}$/u.test(part) && Number(part) < root.length;
    return isPlace ? [...each, ...valuesBelow(root[Number(part)], rest, undefined)] : each;
  }
  if (!isPlainObject(root)) return [];
  const names = parts.map((_, last) => plain(parts.slice(0, last + 1).join(".")));
  const [wanted = ""] = names;
  const others = same !== undefined && Object.hasOwn(same, wanted) ? (same[wanted] ?? []) : [];
  return Object.entries(root).flatMap(([key, value]): readonly unknown[] => {
    const name = plain(key);
    const read = names.flatMap((one, last) =>
      name === one || (last === 0 && others.includes(name))
        ? valuesBelow(value, parts.slice(last + 1), undefined)
        : [],
    );
    const isEdits = same !== undefined && name === "replacements";
    return isEdits ? [...read, ...inEach(value, parts, same)] : read;
  });
}

/** Several edits in one call. */
function inEach(value: unknown, parts: readonly string[], same: Names): readonly unknown[] {
  return Array.isArray(value) ? value.flatMap((item: unknown) => valuesBelow(item, parts, same)) : [];
}
