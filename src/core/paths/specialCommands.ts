/** The files that tar, unzip, 7z, dd, find and awk name: their words follow rules of their own. Knows no file system. */
import { programName } from "../shell/command";
import { isRemote } from "./commandOptions";
import type { NamedPath } from "./commandPaths";

export function tarPaths(args: readonly string[]): readonly NamedPath[] {
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
    } else if (word.startsWith("--one-top-level=")) out.push({ text: word.slice(16), action: "fill" });
    else if (/^(-T|--files-from)$/.test(word)) out.push({ text: args[++i] ?? "-", action: "read" });
    else if (word.startsWith("--files-from=")) out.push({ text: word.slice(13), action: "read" });
    else if (takesFile) out.push({ text: args[++i] ?? "-", action: creates ? "write" : "read" });
    else if (word === "-C" || word === "--directory") folder = args[++i];
    else if (word === "--exclude" || word === "-X" || word === "--transform") i++;
    else if (!word.startsWith("-") && !(i === 0 && word === bundle)) operands.push(word);
  }
  if (folder !== undefined) out.push({ text: folder, action: extracts ? "fill" : "list" });
  // Names in the archive may begin at the root.
  if (extracts && (letter("P") || long("--absolute-names"))) out.push({ text: "/", action: "fill" });
  const base = folder === undefined ? "" : `${folder}/`;
  if (creates || extracts)
    for (const text of operands)
      out.push({ text: /^[/~]/.test(text) ? text : `${base}${text}`, action: creates ? "read" : "fill" });
  return out.filter(({ text }) => text !== "-" && !isRemote(text));
}

export function ddPaths(args: readonly string[]): readonly NamedPath[] {
  return args.flatMap((word): readonly NamedPath[] => {
    const match = /^(if|of)=(.+)$/s.exec(word);
    return match === null ? [] : [{ text: match[2] ?? "", action: match[1] === "of" ? "write" : "read" }];
  });
}

/** Each start with each name is a product. More are left out, which is safe because fewer than these are tried at all. */
const MAX_SOUGHT = 400;

export function findPaths(args: readonly string[]): readonly NamedPath[] {
  const starts: string[] = [];
  for (const word of args) {
    if (/^-(H|L|P|O\d?)$/.test(word)) continue;
    if (/^[-(!]/.test(word)) break;
    starts.push(word);
  }
  const has = (pattern: RegExp) => args.some((word) => pattern.test(word));
  const filtered = has(
    /^-(i?(name|path|wholename|regex)|empty|size|[acm](min|time)|newer\w*|perm|user|group|inum|links|mindepth)$/,
  );
  const action = findAction(args);
  const out: NamedPath[] = starts.map((text) => ({
    text,
    action,
    ...(filtered ? { unsure: "folder" as const } : {}),
  }));
  out.push(...soughtNames(starts, args).map((text) => ({ text, action, unsure: "sought" as const })));
  const at = args.findIndex((word) => /^-(fprint|fls|fprintf|fprint0)$/.test(word));
  if (at >= 0) out.push({ text: args[at + 1] ?? "", action: "write" });
  return out;
}

/** What is looked for by name may be a protected place right here. */
function soughtNames(starts: readonly string[], args: readonly string[]): readonly string[] {
  const names = args.flatMap((word, i) =>
    /^-i?(name|path|wholename)$/.test(args[i - 1] ?? "") ? [word.replace(/^.*\//s, "")] : [],
  );
  const out = new Set<string>();
  for (const start of new Set(starts.map((text) => text.replace(/\/$/, ""))))
    for (const name of new Set(names)) {
      if (out.size > MAX_SOUGHT) return [...out];
      out.add(`${start}/${name}`);
    }
  return [...out];
}

const ONLY_READ =
  /^(cat|head|tail|[ef]?grep|rg|wc|file|stat|ls|du|md5sum|sha\d+sum|echo|printf|basename|dirname|test|jq|awk|cut|sort|diff|strings|xxd|identify)$/;

/** What find does to the files it finds. */
function findAction(args: readonly string[]): "list" | "read" | "fill" | "remove" {
  if (args.includes("-delete")) return "remove";
  const programs = args.flatMap((word, i) =>
    /^-(exec|ok)(dir)?$/.test(word) ? [programName(args[i + 1]) ?? ""] : [],
  );
  if (programs.some((name) => /^(rm|rmdir|mv|shred|unlink)$/.test(name))) return "remove";
  const edits = programs.some(
    (name) => !ONLY_READ.test(name) && !(name === "sed" && !args.some((word) => /^-\w*i/.test(word))),
  );
  return edits ? "fill" : programs.length > 0 ? "read" : "list";
}

export function unzipPaths(args: readonly string[]): readonly NamedPath[] {
  const at = args.indexOf("-d");
  const folder = at < 0 ? args.find((word) => /^-d./.test(word))?.slice(2) : args[at + 1];
  const operands = args.filter((word, i) => !word.startsWith("-") && (at < 0 || i !== at + 1));
  const [archive, ...members] = operands;
  const out: NamedPath[] = archive === undefined ? [] : [{ text: archive, action: "read" }];
  if (folder !== undefined) out.push({ text: folder, action: "fill" });
  if (args.some((word) => /^-[lvtpc]+$/.test(word))) return out;
  const base = folder === undefined ? "" : `${folder}/`;
  return [...out, ...members.map((text) => ({ text: `${base}${text}`, action: "fill" }) as const)];
}

export function sevenZipPaths(args: readonly string[]): readonly NamedPath[] {
  const [verb = "", ...rest] = args;
  const folder = rest.find((word) => /^-o./.test(word))?.slice(2);
  const [archive, ...members] = rest.filter((word) => !word.startsWith("-"));
  const packs = /^[ardu]$/.test(verb);
  const out: NamedPath[] = archive === undefined ? [] : [{ text: archive, action: packs ? "write" : "read" }];
  if (packs) return [...out, ...members.map((text) => ({ text, action: "read" }) as const)];
  if (/^[xe]$/.test(verb) && folder !== undefined) out.push({ text: folder, action: "fill" });
  return out;
}

/** Files that awk's own words write and read: `print > "file"`, `getline < "file"`. */
export function awkPaths(args: readonly string[]): readonly NamedPath[] {
  return args.flatMap((word) =>
    [...word.matchAll(/(>>?|<)\s*"((?:~|\.{0,2})\/[^"\s]+)"/g)].map(
      (match): NamedPath => ({ text: match[2] ?? "", action: match[1] === "<" ? "read" : "write" }),
    ),
  );
}

/** Folders of this machine that a container gets to see; the files in it are none of ours. */
export function mountPaths(args: readonly string[]): readonly NamedPath[] {
  return args.flatMap((word, i): readonly NamedPath[] => {
    const before = args[i - 1] ?? "";
    const volume =
      before === "-v" || before === "--volume" ? word : /^(?:-v|--volume=)(.+)$/s.exec(word)?.[1];
    const mount = before === "--mount" ? word : /^--mount=(.+)$/s.exec(word)?.[1];
    const from = volume?.split(":")[0] ?? /(?:^|,)(?:source|src)=([^,]+)/.exec(mount ?? "")?.[1];
    return from !== undefined && /^[./~\u0001]/.test(from) ? [{ text: from, action: "read" }] : [];
  });
}

/** Files that the commands given to vim write and read: `-c 'w! file'`, `+'e file'`. */
export function editorPaths(args: readonly string[]): readonly NamedPath[] {
  const told = args.flatMap((word, i) =>
    /^(?:-c|--cmd|-S)$/.test(args[i - 1] ?? "") ? [word] : word.startsWith("+") ? [word.slice(1)] : [],
  );
  return told.flatMap((text) =>
    [
      ...text.matchAll(
        /(?:^|[\s|:])(w(?:rite|q)?|sav(?:eas)?|x(?:it)?|up(?:date)?|e(?:dit)?|r(?:ead)?|sp(?:lit)?|tabe(?:dit)?)!?\s+(?:>>\s*)?([^\s|!]+)/g,
      ),
    ].map(
      ([, verb = "", path = ""]): NamedPath => ({
        text: path,
        action: /^(?:w|sav|x|up)/.test(verb) ? "write" : "read",
      }),
    ),
  );
}

/** Files that sed's own words read and write: `r file`, `w file`. */
export function sedPaths(args: readonly string[]): readonly NamedPath[] {
  return args.flatMap((word) => {
    if (word.startsWith("-") || /^[/~.]+\w/.test(word)) return [];
    const match = /(?:^|[\s;{}\d$/,])([rRwW])\s*((?:(?:~|\.{0,2})\/|\.\w)[^\s;}]+)/.exec(word);
    return match === null
      ? []
      : [{ text: match[2] ?? "", action: /w/i.test(match[1] ?? "") ? "write" : "read" } as const];
  });
}
