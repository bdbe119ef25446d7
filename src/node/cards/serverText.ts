/** Adds MCP servers to one file of an agent and takes them out again: text in, text out, so that undoing gives back every byte. Knows no disk. */
import { parseJsonc, valueAt } from "../../agents/install/jsonc";
import { putMember, takeOut } from "../../agents/install/jsonEdit";
import type { ServerFile } from "../../core/cards/agentPlaces";
import { readConfig } from "../../mcp/wrap/configText";

/** What stands in the file because of us. */
export interface WrittenServer {
  readonly name: string;
  /** JSON of its value. */
  readonly value: string;
  /** The exact text that was put in, where the file is TOML. */
  readonly block?: string;
}

export interface WrittenServers {
  readonly servers: readonly WrittenServer[];
  /** Whether the file, and what in it holds the servers, were not there. */
  readonly created: boolean;
  readonly made: readonly (readonly string[])[];
}

export interface ServerEdit {
  /** Undefined = the file goes. */
  readonly after: string | undefined;
  readonly written: WrittenServers;
  /** Names that stand there already and are not ours. */
  readonly taken: readonly string[];
}

export type PlannedServers =
  | { readonly ok: true; readonly edit: ServerEdit }
  | { readonly ok: false; readonly why: string };

const NOTHING: WrittenServers = { servers: [], created: false, made: [] };

/** `wanted` is by name, in the agent's own shape. */
export function planServers(
  before: string | undefined,
  file: ServerFile,
  given: { readonly wanted: Readonly<Record<string, unknown>>; readonly known?: WrittenServers | undefined },
): PlannedServers {
  const { wanted, known = NOTHING } = given;
  const values = new Map(Object.entries(wanted).map(([name, value]) => [name, JSON.stringify(value)]));
  const created = before === undefined || (known.created && known.servers.length > 0);
  const cleared = withoutOthers(before ?? (file.format === "json" ? "{}\n" : ""), file, { known, values });
  if (cleared === undefined) return { ok: false, why: "it cannot be read" };
  let { text } = cleared;
  const made = [...known.made];
  const servers = [...cleared.kept];
  const taken: string[] = [];
  for (const [name, value] of values) {
    if (servers.some((one) => one.name === name)) continue;
    const there = at(text, file, name);
    if (there.kind === "unreadable") return { ok: false, why: there.why };
    if (there.kind === "there") {
      // The very same is as good as ours, and stays theirs.
      if (JSON.stringify(there.value) !== value) taken.push(name);
      continue;
    }
    const put = withOne(text, file, { name, value });
    if (!put.ok) return put;
    made.push(...(file.format === "json" ? missingIn(text, file.at) : []));
    text = put.text;
    servers.push(put.written);
  }
  if (servers.length > 0)
    return { ok: true, edit: { after: text, written: { servers, created, made }, taken } };
  const bare = withoutMade(text, file, made);
  const empty = created && (file.format === "json" ? /^\s*\{\s*\}\s*$/.test(bare) : bare.trim() === "");
  return { ok: true, edit: { after: empty ? undefined : bare, written: NOTHING, taken } };
}

/** The text without those of ours that are not wanted as they are. Undefined where it cannot be read. */
function withoutOthers(
  before: string,
  file: ServerFile,
  { known, values }: { readonly known: WrittenServers; readonly values: ReadonlyMap<string, string> },
): { readonly text: string; readonly kept: readonly WrittenServer[] } | undefined {
  const kept: WrittenServer[] = [];
  let text: string | undefined = before;
  for (const one of known.servers) {
    if (values.get(one.name) === one.value && isThere(text, file, one)) kept.push(one);
    else text = without(text, file, one);
    if (text === undefined) return undefined;
  }
  return { text, kept };
}

type There =
  | { readonly kind: "missing" }
  | { readonly kind: "there"; readonly value: unknown }
  | { readonly kind: "unreadable"; readonly why: string };

function at(text: string, file: ServerFile, name: string): There {
  const config = readConfig(text, file.format);
  if (!config.ok) return { kind: "unreadable", why: config.message };
  const value = valueAt(config.value, [...file.at, name]);
  return value === undefined ? { kind: "missing" } : { kind: "there", value };
}

function isThere(text: string, file: ServerFile, one: WrittenServer): boolean {
  if (one.block !== undefined) return text.includes(one.block);
  const there = at(text, file, one.name);
  return there.kind === "there" && JSON.stringify(there.value) === one.value;
}

/** What a person has changed since is theirs now. */
function without(text: string, file: ServerFile, one: WrittenServer): string | undefined {
  if (one.block !== undefined) return text.replace(one.block, () => "");
  if (!isThere(text, file, one)) return text;
  const parsed = parseJsonc(text);
  const value = parsed.ok ? valueAt(parsed.value, [...file.at, one.name]) : undefined;
  const edited = takeOut(text, {
    within: file.at,
    ours: (member) => member === value || JSON.stringify(member) === one.value,
    made: [],
  });
  return edited.ok ? edited.text : undefined;
}

function withoutMade(text: string, file: ServerFile, made: WrittenServers["made"]): string {
  if (file.format === "toml" || made.length === 0) return text;
  const edited = takeOut(text, { within: file.at, ours: () => false, made });
  return edited.ok ? edited.text : text;
}

function missingIn(text: string, path: readonly string[]): readonly (readonly string[])[] {
  const parsed = parseJsonc(text);
  if (!parsed.ok) return [];
  return path
    .map((_, index) => path.slice(0, index + 1))
    .filter((prefix) => valueAt(parsed.value, prefix) === undefined);
}

type Put =
  | { readonly ok: true; readonly text: string; readonly written: WrittenServer }
  | { readonly ok: false; readonly why: string };

function withOne(
  text: string,
  file: ServerFile,
  { name, value }: { readonly name: string; readonly value: string },
): Put {
  const parsed: unknown = JSON.parse(value);
  if (file.format === "json") {
    const edited = putMember(text, [...file.at, name], parsed);
    return edited.ok
      ? { ok: true, text: edited.text, written: { name, value } }
      : { ok: false, why: edited.message };
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = Object.entries(parsed as Record<string, unknown>).map(
    ([key, inner]) => `${key} = ${tomlValue(inner)}`,
  );
  const begin = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  const block = `${begin}${[`[${file.at.join(".")}.${name}]`, ...lines].join(eol)}${eol}`;
  const after = text + block;
  const there = at(after, file, name);
  if (there.kind !== "there" || JSON.stringify(there.value) !== value)
    return { ok: false, why: "a server cannot be added to it" };
  return { ok: true, text: after, written: { name, value, block } };
}

/** JSON's strings are TOML's too; tables stand on one line. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)} = ${tomlValue(inner)}`)
    .join(", ")} }`;
}
