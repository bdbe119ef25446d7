/** Shell text out of the arguments of a call: a text, an argument vector, or a list of texts. Judges nothing. */
import { type Args, isPlainObject } from "../core/call";

/** An argument of the wrong type is given as the text it prints as, so that it is judged all the same. */
export function commandText(args: Args, arg: string): readonly string[] {
  if (!Object.hasOwn(args, arg)) return [];
  const value = args[arg];
  if (value === undefined || value === null || value === "") return [];
  if (arg === "commands" && Array.isArray(value)) return value.flatMap((item: unknown) => texts(item));
  const more = Array.isArray(args.args) ? args.args : [];
  if (typeof value === "string" && more.length > 0) return commandTextOf(value, more);
  return texts(value);
}

/** A program and its words, as one text. */
export function commandTextOf(program: unknown, more: readonly unknown[]): readonly string[] {
  return [[word(program), ...more.map(word)].join(" ")];
}

function texts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return [value.map(word).join(" ")];
  if (isPlainObject(value)) {
    const inner = value.command ?? value.cmd ?? value.argv;
    if (inner !== undefined) return [...texts(inner)];
  }
  return value === undefined || value === null ? [] : [String(JSON.stringify(value))];
}

function word(value: unknown): string {
  return quoted(typeof value === "string" ? value : String(JSON.stringify(value)));
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
