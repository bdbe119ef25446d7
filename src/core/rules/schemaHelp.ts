/** What the schema says of a key: its text, its values, its table's other keys. Knows no file and no cursor. */
import type { Path } from "./jsonText";
import { jsonSchema } from "./reference";
import type { Written } from "./tomlCursor";

type Json = Readonly<Record<string, unknown>>;

export interface KeyHelp {
  readonly name: string;
  readonly text: string;
  readonly kind: "text" | "switch" | "number" | "list" | "tables" | "table" | "words";
  /** Every value that may stand there, where they are few. */
  readonly words: readonly string[];
  /** As TOML writes it; absent = none. */
  readonly usual?: string;
}

let known: Json | undefined;
const root = (): Json => {
  known ??= jsonSchema();
  return known;
};

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const optionsOf = (node: Json): readonly Json[] => {
  const options = (node.oneOf ?? node.anyOf) as readonly unknown[] | undefined;
  return options === undefined ? [node] : options.map(object);
};
const propertiesOf = (node: Json): Json => object(node.properties);

function step(nodes: readonly Json[], part: string | number): readonly Json[] {
  return nodes.flatMap((node) => {
    const inner = typeof part === "number" ? node.items : propertiesOf(node)[part];
    return inner === undefined ? [] : optionsOf(object(inner));
  });
}

/** All that may stand at `path`: several where tables differ by their `type`. */
const nodesAt = (path: Path): readonly Json[] => path.reduce<readonly Json[]>(step, [root()]);

/** Of tables that differ by their `type`, those that the written one fits; all where none is written. */
function meant(nodes: readonly Json[], written: Written): readonly Json[] {
  const type = written.get("type");
  const fitting = nodes.filter((node) => object(propertiesOf(node).type).const === type);
  return fitting.length > 0 ? fitting : nodes;
}

/** The keys of the table at `table`. */
export function keysAt(table: Path, written: Written): readonly KeyHelp[] {
  const keys = new Map<string, KeyHelp>();
  for (const node of meant(nodesAt(table), written)) {
    for (const name of Object.keys(propertiesOf(node)))
      if (!keys.has(name)) keys.set(name, helpOf(name, rawAt(table, name, written)));
  }
  return [...keys.values()];
}

/** What is said of the key, or of the list that an element stands in. Undefined = no such key. */
export function helpAt(path: Path, written: Written): KeyHelp | undefined {
  const names = [...path];
  while (typeof names.at(-1) === "number") names.pop();
  const name = names.pop();
  if (typeof name !== "string") return undefined;
  const raw = rawAt(names, name, written);
  return raw.length === 0 ? undefined : helpOf(name, raw);
}

/** As the schema has it: a description stands beside `anyOf`, not in its options. */
function rawAt(table: Path, name: string, written: Written): readonly Json[] {
  return meant(nodesAt(table), written).flatMap((node) => {
    const raw = propertiesOf(node)[name];
    return raw === undefined ? [] : [object(raw)];
  });
}

function helpOf(name: string, raw: readonly Json[]): KeyHelp {
  const [first = {}] = raw;
  const words = [...new Set(raw.flatMap(wordsOf))];
  const usual = first.default === undefined ? {} : { usual: JSON.stringify(first.default) };
  const several = raw.length > 1 && words.length > 0;
  const text = several ? "Which kind it is." : String(first.description ?? "");
  return { name, text, kind: kindOf(first, words), words, ...usual };
}

function wordsOf(node: Json): readonly string[] {
  if (typeof node.const === "string") return [node.const];
  const from = Array.isArray(node.enum) ? node.enum : object(node.items).enum;
  return Array.isArray(from) ? from.map(String) : [];
}

function kindOf(node: Json, words: readonly string[]): KeyHelp["kind"] {
  if (node.type === "array") return optionsOf(object(node.items)).some(isTable) ? "tables" : "list";
  if (words.length > 0) return "words";
  if (node.type === "boolean") return "switch";
  if (node.type === "integer" || node.type === "number" || typeof node.const === "number") return "number";
  return isTable(node) ? "table" : "text";
}

const isTable = (node: Json): boolean => node.type === "object";

/** Headers that a file may have: `[chain]`, `[[hooks.pre_tool_call]]`. */
export function headers(): readonly { readonly header: string; readonly text: string }[] {
  const found: { header: string; text: string }[] = [];
  const walk = (node: Json, path: readonly string[]): void => {
    for (const [name, raw] of Object.entries(propertiesOf(node))) {
      const inner = object(raw);
      const at = [...path, name];
      const text = String(inner.description ?? "");
      if (inner.type === "array" && kindOf(inner, []) === "tables")
        found.push({ header: `[[${at.join(".")}]]`, text });
      else if (isTable(inner)) {
        // Rules stand in lists of their own, not in a table of lists.
        if (at.join(".") !== "hooks") found.push({ header: `[${at.join(".")}]`, text });
        if (inner.properties !== undefined) walk(inner, at);
      }
    }
  };
  walk(root(), []);
  return found;
}
