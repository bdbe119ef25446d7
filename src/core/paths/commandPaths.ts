/** The files one command names, by the table of file commands. Knows no file system and no working folder. */
import { programName } from "../shell/command";
import { isAnchored } from "./changeFolder";
import { type FileAction, type FileCommand, fileCommand } from "./fileCommands";
import { gitPaths } from "./gitPaths";

/** mention: the word looks like a file, but nobody knows what the program does with it. */
export interface NamedPath {
  readonly text: string;
  readonly action: FileAction | "mention";
}

export type Family = "posix" | "windows";

const DATA_ONLY = new Set([
  "echo",
  "printf",
  "write-output",
  "write-host",
  "export",
  "set",
  "alias",
  "true",
  "false",
  ":",
  "kill",
  "sleep",
  "cd",
  "pushd",
  "popd",
  "chdir",
  "set-location",
  "sl",
  "which",
  "whereis",
  "man",
  "exit",
]);

export function namedPaths(argv: readonly string[], family: Family): readonly NamedPath[] {
  const name = programName(argv[0]) ?? "";
  const args = argv.slice(1);
  if (name === "" || DATA_ONLY.has(name)) return [];
  if (name === "git") return gitPaths(args);
  if (name === "tar" || name === "bsdtar" || name === "gtar") return tarPaths(args);
  if (name === "unzip") return unzipPaths(args);
  if (name === "dd") return ddPaths(args);
  if (name === "find" && family === "posix") return findPaths(args);
  const rule = fileCommand(name, family);
  if (rule === undefined) return programMentions(name, args);
  const found = byRule(args, rule, family);
  if (name === "ln") return linkPaths(args, found);
  return name === "curl" ? [...found, ...curlPaths(args)] : found;
}

function byRule(args: readonly string[], rule: FileCommand, family: Family): readonly NamedPath[] {
  const read = readOptions(args, rule, family);
  const operands = read.given ? read.operands : read.operands.slice(rule.skip ?? 0);
  const action = read.inPlace ? "write" : rule.operands;
  if (action === undefined) return read.found;
  const out: NamedPath[] = [...read.found];
  const hasLast = rule.last !== undefined && read.target === undefined && operands.length > 1;
  const sources = hasLast ? operands.slice(0, -1) : operands;
  for (const text of sources) if (!isRemote(text)) out.push({ text, action });
  const last = hasLast ? operands.at(-1) : read.target;
  if (last !== undefined && rule.last !== undefined && !isRemote(last))
    out.push(...destination(last, read.recursive ? "fill" : rule.last, sources));
  else if (rule.last !== undefined && action === "link" && operands.length === 1)
    out.push({ text: nameOf(operands[0] ?? ""), action: "write" });
  return out;
}

/** A relative target of a symbolic link is taken from the folder of the link, or from the folder given in its place. */
function linkPaths(args: readonly string[], found: readonly NamedPath[]): readonly NamedPath[] {
  if (!args.some((word) => /^(-[a-zA-Z]*s[a-zA-Z]*|--symbolic)$/.test(word))) return found;
  const to = found.find(({ action }) => action === "write")?.text ?? ".";
  const folders = [to.replace(/[^/\\]*[/\\]*$/, ""), `${to.replace(/[/\\]+$/, "")}/`];
  return found.flatMap((named) =>
    named.action !== "link" || isAnchored(named.text)
      ? [named]
      : folders.map((folder) => ({ text: `${folder}${named.text}`, action: "link" }) as const),
  );
}

/** Copying into a folder writes the file of that name in it. */
function destination(text: string, action: FileAction, sources: readonly string[]): readonly NamedPath[] {
  if (action !== "write" && action !== "fill") return [{ text, action }];
  const inside = sources.map(nameOf).filter((name) => name !== "" && name !== "." && name !== "..");
  return [
    { text, action },
    ...inside.map((name) => ({ text: `${text.replace(/[/\\]+$/, "")}/${name}`, action }) as const),
  ];
}

function nameOf(text: string): string {
  return (
    text
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1) ?? ""
  );
}

/** `host:path` of scp and rsync; a single letter is a Windows drive. */
function isRemote(text: string): boolean {
  return /^[^/\\]{2,}:/.test(text) && !/^file:/i.test(text);
}

interface ReadOptions {
  readonly operands: readonly string[];
  readonly found: readonly NamedPath[];
  readonly target?: string;
  readonly given: boolean;
  readonly inPlace: boolean;
  /** Whole folders are copied. */
  readonly recursive: boolean;
}

function readOptions(args: readonly string[], rule: FileCommand, family: Family): ReadOptions {
  const operands: string[] = [];
  const found: NamedPath[] = [];
  let target: string | undefined;
  let given = false;
  let inPlace = false;
  const copies = rule.last === "write" && rule.operands === "read";
  const recursive =
    copies && args.some((word) => /^(-[a-zA-Z]*[rRa][a-zA-Z]*|--recursive|--archive|-recurse)$/i.test(word));
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    if (word === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (rule.inPlace?.test(word)) inPlace = true;
    const option = splitOption(word, rule, family);
    if (option === null) {
      if (!(family === "windows" && /^\/[a-z]{1,4}(:.*)?$/i.test(word)))
        operands.push(...listed(word, family));
      continue;
    }
    if (rule.given?.includes(option.name)) given = true;
    const action = rule.files?.[option.name];
    const isTarget = rule.target?.includes(option.name) === true;
    if (action === undefined && !isTarget && rule.valued?.includes(option.name) !== true) continue;
    const value = option.value ?? args[++i];
    if (value === undefined) continue;
    if (isTarget) target = value;
    else if (action !== undefined) for (const text of listed(value, family)) found.push({ text, action });
  }
  return { operands, found, given, inPlace, recursive, ...(target === undefined ? {} : { target }) };
}

/** PowerShell takes several paths joined by commas. */
function listed(word: string, family: Family): readonly string[] {
  return family === "windows" && word.includes(",") ? word.split(",").filter((text) => text !== "") : [word];
}

/** `--name=value`, `-nVALUE`, `-Path:value`; null = no option. */
function splitOption(
  word: string,
  rule: FileCommand,
  family: Family,
): { name: string; value?: string } | null {
  if (!/^-./.test(word)) return null;
  if (family === "windows") {
    const [name = "", value] = word.split(/:(.*)/s);
    return value === undefined ? { name: name.toLowerCase() } : { name: name.toLowerCase(), value };
  }
  const long = /^(--?[a-z][\w-]*)=(.*)$/is.exec(word);
  if (long !== null) return { name: long[1] ?? "", value: long[2] ?? "" };
  if (word.startsWith("--") || word.length === 2) return { name: word };
  const known = (name: string) =>
    rule.valued?.includes(name) || rule.target?.includes(name) || Object.hasOwn(rule.files ?? {}, name);
  if (known(word)) return { name: word };
  // In a cluster the first letter that takes a value takes the rest of the word, or the next word.
  for (let i = 1; i < word.length; i++) {
    const name = `-${word[i]}`;
    if (known(name) || rule.given?.includes(name))
      return i + 1 < word.length ? { name, value: word.slice(i + 1) } : { name };
  }
  return { name: word };
}

function tarPaths(args: readonly string[]): readonly NamedPath[] {
  const out: NamedPath[] = [];
  const operands: string[] = [];
  const bundle = /^-?[a-zA-Z]+$/.test(args[0] ?? "") ? (args[0] ?? "") : "";
  const long = (name: string) => args.some((word) => word === name);
  const letter = (c: string) =>
    bundle.includes(c) || args.some((word) => /^-[a-zA-Z]+$/.test(word) && word.includes(c));
  const creates = letter("c") || letter("r") || letter("u") || long("--create") || long("--append");
  const extracts = letter("x") || long("--extract") || long("--get");
  let folder: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    const value = /^--(file|directory)=(.*)$/s.exec(word);
    const takesFile =
      (i === 0 ? bundle === word && word.includes("f") : /^-[a-zA-Z]*f$/.test(word)) || word === "--file";
    if (value !== null) {
      if (value[1] === "directory") folder = value[2];
      else out.push({ text: value[2] ?? "", action: creates ? "write" : "read" });
    } else if (takesFile) out.push({ text: args[++i] ?? "-", action: creates ? "write" : "read" });
    else if (word === "-C" || word === "--directory") folder = args[++i];
    else if (word === "--exclude" || word === "-X" || word === "--transform") i++;
    else if (!word.startsWith("-") && !(i === 0 && word === bundle)) operands.push(word);
  }
  if (folder !== undefined) out.push({ text: folder, action: extracts ? "fill" : "list" });
  const base = folder === undefined ? "" : `${folder}/`;
  if (creates || extracts)
    for (const text of operands)
      out.push({ text: /^[/~]/.test(text) ? text : `${base}${text}`, action: creates ? "read" : "write" });
  return out.filter(({ text }) => text !== "-" && !isRemote(text));
}

function ddPaths(args: readonly string[]): readonly NamedPath[] {
  return args.flatMap((word): readonly NamedPath[] => {
    const match = /^(if|of)=(.+)$/s.exec(word);
    return match === null ? [] : [{ text: match[2] ?? "", action: match[1] === "of" ? "write" : "read" }];
  });
}

function findPaths(args: readonly string[]): readonly NamedPath[] {
  const starts: string[] = [];
  for (const word of args) {
    if (/^-(H|L|P|O\d?)$/.test(word)) continue;
    if (/^[-(!]/.test(word)) break;
    starts.push(word);
  }
  const has = (pattern: RegExp) => args.some((word) => pattern.test(word));
  const action = has(/^-delete$/)
    ? "remove"
    : has(/^-(exec|ok)(dir)?$/)
      ? has(/^(rm|mv|shred|unlink|truncate)$/)
        ? "remove"
        : "read"
      : "list";
  const out: NamedPath[] = starts.map((text) => ({ text, action }));
  const at = args.findIndex((word) => /^-(fprint|fls|fprintf|fprint0)$/.test(word));
  if (at >= 0) out.push({ text: args[at + 1] ?? "", action: "write" });
  return out;
}

/** `-d @file`, `-F name=@file` and `file:` addresses read files; what else an address holds is no path. */
function curlPaths(args: readonly string[]): readonly NamedPath[] {
  return args.flatMap((word): readonly NamedPath[] => {
    if (/^file:/i.test(word)) return [{ text: word, action: "read" }];
    const at = /^(?:-d|-F|--?[\w-]*=)?(?:[\w.-]+=)?[@<]([^;]+)/s.exec(word);
    return at === null || at[1] === "-" ? [] : [{ text: at[1] ?? "", action: "read" }];
  });
}

function unzipPaths(args: readonly string[]): readonly NamedPath[] {
  const at = args.indexOf("-d");
  const folder = at < 0 ? undefined : args[at + 1];
  const operands = args.filter((word, i) => !word.startsWith("-") && (at < 0 || i !== at + 1));
  const [archive, ...members] = operands;
  const out: NamedPath[] = archive === undefined ? [] : [{ text: archive, action: "read" }];
  if (folder !== undefined) out.push({ text: folder, action: "fill" });
  if (args.some((word) => /^-[lvtpc]+$/.test(word))) return out;
  const base = folder === undefined ? "" : `${folder}/`;
  return [...out, ...members.map((text) => ({ text: `${base}${text}`, action: "write" }) as const)];
}

const SCRIPT_RUNNERS =
  /^(python[\d.]*|pypy\d*|node|nodejs|deno|bun|ruby|perl|php|bash|sh|zsh|dash|source|\.|tsx|ts-node)$/;

/** An interpreter's first word is the script it runs, unless code is given; perl and ruby edit in place with -i. */
function programMentions(name: string, args: readonly string[]): readonly NamedPath[] {
  const found = mentions(args);
  if (!SCRIPT_RUNNERS.test(name)) return found;
  const code = args.some((word) => /^-[a-zA-Z]*[ceE]$|^--(eval|print)$/.test(word));
  const inPlace = (name === "perl" || name === "ruby") && args.some((word) => /^-[a-zA-Z0-9]*i/.test(word));
  if (inPlace) return found.map(({ text }) => ({ text, action: "write" }));
  return code ? found : found.slice(1);
}

function mentions(args: readonly string[]): readonly NamedPath[] {
  const out: NamedPath[] = [];
  for (const [i, word] of args.entries()) {
    const text = /^(?:-[^=]*=|[\w.-]+=)?@?(.*)$/s.exec(word)?.[1] ?? "";
    if (text === "" || text.length > 4096 || /\s/.test(text.trim()) || /^[a-z][\w+.-]*:\/\//i.test(text))
      continue;
    if (text.startsWith("-")) continue;
    const written =
      /^(-o|--out|--output|--outfile|--output-file)$/.test(args[i - 1] ?? "") ||
      /^--(out|output|outfile|output-file)=/.test(word);
    if (written && /^([/~]|\.\.?[/\\]|[a-z]:\\)/i.test(text)) out.push({ text, action: "write" });
    else out.push({ text, action: "mention" });
  }
  return out;
}
