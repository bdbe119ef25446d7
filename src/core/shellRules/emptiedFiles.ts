/** Tells when `>` behind a command that prints nothing leaves many files empty. Knows no file system. */
import { isUnknown } from "./commandWords";
import { isDisposable, takesMany } from "./disposable";
import type { ReadCommand } from "./readCommands";
import { takesSought } from "./removedFiles";
import type { RuleCommand } from "./shellRule";
import { firstVariableTarget, loopList, loops } from "./textValues";

/** These print nothing, or a line end, so that `>` leaves the file empty. */
function printsNothing({ program, words }: Pick<RuleCommand, "program" | "words">): boolean {
  if (/^(?:|:|true|false)$/.test(program)) return true;
  if (/^(?:echo|printf)$/.test(program)) return words.every((word) => /^-[neE]+$|^\s*$|^\\n$/.test(word));
  return program === "cat" && words.length === 1 && words[0] === "/dev/null";
}

/** One word that stands for many files: a wildcard, the name of a loop, what a search hands over. */
function standsForMany(text: string, raw: string, read: ReadCommand): boolean {
  if (!isUnknown(text)) return takesMany(text) && !isDisposable(text);
  if (/^["']?(?:\$\(|`)|\[[@*]\]|\$[@*]/.test(raw) || read.fed) return !takesSought(read);
  const name = /\$\{?(\w+)/.exec(raw)?.[1];
  if (name === undefined) return false;
  if (/^(?:\d|UNKNOWN)$/.test(name)) return read.outers.length > 0 && !takesSought(read);
  return loops(name, read.text);
}

/** `> "$f"` in a loop over many files. */
export function emptiesMany({ read, ...command }: RuleCommand): boolean {
  if (!printsNothing(command)) return false;
  const { redirects } = read.located;
  return redirects.some(({ op, word }) => {
    if (!/^(?:>|>\||&>)$/.test(op)) return false;
    const raw = rawTarget(read);
    if (standsForMany(word.text, raw, read)) return true;
    const name = /^["']?\$\{?(\w+)\}?["']?$/.exec(raw)?.[1];
    return name !== undefined && loops(name, read.text) && listTakesMany(name, read.text);
  });
}

/** The file as it is written behind `>`. */
function rawTarget({ located, text }: ReadCommand): string {
  return lastTarget(located.command.raw.trimEnd()) ?? firstVariableTarget(text);
}

/** The last word, where `>` stands in front of it. */
function lastTarget(raw: string): string | undefined {
  let at = raw.length;
  while (at > 0 && !/\s/.test(raw[at - 1] ?? "")) at--;
  const word = raw.slice(at);
  if (/>\|?$/.test(raw.slice(0, at).trimEnd().slice(-2))) return word === "" ? undefined : word;
  const own = word.slice(word.indexOf(">") + 1).replace(/^[>|]/, "");
  return word.includes(">") && own !== "" ? own : undefined;
}

/** `for f in src/*.ts` */
function listTakesMany(name: string, text: string): boolean {
  const list = loopList(name, text);
  if (list === undefined) return true;
  return /[$`]/.test(list) || list.split(/\s+/).some((word) => takesMany(word) && !isDisposable(word));
}
