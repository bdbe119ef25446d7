/** The files one command names, by the table of file commands. Knows no file system and no working folder. */
import { programName } from "../shell/command";
import { isAnchored } from "./changeFolder";
import { codeLiterals } from "./codeLiterals";
import { isRemote, readOptions } from "./commandOptions";
import { curlPaths, wgetPaths } from "./downloadPaths";
import { type FileAction, type FileCommand, fileCommand } from "./fileCommands";
import { gitPaths } from "./gitPaths";
import { printedSecrets } from "./printedSecrets";
import {
  awkPaths,
  ddPaths,
  editorPaths,
  findPaths,
  mountPaths,
  sedPaths,
  sevenZipPaths,
  tarPaths,
  unzipPaths,
} from "./specialCommands";

/** mention: the word looks like a file, but nobody knows what the program does with it. */
export interface NamedPath {
  readonly text: string;
  readonly action: FileAction | "mention";
  /** inside: only if the word above it is a folder. folder: only some of what lies in it. sought: a name anywhere below. */
  readonly unsure?: "inside" | "folder" | "sought";
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
  return [...ofProgram(argv, family), ...printedSecrets(argv)];
}

function ofProgram(argv: readonly string[], family: Family): readonly NamedPath[] {
  const name = programName(argv[0]) ?? "";
  const args = argv.slice(1);
  if (name === "" || DATA_ONLY.has(name)) return [];
  if (name === "git") return gitPaths(args);
  if (name === "tar" || name === "bsdtar" || name === "gtar") return tarPaths(args);
  if (name === "unzip") return unzipPaths(args);
  if (/^7z[ar]?$/.test(name)) return sevenZipPaths(args);
  if (name === "dd") return ddPaths(args);
  if (name === "find" && family === "posix") return findPaths(args);
  const rule = fileCommand(name, family);
  const at = args.findIndex((word) => /^(cp|mv|sync)$/.test(word));
  const copier = /^(docker|podman|nerdctl|kubectl|oc)$/.test(name) ? "container cp" : "bucket cp";
  const copies = fileCommand(copier, "posix");
  if (
    at >= 0 &&
    at < 3 &&
    copies !== undefined &&
    /^(docker|podman|nerdctl|kubectl|oc|aws|gsutil|gcloud)$/.test(name)
  )
    return byRule(args.slice(at + 1), copies, family);
  if (/^(docker|podman|nerdctl)$/.test(name)) return mountPaths(args);
  if (rule === undefined) return programMentions(name, args);
  const found = byRule(args, rule, family);
  if (name === "ln") return linkPaths(args, found);
  if (name === "cp" && args.some((word) => /^(-[a-zA-Z]*[ls][a-zA-Z]*|--link|--symbolic-link)$/.test(word)))
    return found.map((named) => (named.action === "read" ? { ...named, action: "link" } : named));
  if (name === "curl") return [...found, ...curlPaths(args)];
  if (name === "wget") return [...found, ...wgetPaths(args)];
  if (/^(?:n?vim?|ex|ed|view|vimdiff)$/.test(name)) return [...found, ...editorPaths(args)];
  if (name === "sed" || name === "gsed") return [...found, ...sedPaths(args)];
  return /^g?awk$|^mawk$/.test(name) ? [...found, ...awkPaths(args)] : found;
}

function byRule(args: readonly string[], rule: FileCommand, family: Family): readonly NamedPath[] {
  const read = readOptions(args, rule, family);
  const operands = read.given ? read.operands : read.operands.slice(rule.skip ?? 0);
  const action = read.inPlace ? "write" : rule.operands;
  if (action === undefined) return read.found;
  const out: NamedPath[] = [...read.found];
  const hasLast = rule.last !== undefined && read.target === undefined && operands.length > 1;
  const sources = hasLast ? operands.slice(0, -1) : operands;
  const deep = read.recursive && action === "write" ? "fill" : action;
  for (const text of sources) if (!isRemote(text)) out.push({ text, action: deep });
  const last = hasLast ? operands.at(-1) : read.target;
  if (last !== undefined && rule.last !== undefined && !isRemote(last))
    out.push(
      ...destination(last, read.recursive ? "fill" : rule.last, {
        sources,
        isFolder: read.target !== undefined || sources.length > 1,
      }),
    );
  else if (rule.last !== undefined && action === "link" && operands.length === 1)
    out.push({ text: nameOf(operands[0] ?? ""), action: "write" });
  return out;
}

/** A relative target of a symbolic link is taken from the folder of the link, or from the folder given in its place. */
function linkPaths(args: readonly string[], found: readonly NamedPath[]): readonly NamedPath[] {
  if (!args.some((word) => /^(-[a-zA-Z]*s[a-zA-Z]*|--symbolic)$/.test(word))) return found;
  const to = found.find(({ action }) => action === "write" || action === "fill")?.text ?? ".";
  const folders = [to.replace(/[^/\\]*[/\\]*$/, ""), `${to.replace(/[/\\]+$/, "")}/`];
  return found.flatMap((named) =>
    named.action !== "link" || isAnchored(named.text)
      ? [named]
      : folders.map((folder) => ({ text: `${folder}${named.text}`, action: "link" }) as const),
  );
}

/** Copying into a folder writes the file of that name in it. */
function destination(
  text: string,
  action: FileAction,
  options: { readonly sources: readonly string[]; readonly isFolder: boolean },
): readonly NamedPath[] {
  if (action !== "write" && action !== "fill") return [{ text, action }];
  const sure = /[/\\]$/.test(text) || options.isFolder;
  const inside = options.sources.map(nameOf).filter((name) => name !== "" && name !== "." && name !== "..");
  return [
    { text, action },
    ...inside.map(
      (name): NamedPath => ({
        text: `${text.replace(/[/\\]+$/, "")}/${name}`,
        action,
        ...(sure ? {} : { unsure: "inside" as const }),
      }),
    ),
  ];
}

function nameOf(text: string): string {
  return (
    text
      .replace(isRemote(text) ? /^[^:]*:/ : /$^/, "")
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1) ?? ""
  );
}

const SCRIPT_RUNNERS =
  /^(python[\d.]*|pypy\d*|node|nodejs|deno|bun|ruby|perl|php|bash|sh|zsh|dash|source|\.|tsx|ts-node)$/;

/** An interpreter's first word is the script it runs, unless code is given; perl and ruby edit in place with -i. */
function programMentions(name: string, args: readonly string[]): readonly NamedPath[] {
  const found = mentions(args);
  if (!SCRIPT_RUNNERS.test(name)) return found;
  const literals = args.flatMap((word) => codeLiterals(word));
  const code = args.some((word) => /^-[a-zA-Z]*[cepEr]$|^--(eval|print)$|^eval$/.test(word));
  const inPlace = (name === "perl" || name === "ruby") && args.some((word) => /^-[a-zA-Z0-9]*i/.test(word));
  if (code && (name === "perl" || name === "ruby") && args.some((word) => /^-[a-zA-Z0-9]*[np]/.test(word)))
    return found.map(({ text }) => ({ text, action: inPlace ? "write" : "read" }));
  if (inPlace) return found.map(({ text }) => ({ text, action: "write" }));
  return code ? [...found, ...literals] : found.slice(1);
}

/** What stands behind these is written. */
const OUTPUT =
  /^(?:-o|-O|--?out(?:-?(?:put|file|dir|path|put-?(?:file|dir|path|directory|folder)))?|--dest(?:ination)?|--(?:log|report|dump|save|write|export)(?:-?(?:file|dir|path|to))?|--target-dir|--dist-dir|--declaration-?dir)$/i;
const OUTPUT_IS = new RegExp(`${OUTPUT.source.slice(0, -1)}=`, "i");

function mentions(args: readonly string[]): readonly NamedPath[] {
  const out: NamedPath[] = [];
  for (const [i, word] of args.entries()) {
    const text = /^(?:-[^=]*=|[\w.-]+=)?@?(.*)$/s.exec(word)?.[1] ?? "";
    if (text === "" || text.length > 4096 || /\s/.test(text.trim()) || /^[a-z][\w+.-]*:\/\//i.test(text))
      continue;
    if (text.startsWith("-")) continue;
    const written = OUTPUT.test(args[i - 1] ?? "") || OUTPUT_IS.test(word);
    if (written && (/^([/~]|\.\.?[/\\]|[a-z]:\\)/i.test(text) || /(?:^|[/\\])\.\w/.test(text)))
      out.push({ text, action: "write" });
    else out.push({ text, action: "mention" });
  }
  return out;
}
