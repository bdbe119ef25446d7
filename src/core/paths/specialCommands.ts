/** The files that tar, unzip, dd, find and curl name: their words follow rules of their own. Knows no file system. */
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

export function ddPaths(args: readonly string[]): readonly NamedPath[] {
  return args.flatMap((word): readonly NamedPath[] => {
    const match = /^(if|of)=(.+)$/s.exec(word);
    return match === null ? [] : [{ text: match[2] ?? "", action: match[1] === "of" ? "write" : "read" }];
  });
}

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
  const out: NamedPath[] = starts.map((text) => ({
    text,
    action: findAction(args),
    ...(filtered ? { unsure: "folder" as const } : {}),
  }));
  const at = args.findIndex((word) => /^-(fprint|fls|fprintf|fprint0)$/.test(word));
  if (at >= 0) out.push({ text: args[at + 1] ?? "", action: "write" });
  return out;
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

/** `-d @file`, `-F name=@file` and `file:` addresses read files; what else an address holds is no path. */
export function curlPaths(args: readonly string[]): readonly NamedPath[] {
  return args.flatMap((word): readonly NamedPath[] => {
    if (/^file:/i.test(word)) return [{ text: word, action: "read" }];
    const at = /^(?:-d|-F|--?[\w-]*=)?(?:[\w.-]+=)?[@<]([^;]+)/s.exec(word);
    return at === null || at[1] === "-" ? [] : [{ text: at[1] ?? "", action: "read" }];
  });
}

export function unzipPaths(args: readonly string[]): readonly NamedPath[] {
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
