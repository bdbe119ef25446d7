/** The files a git command names. Knows no file system; a branch name that is taken for a file does no harm. */
import type { NamedPath } from "./commandPaths";
import type { FileAction } from "./fileCommands";

const VERBS: Readonly<Record<string, FileAction>> = {
  checkout: "fill",
  restore: "fill",
  rm: "remove",
  mv: "move",
  clone: "fill",
  init: "fill",
  apply: "read",
  am: "read",
};

const VALUED = new Set([
  "-b",
  "-B",
  "-c",
  "-s",
  "--source",
  "-m",
  "--branch",
  "--depth",
  "-o",
  "--origin",
  "-u",
  "--upload-pack",
  "--orphan",
  "--template",
  "--config",
  "-j",
  "--jobs",
]);
const OUTPUTS = /^(-o|--output|--output-directory)$/;

export function gitPaths(args: readonly string[]): readonly NamedPath[] {
  let at = 0;
  let folder = "";
  const out: NamedPath[] = [];
  for (; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "-C") {
      folder = joined(folder, args[++at] ?? "");
      out.push({ text: folder, action: "list" });
    } else if (word === "-c" || word === "--git-dir" || word === "--work-tree") at++;
    else if (!word.startsWith("-")) break;
  }
  const verb = args[at] ?? "";
  const rest = args.slice(at + 1);
  if (verb === "archive" || verb === "format-patch" || verb === "diff" || verb === "bundle")
    rest.forEach((word, i) => {
      const value = /^--output=(.+)$/.exec(word)?.[1] ?? (OUTPUTS.test(word) ? rest[i + 1] : undefined);
      if (value !== undefined) out.push({ text: joined(folder, value), action: "write" });
    });
  if (verb === "config") return [...out, ...configFile(rest, folder)];
  if (verb === "worktree" && rest[0] === "add")
    return [...out, ...operands(rest.slice(1), folder).slice(0, 1).map(write)];
  const action = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (action === undefined) return out;
  const all = operands(rest, folder);
  if (verb === "clone") return [...out, ...all.slice(1, 2).map(write)];
  // `git show rev:path` style revisions name no file of the disk.
  return [...out, ...all.filter((text) => !/^[\w/.-]+:/.test(text)).map((text) => ({ text, action }))];
}

function write(text: string): NamedPath {
  return { text, action: "fill" };
}

function configFile(rest: readonly string[], folder: string): readonly NamedPath[] {
  const at = rest.findIndex((word) => word === "-f" || word === "--file");
  const file = at < 0 ? rest.find((word) => word.startsWith("--file="))?.slice(7) : rest[at + 1];
  return file === undefined ? [] : [write(joined(folder, file))];
}

function operands(rest: readonly string[], folder: string): readonly string[] {
  const out: string[] = [];
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? "";
    if (VALUED.has(word)) i++;
    else if (!word.startsWith("-")) out.push(joined(folder, word));
  }
  return out;
}

function joined(folder: string, text: string): string {
  return folder === "" || /^[/~]/.test(text) ? text : `${folder}/${text}`;
}
