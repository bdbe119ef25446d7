/** The files a git command names. Knows no file system; a branch name that is taken for a file does no harm. */
import type { NamedPath } from "./commandPaths";
import { holdsSecrets } from "./credentialGuess";
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
  "hash-object": "read",
};
/** Verbs that print what files held, and those that change the files of the folder they run in. */
const SHOWS =
  /^(show|diff|log|grep|blame|annotate|cat-file|archive|format-patch|whatchanged|range-diff|bundle)$/;
const CHANGES =
  /^(add|commit|reset|checkout|restore|switch|merge|rebase|pull|stash|clean|cherry-pick|revert|am|apply|rm|mv|push|gc)$/;

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
    } else if (/^--(git-dir|work-tree)(=|$)/.test(word)) folder = word.split("=")[1] ?? args[++at] ?? "";
    else if (word === "-c") at++;
    else if (!word.startsWith("-")) break;
  }
  const verb = args[at] ?? "";
  const rest = args.slice(at + 1);
  if (folder !== "" && SHOWS.test(verb)) out.push({ text: folder, action: "read" });
  if (folder !== "" && CHANGES.test(verb)) out.push(write(folder));
  rest.forEach((word, i) => {
    const value =
      /^--(file|contents)$/.test(word) || (word === "-F" && /^(commit|tag|merge|notes)$/.test(verb))
        ? rest[i + 1]
        : /^--(?:file|contents)=(.+)$/.exec(word)?.[1];
    if (value !== undefined && verb !== "config") out.push({ text: joined(folder, value), action: "read" });
    const into = /^--(?:separate-git-dir|directory)(?:=(.+))?$/.exec(word);
    if (into !== null) out.push(write(joined(folder, into[1] ?? rest[i + 1] ?? "")));
  });
  if (rest.includes("--no-index"))
    out.push(
      ...operands(rest, folder)
        .slice(verb === "grep" ? 1 : 0)
        .map((text) => ({ text, action: "read" }) as const),
    );
  if (verb === "bundle" && rest[0] === "create")
    out.push(
      ...operands(rest.slice(1), folder)
        .slice(0, 1)
        .map((text) => ({ text, action: "write" }) as const),
    );
  if (verb === "submodule" && rest[0] === "add")
    out.push(...operands(rest.slice(1), folder).slice(1, 2).map(write));
  if (verb === "archive" || verb === "format-patch" || verb === "diff" || verb === "bundle")
    rest.forEach((word, i) => {
      const value = /^--output=(.+)$/.exec(word)?.[1] ?? (OUTPUTS.test(word) ? rest[i + 1] : undefined);
      if (value !== undefined) out.push({ text: joined(folder, value), action: "write" });
    });
  if (verb === "config") return [...out, ...configFile(rest, folder)];
  if (verb === "worktree" && rest[0] === "add")
    return [...out, ...operands(rest.slice(1), folder).slice(0, 1).map(write)];
  if (!/^(?:archive|format-patch|diff|bundle)$/.test(verb))
    for (const word of rest) {
      const value = /^--output=(.+)$/.exec(word)?.[1];
      if (value !== undefined) out.push({ text: joined(folder, value), action: "write" });
    }
  out.push(
    ...shownSecrets(verb, rest).map((text) => ({ text: joined(folder, text), action: "read" }) as const),
  );
  const action = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (action === undefined) return out;
  const all = operands(rest, folder);
  if (verb === "clone") return [...out, ...all.slice(1, 2).map(write)];
  // `git show rev:path` style revisions name no file of the disk.
  return [...out, ...all.filter((text) => !/^[\w/.-]+:/.test(text)).map((text) => ({ text, action }))];
}

/** Verbs that print what a file holds or held; log and stash do with a patch. */
const PRINTS =
  /^(?:show|diff|grep|blame|annotate|cat-file|archive|difftool|checkout-index|whatchanged|format-patch|range-diff)$/;
const NO_TEXT =
  /^--(?:stat|shortstat|numstat|dirstat|summary|name-only|name-status|quiet|no-patch|raw|exit-code)\b|^-(?:s|e|t)$/;

/** `git show HEAD:.env`, `git log -p -- .env`: a file of secrets out of the history. */
function shownSecrets(verb: string, rest: readonly string[]): readonly string[] {
  const patched = rest.some((word) => /^(?:-p|-u|--patch\S*|-L\S*|-c|--cc|-G\S*|-S\S*)$/.test(word));
  if (!PRINTS.test(verb) && !(/^(?:log|stash|reflog)$/.test(verb) && patched)) return [];
  if (rest.some((word) => NO_TEXT.test(word))) return [];
  return rest
    .filter((word) => !word.startsWith("-") || word.startsWith("-L"))
    .map((word) => word.replace(/^-L.*:/, "").replace(/^[^:]*:(?=.)/, ""))
    .filter(holdsSecrets);
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
