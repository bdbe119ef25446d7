/** The local files that a command runs: programs by path, interpreters' scripts, what these import or call in turn; and what it runs that nobody can list. Runs nothing. */
import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { SimpleCommand } from "../../core/shell/command";
import { parseShell } from "../../core/shell/parse";
import { effectiveArgv, isSplitString } from "../../core/shell/wrappers";
import {
  type Found,
  isBelow,
  isFile,
  isSystem,
  MAX_FILES,
  nothingFound,
  type ReachOptions,
  shown,
} from "./foundFiles";
import { type CodeSink, readInterpreter } from "./interpreterWords";
import { addNodeFile, addNodeText, nodeCandidates } from "./nodeReach";
import {
  isHarmless,
  isInterpreter,
  isLoading,
  NODES,
  PYTHONS,
  READING_WRAPPERS,
  RECIPES,
  SHELLS,
} from "./programKinds";
import { addPython } from "./pythonReach";
import { type Argv, filesOf, go, note, type Place, textOf } from "./reachPlace";
import { inPlainWords } from "./shellText";

/** What runs a command that is a text. */
const HANDLER_SHELL = process.platform === "win32" ? "cmd" : "sh";
/** Files that a program may have beside it in its argument list, by their endings. */
const CODE = /\.(?:sh|bash|zsh|py|pl|rb|php|lua|ps1|awk|jq|[cm]?[jt]s)$/i;

/** Never rejects. */
export async function reachOfCommand(
  command: string | readonly string[],
  options: ReachOptions,
): Promise<Found> {
  const found = nothingFound();
  const place: Place = { options, found, folders: [options.cwd], strayed: false, main: options.cwd };
  if (typeof command === "string") await readText(command, HANDLER_SHELL, place);
  else await readCommand(asCommand(command), place);
  return found;
}

const asCommand = (argv: Argv): SimpleCommand => ({
  argv,
  words: argv.map((word) => word ?? ""),
  assignments: [],
  raw: argv.map((word) => word ?? "?").join(" "),
  redirects: [],
});

async function readText(text: string, shell: "sh" | "bash" | "cmd", place: Place): Promise<void> {
  const own = place.file === undefined ? place.options.cwd : dirname(place.file);
  const plain = inPlainWords(text, { own, main: place.main });
  for (const [, name = ""] of plain.matchAll(/(?:^|[;&|\s])(?:function\s+)?([\w:-]+)\s*\(\s*\)/g))
    place.found.functions.add(name);
  for (const [, name = ""] of plain.matchAll(/\bfunction\s+([\w:-]+)/g)) place.found.functions.add(name);
  const inside: Place = { ...place, text: plain };
  const parsed = parseShell(plain, shell);
  if (!parsed.ok) note(inside, undefined, `its text cannot be read: ${parsed.message}`);
  for (const command of parsed.commands) await readCommand(command, inside);
  if (inside.strayed) place.strayed = true;
}

async function readCommand(command: SimpleCommand, place: Place): Promise<void> {
  const unclear = (why = shown(command.raw)) => note(place, command.raw, why);
  const set = [
    ...command.assignments.map(({ name, value }) => [name, value ?? "$"] as const),
    ...command.argv.flatMap((word) => {
      const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word ?? "") ?? [];
      return name === undefined ? [] : [[name, value] as const];
    }),
  ];
  for (const [name, value] of set) {
    const elsewhere = name === "PATH" && !/^(?:\/(?:usr|bin|sbin|opt)[\w/.-]*|\$\{?PATH\}?|:)*$/.test(value);
    if (isLoading(name) || elsewhere) unclear(`it sets ${name}, which chooses what programs load`);
  }
  const argv = effectiveArgv(command);
  const skipped = command.argv.slice(0, command.argv.length - argv.length);
  if (skipped.some((word) => word !== null && READING_WRAPPERS.has(basename(word)))) unclear();
  const [program, ...rest] = argv;
  if (program === undefined) return;
  if (program === null) return unclear();
  const name = await programName(program, place);
  if (name === undefined) return;
  if (name === "cd" || name === "pushd" || name === "popd") return go(rest, place);
  if (name === "env" && rest.some(isSplitString)) return unclear();
  if (name === "eval" || name === "trap") return rest.includes(null) ? unclear() : undefined;
  if (name === "source" || name === ".") return readIn(rest[0], place, unclear);
  if (isInterpreter(name)) return readInterpreter({ name, rest, command }, sinkOf(place, unclear, program));
  for (const recipe of RECIPES[name] ?? []) {
    const file = resolve(place.options.cwd, recipe);
    if (await isFile(file)) place.found.files.add(file);
  }
  for (const word of rest) {
    if (word === null || !CODE.test(word)) continue;
    for (const file of await filesOf(word, place)) if (await isFile(file)) place.found.files.add(file);
  }
  if (name === "find") return readFind(rest, place, unclear);
  if (!isHarmless(name, rest) && !place.found.functions.has(name))
    unclear(`${shown(command.raw)} (${name} may run files of this folder)`);
}

/** The name to go by; undefined where the program itself was read. */
async function programName(program: string, place: Place): Promise<string | undefined> {
  const plain = basename(program).replace(/\.exe$/i, "");
  if (!/[\\/]/.test(program)) return plain;
  const { folder } = place.options;
  const [file = ""] = await filesOf(program, place);
  const real = await realpath(file).catch(() => file);
  if (isSystem(real, folder)) {
    if (isSystem(file, folder)) return plain;
    place.found.files.add(file);
    place.found.links.add(file);
    return isInterpreter(plain) ? plain : basename(real);
  }
  if (isInterpreter(plain)) {
    // Outside the folder it is the person's, like what PATH finds.
    if (isBelow(real, folder) || isBelow(file, folder)) place.found.files.add(file);
    return plain;
  }
  await addScript(program, place);
  return undefined;
}

async function readIn(word: string | null | undefined, place: Place, unclear: () => void): Promise<void> {
  if (typeof word !== "string" || /^(?:-|\/dev\/(?:stdin|fd\/))/.test(word)) return unclear();
  for (const file of await filesOf(word, place)) await addShell(file, place, "read in");
}

async function readFind(rest: Argv, place: Place, unclear: () => void): Promise<void> {
  for (const [at, word] of rest.entries()) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word ?? "")) continue;
    const inner = rest.slice(at + 1);
    const end = inner.findIndex((one) => one === ";" || one === "\\;" || one === "+");
    const words = inner.slice(0, end < 0 ? undefined : end).map((one) => (one?.includes("{}") ? null : one));
    if (words.length === 0 || /dir$/.test(word ?? "")) unclear();
    else await readCommand({ ...asCommand(words), raw: words.map((one) => one ?? "{}").join(" ") }, place);
  }
}

/** Given an interpreter's words, what becomes of the files and texts among them. */
function sinkOf(place: Place, unclear: (why?: string) => void, program: string): CodeSink {
  const { options, found } = place;
  const each = async (word: string, add: (file: string) => Promise<void>) => {
    for (const file of await filesOf(word, place)) await add(file);
  };
  return {
    unclear,
    shellText: (text, shell) => readText(text, shell, place),
    shellFile: (word) => each(word, (file) => addShell(file, place, "started")),
    nodeText: (text) => addNodeText(text, options, found),
    nodeFile: (word) =>
      each(word, async (file) => {
        if (await isFile(file)) return addNodeFile(file, options, found);
        const meant = await nodeCandidates(file, found);
        if (meant.length === 0) {
          found.empty.delete(file);
          found.files.add(file);
        }
        for (const one of meant) await addNodeFile(one, options, found);
      }),
    python: async (kind, word) => {
      const own = /[\\/]/.test(program) ? resolve(options.cwd, program) : undefined;
      const given = { kind, options, found, ...(own === undefined ? {} : { interpreter: own }) };
      if (kind === "file") await each(word, (file) => addPython({ ...given, name: file }));
      else await addPython({ ...given, name: word });
    },
    plainFile: (word) => each(word, async (file) => void found.files.add(file)),
  };
}

async function addShell(file: string, place: Place, how: "started" | "read in"): Promise<void> {
  const { found, options } = place;
  const real = await realpath(file).catch(() => file);
  if (isSystem(real, options.folder) || found.files.has(file)) return;
  if (found.files.size >= MAX_FILES) return note(place, undefined, `it runs more than ${MAX_FILES} files`);
  found.files.add(file);
  if (!(await isFile(file))) return;
  const text = await textOf(file, place);
  if (text === undefined) return;
  const main = how === "started" ? dirname(file) : place.main;
  const shell =
    /^#!.*\bsh\b/.test(text) && !/^#!.*\bbash\b/.test(text) && !/\.bash$/.test(file) ? "sh" : "bash";
  await readText(text, shell, { ...place, file, main });
}

/** A program by path: its first line or its ending tells what runs it. */
async function addScript(word: string, place: Place): Promise<void> {
  const { found, options } = place;
  for (const file of await filesOf(word, place)) {
    if (found.files.has(file)) continue;
    if (!(await isFile(file))) {
      found.files.add(file);
      continue;
    }
    const text = await textOf(file, place);
    const first = /^#![ \t]*(.*)/.exec(text ?? "")?.[1]?.trim();
    if (text === undefined) found.files.add(file);
    else if (first === undefined) await addShell(file, place, "started");
    else {
      const words = first.split(/\s+/).filter((one) => one !== "-S");
      const [program = "", option = ""] = words;
      const name = basename(program === "/usr/bin/env" || program === "/bin/env" ? option : program);
      if (SHELLS.test(name) && words.at(-1) !== undefined && !/-\w*[cs]/.test(first)) {
        await addShell(file, place, "started");
        if (!isSystem(program, options.folder)) await programName(program, place);
      } else {
        if (!NODES.test(name) && !PYTHONS.test(name)) found.files.add(file);
        await readCommand(asCommand([...words, file]), { ...place, file, text });
      }
    }
  }
}
