/**
 * Adds one member to a settings file and takes it out again: text in, text out, by edits at exact places, so that comments, order
 * and spelling of all else stay. Taking out is the inverse of adding. Knows nothing of what the members mean.
 */
import { type Member, membersOf, type Path, parseJsonc, spanOf, valueAt } from "./jsonc";

export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const apply = (text: string, edits: readonly Edit[]): string =>
  [...edits]
    .sort((a, b) => b.at - a.at)
    .reduce((all, { at, remove, insert }) => all.slice(0, at) + insert + all.slice(at + remove), text);

const refused = (message: string): Edited => ({ ok: false, message });

/** Appends `value` to the array at `path`; what is missing on the way is made. Refuses where something else stands there. */
export function appendTo(text: string, path: Path, value: unknown): Edited {
  const parsed = parseJsonc(text);
  if (!parsed.ok) return refused(parsed.message);
  let depth = 0;
  while (depth < path.length && valueAt(parsed.value, path.slice(0, depth + 1)) !== undefined) depth += 1;
  const parent = path.slice(0, depth);
  const there = valueAt(parsed.value, parent);
  if (depth === path.length)
    return Array.isArray(there)
      ? { ok: true, text: insert(text, parsed, { parent, value }) }
      : refused(`${path.join(".")} is no list`);
  return putBelow(text, parsed, { parent, there, rest: path.slice(depth), value: [value] });
}

/** Adds a key with `value` to an object; what is missing on the way is made. Refuses where the key is there. */
export function putMember(text: string, path: Path, value: unknown): Edited {
  const parsed = parseJsonc(text);
  if (!parsed.ok) return refused(parsed.message);
  let depth = 0;
  while (depth < path.length && valueAt(parsed.value, path.slice(0, depth + 1)) !== undefined) depth += 1;
  if (depth === path.length) return refused(`${path.join(".")} is there already`);
  const parent = path.slice(0, depth);
  const there = valueAt(parsed.value, parent);
  return putBelow(text, parsed, { parent, there, rest: path.slice(depth), value });
}

function putBelow(
  text: string,
  parsed: Parsed,
  put: { readonly parent: Path; readonly there: unknown; readonly rest: Path; readonly value: unknown },
): Edited {
  const { parent, there, rest, value } = put;
  if (typeof there !== "object" || there === null || Array.isArray(there))
    return refused(`${parent.join(".") || "the file"} is no object`);
  const [key = "", ...missing] = rest.map(String);
  const made = missing.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return { ok: true, text: insert(text, parsed, { parent, key, value: made }) };
}

type Parsed = Extract<ReturnType<typeof parseJsonc>, { ok: true }>;

interface NewMember {
  readonly parent: Path;
  readonly key?: string;
  readonly value: unknown;
}

function insert(text: string, parsed: Parsed, { parent, key, value }: NewMember): string {
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const lines = (indent: string): string =>
    name + JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
  const last = membersOf(parsed, parent).at(-1);
  if (last === undefined) {
    const { start, end } = spanOf(parsed, parent) ?? { start: 0, end: text.length };
    const outer = /^[ \t]*/.exec(lineUpTo(text, start))?.[0] ?? "";
    const member = `${eol}${outer}${unit}${lines(outer + unit)}${eol}${outer}`;
    return apply(text, [{ at: end - 1, remove: 0, insert: member }]);
  }
  const before = lineUpTo(text, last.start);
  const ownLine = /^[ \t]*$/.test(before);
  const written = ownLine ? `${eol}${before}${lines(before)}` : ` ${name}${JSON.stringify(value)}`;
  const comma = commaAfter(parsed, last.end);
  const at = pastComment(text, comma === undefined ? last.end : comma + 1);
  if (comma !== undefined) return apply(text, [{ at, remove: 0, insert: `${written},` }]);
  if (at === last.end) return apply(text, [{ at, remove: 0, insert: `,${written}` }]);
  return apply(text, [
    { at: last.end, remove: 0, insert: "," },
    { at, remove: 0, insert: written },
  ]);
}

const lineUpTo = (text: string, at: number): string => text.slice(text.lastIndexOf("\n", at - 1) + 1, at);

/** Where the comma after a value stands. */
function commaAfter(parsed: Parsed, end: number): number | undefined {
  const blanks = /^\s*,/.exec(parsed.bare.slice(end))?.[0];
  return blanks === undefined ? undefined : end + blanks.length - 1;
}

/** A remark at the end of the line stays with what it is about. */
function pastComment(text: string, at: number): number {
  const remark = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/(?=[ \t]*\r?\n))/.exec(text.slice(at))?.[0] ?? "";
  return at + remark.length;
}

/** Takes out every member for which `ours` holds, and the containers of `made` (longest paths first) that are empty then. */
export function takeOut(
  text: string,
  what: { readonly within: Path; readonly ours: (value: unknown) => boolean; readonly made: readonly Path[] },
): Edited {
  let now = text;
  for (;;) {
    const parsed = parseJsonc(now);
    if (!parsed.ok) return refused(parsed.message);
    const found = membersOf(parsed, what.within).find(({ value }) => what.ours(value));
    if (found === undefined) break;
    now = remove(now, parsed, found);
  }
  for (const path of [...what.made].sort((a, b) => b.length - a.length)) {
    const parsed = parseJsonc(now);
    if (!parsed.ok) return refused(parsed.message);
    const member = membersOf(parsed, path.slice(0, -1)).find((one) => one.path.at(-1) === path.at(-1));
    const isEmpty = typeof member?.value === "object" && Object.keys(member.value ?? {}).length === 0;
    if (member !== undefined && isEmpty) now = remove(now, parsed, member);
  }
  return { ok: true, text: now };
}

/** The inverse of `insert`. */
function remove(text: string, parsed: Parsed, member: Member): string {
  const blanks = /\s*$/.exec(text.slice(0, member.start))?.[0].length ?? 0;
  const siblings = membersOf(parsed, member.path.slice(0, -1));
  const index = siblings.findIndex(({ start }) => start === member.start);
  const comma = commaAfter(parsed, member.end);
  const start = member.start - blanks;
  if (comma !== undefined) return apply(text, [{ at: start, remove: comma + 1 - start, insert: "" }]);
  const previous = siblings[index - 1];
  if (previous === undefined) return removeOnly(text, member);
  const between = commaAfter(parsed, previous.end) ?? previous.end;
  return apply(text, [
    { at: between, remove: 1, insert: "" },
    { at: Math.max(start, between + 1), remove: member.end - Math.max(start, between + 1), insert: "" },
  ]);
}

/** An empty container had no line of ours in it; blanks of its own stay. */
function removeOnly(text: string, { start, end }: Member): string {
  const before = /\r?\n[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const after = /^\r?\n[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  return apply(text, [{ at: start - before, remove: end + after - (start - before), insert: "" }]);
}
