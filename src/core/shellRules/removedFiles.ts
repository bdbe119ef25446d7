/** What `rm`, `find` and their kind remove, and whether anybody would miss it. Knows no file system. */

import { inFolder } from "../paths/changeFolder";
import { programName, type SimpleCommand } from "../shell/command";
import { type CommandWords, hasOption, isUnknown } from "./commandWords";
import { isDisposable, takesMany } from "./disposable";
import type { ReadCommand } from "./readCommands";
import { findTakesLittle } from "./soughtFiles";
import { loops } from "./textValues";

interface Removal {
  readonly paths: readonly string[];
  readonly deep: boolean;
  /** What is removed cannot be seen in the text. */
  readonly unseen: boolean;
}

/** Removing all of this is never meant: the disk, the home folder, a drive. */
const EVERYTHING = /^(?:[/\\~]|[a-z]:[/\\]?|~\/)(?:[/\\]*(?:\*+|\.))?$/i;

export function removalOf(words: CommandWords, read: ReadCommand): Removal {
  const windows = read.family === "windows";
  const operands = words.operands
    .map(({ text }) => text)
    .filter((text) => !(windows && /^\/[a-z]$/i.test(text)))
    .flatMap((text) => (windows ? text.split(",") : [text]));
  const deep = hasOption(words, "-r|-R|--recursive") || windowsDeep(words);
  const paths = operands.flatMap((text) =>
    read.located.folders.map((folder) => (folder === null ? `\u0001/${text}` : inFolder(text, folder))),
  );
  return { paths, deep, unseen: operands.some(isUnknown) };
}

function windowsDeep({ words }: CommandWords): boolean {
  return words.some((word) => /^-r(e(c(u(r(se?)?)?)?)?)?(:\$true)?$/i.test(word) || /^\/s$/i.test(word));
}

export function takesEverything({ paths, deep }: Removal): boolean {
  return deep && paths.some((path) => EVERYTHING.test(path));
}

/** True where what goes was written by somebody, as far as names tell. */
export function losesWork(removal: Removal, read: ReadCommand, cwd?: string): boolean {
  const { paths, deep } = removal;
  // Words that stand in the text go too, whatever a search adds to them.
  if (
    removal.unseen &&
    deep &&
    paths.some((path) => !isUnknown(path) && !isDisposable(path, { cwd, taken: "deep" }))
  )
    return true;
  if (
    removal.unseen &&
    paths.some((path) => !isUnknown(path) && isPrecious(path, read) && !isDisposable(path, { cwd }))
  )
    return true;
  // What a search hands over is judged by what it looks for.
  if ((removal.unseen || paths.length === 0) && takesSought(read)) return false;
  if (paths.length === 0 && read.family === "windows") return takesPiped(read);
  if (deep) return paths.length > 0 && !paths.every((path) => isDisposable(path, { cwd, taken: "deep" }));
  if (removal.unseen && (read.fed || fromSearch(read) !== undefined || isList(read))) return true;
  return paths.some((path) => isPrecious(path, read) && !isDisposable(path, { cwd }));
}

/** `rm $(git ls-files)`, `for f in $(ls); do rm "$f"; done`: one word of the text stands for many files. */
function isList({ argv, written, text, outers }: ReadCommand): boolean {
  return argv.some((word, at) => {
    if (!isUnknown(word)) return false;
    const own = written[at] ?? "";
    if (
      /^"?\$UNKNOWN/.test(own) &&
      outers.some(({ argv }) => /(?:^|\/)(?:parallel|rush|rust-parallel)$/.test(argv[0] ?? ""))
    )
      return true;
    if (/^(?:\$\(|`)|\[[@*]\]|\$[@*]/.test(own)) return true;
    const name = /\$\{?(\w+)/.exec(own)?.[1];
    return name !== undefined && loops(name, text);
  });
}

/** `Get-ChildItem … | Remove-Item`: PowerShell hands files over by the pipe. */
function takesPiped({ located, argv }: ReadCommand): boolean {
  const [first] = upstream(located.command);
  if (first === undefined || argv.length === 0) return false;
  const given = first.argv.slice(1).filter((word) => word !== null && !word.startsWith("-"));
  return !(given.length > 0 && given.every((word) => isDisposable(word ?? "", { taken: "deep" })));
}

function isPrecious(path: string, { located, family }: ReadCommand): boolean {
  if (/(^|[/\\])\.git([/\\]|$)/.test(path)) return true;
  if (/^([/\\~.]|\.\.|[a-z]:)?[/\\]*$/i.test(path)) return true;
  const glob = family === "windows" || [...located.globs].some((text) => path.endsWith(text));
  return glob && takesMany(path);
}

/** `find … -exec rm {} +`, `find … | xargs rm`: the search in front, where it leaves most alone. */
export function takesSought(read: ReadCommand): boolean {
  const search = fromSearch(read);
  if (search !== undefined) return findTakesLittle(search, read.located.folders);
  // `ls *.bak | xargs rm`
  const listed = upstream(read.located.command).find((command) => programName(command.argv[0]) === "ls");
  const names =
    listed === undefined
      ? []
      : textsOf(listed)
          .slice(1)
          .filter((word) => !word.startsWith("-"));
  return names.length > 0 && names.every((name) => isDisposable(name));
}

function fromSearch(read: ReadCommand): readonly string[] | undefined {
  const outer = read.outers.find((command) => programName(command.argv[0]) === "find");
  if (outer !== undefined) return textsOf(outer);
  return upstream(read.located.command)
    .filter((command) => /^(find|fd|fdfind)$/.test(programName(command.argv[0]) ?? ""))
    .map(textsOf)[0];
}

function textsOf({ argv }: SimpleCommand): readonly string[] {
  return argv.map((word) => word ?? "\u0001");
}

const MAX_PIPE = 16;

/** The commands in front of the pipe, the nearest first. */
export function upstream(command: SimpleCommand): readonly SimpleCommand[] {
  const out: SimpleCommand[] = [];
  for (let at = command.pipedFrom; at !== undefined && out.length < MAX_PIPE; at = at.pipedFrom) out.push(at);
  return out;
}
