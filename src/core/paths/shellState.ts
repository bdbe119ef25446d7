/** What a shell text may have set so far: working folders and variables. Knows no program but those that set them. */
import type { Command } from "unbash";
import type { SimpleCommand } from "../shell/command";
import { stdinText } from "../shell/stdin";
import { changedFolder, joinFolder } from "./changeFolder";
import { expandWord, type Variables, type WordText } from "./shellWords";

/** "" = where the text starts, null = nobody can tell. */
export type Folder = string | null;

export interface State {
  readonly folders: readonly Folder[];
  /** Where `cd -` and `popd` lead. */
  readonly previous: readonly Folder[];
  readonly variables: Variables;
}

/** What holds after a success and after a failure; null = the shell never gets there. */
export interface After {
  readonly ok: State | null;
  readonly fail: State | null;
}

export const START: State = { folders: [""], previous: [null], variables: new Map() };

const MAX_FOLDERS = 4;
const MAX_VALUES = 8;

export function afterCommand(
  node: Command,
  argv: readonly string[],
  on: { readonly state: State; readonly command: SimpleCommand },
): After {
  const { state } = on;
  const name = argv[0];
  if (name === "exit" || name === "return") return { ok: null, fail: null };
  const change = changedFolder(argv);
  if (change !== undefined) return { ok: changed(state, change), fail: state };
  const sets =
    node.name === undefined
      ? node.prefix
      : /^(export|declare|local|readonly|typeset)$/.test(name ?? "")
        ? node.args
        : [];
  if (sets.length === 0 && !/^(set|printf|read|mapfile)$/.test(name ?? "")) return { ok: state, fail: state };
  const variables = new Map(state.variables);
  // `declare -n R=N`: R stands for whatever N is later.
  const refers = node.name !== undefined && argv.some((word) => /^-[a-zA-Z]*n/.test(word));
  for (const item of sets) {
    if (item.type !== "Assignment") continue;
    if (refers) {
      variables.set(item.name, null);
      continue;
    }
    const words = item.value.type === "Word" ? [item.value] : item.value.elements;
    const texts = words.flatMap((word) => expandWord(word, variables));
    const known = item.append || item.index !== undefined ? (variables.get(item.name) ?? null) : [];
    variables.set(item.name, known === null ? null : either(known, texts));
  }
  if (name === "set") {
    const at = argv.indexOf("--");
    const given = at < 0 ? [] : argv.slice(at + 1).map(asWord);
    for (const [i, word] of given.entries()) variables.set(String(i + 1), [word]);
    for (const all of given.length === 0 ? [] : ["@", "*"]) variables.set(all, either([], given));
  }
  const named = name === "printf" ? argv.indexOf("-v") : -1;
  if (named > 0) variables.set(argv[named + 1] ?? "", either([], argv.slice(named + 2).map(asWord)));
  if (name === "read" || name === "mapfile" || name === "readarray")
    for (const [word, values] of readValues(argv, on.command)) variables.set(word, values);
  const after = { ...state, variables };
  return { ok: after, fail: after };
}

/** `read a b <<< "x y"`: every line that is given, since a loop may read them all. */
function readValues(argv: readonly string[], command: SimpleCommand): Variables {
  const stdin = stdinText(command);
  const names = argv.slice(1).filter((word) => /^\w+$/.test(word));
  const unknown = new Map(argv.slice(1).map((word) => [word, null]));
  if (stdin.kind !== "text" || names.length === 0) return unknown;
  const lines = stdin.texts.flatMap((text) => text.replace(/\n$/, "").split("\n"));
  if (lines.length > MAX_VALUES) return unknown;
  if (argv[0] !== "read" || names.length === 1)
    return new Map(names.map((word) => [word, lines.map((line) => asWord(line.trim()))]));
  return new Map(
    names.map((word, at) => [
      word,
      lines.map((line) => {
        const fields = line.trim().split(/\s+/);
        return asWord((at === names.length - 1 ? fields.slice(at) : fields.slice(at, at + 1)).join(" "));
      }),
    ]),
  );
}

export function changed(state: State, change: ReturnType<typeof changedFolder>): State {
  if (change === undefined) return state;
  const { folders, previous } = state;
  if (change === "previous") return { ...state, folders: previous, previous: folders };
  const { to } = change;
  return { ...state, folders: unique(folders.map((from) => joinFolder(from, to))), previous: folders };
}

/** The state after a command, whether or not it succeeded. */
export function whole(after: After): State | null {
  return merge(after.ok, after.fail);
}

export function merge(a: State | null, b: State | null): State | null {
  if (a === null || b === null || a === b) return a ?? b;
  const folders = unique([...a.folders, ...b.folders]);
  const previous = unique([...a.previous, ...b.previous]);
  return { folders, previous, variables: mergedVariables(a.variables, b.variables) };
}

function mergedVariables(a: Variables, b: Variables): Variables {
  if (a === b) return a;
  const variables = new Map(a);
  for (const [name, value] of b) {
    const known = variables.get(name);
    variables.set(name, known === undefined || known === value ? value : either(known, value));
  }
  return variables;
}

function asWord(text: string): WordText {
  return { text, glob: false, home: text.startsWith("~") };
}

function either(a: readonly WordText[] | null, b: readonly WordText[] | null): readonly WordText[] | null {
  if (a === null || b === null) return null;
  return a.length + b.length > MAX_VALUES ? null : [...a, ...b];
}

function unique(folders: readonly Folder[]): readonly Folder[] {
  const set = [...new Set(folders)];
  return set.length > MAX_FOLDERS ? [...set.slice(0, MAX_FOLDERS), null] : set;
}
