/** The words and redirections of one bash command as the path tables want them. Knows no program. */
import type { Command, Redirection, Word } from "unbash";
import { programName, type SimpleCommand } from "../shell/command";
import { stdinText } from "../shell/stdin";
import { effectiveArgv } from "../shell/wrappers";
import { expandWord, UNKNOWN, type Variables, type WordText } from "./shellWords";

/** A quoted `~` is a plain name: `./` keeps it one. */
export function textOf({ text, home }: WordText): string {
  return text.startsWith("~") && !home ? `./${text}` : text;
}

export function wordsOf(arg: Command["args"][number], variables: Variables): readonly WordText[] {
  if (arg.type === "Word") return expandWord(arg, variables);
  if (arg.value.type !== "Word") return [{ text: UNKNOWN, glob: false, home: false }];
  return expandWord(arg.value, variables).map((word) => ({
    ...word,
    text: `${arg.name}=${word.text}`,
    home: false,
  }));
}

/** What xargs appends: the words on its standard input, where these can be told. */
export function suppliedWords(command: SimpleCommand): readonly string[] {
  const stdin = stdinText(command);
  if (stdin.kind !== "text") return [UNKNOWN];
  return stdin.texts.flatMap((text) => text.split(/[\s\0]+/).filter((word) => word !== ""));
}

export function redirectWords(
  redirects: readonly Redirection[],
  variables: Variables,
): readonly { readonly op: string; readonly word: WordText }[] {
  return redirects.flatMap((item) => {
    if (item.type !== "Redirect" || item.target === undefined) return [];
    const target: Word = item.target;
    return expandWord(target, variables).map((word) => ({
      op: item.operator,
      word: { ...word, text: textOf(word) },
    }));
  });
}

/** `env -C dir`, `sudo -D dir`: where the program behind the wrapper runs. */
export function wrapperFolder(words: readonly string[], inner: number): string | undefined {
  const front = words.slice(0, Math.max(words.length - inner, 0));
  const at = front.findIndex((word) => /^(-C|-D|--chdir)$/.test(word));
  if (at >= 0 && /^(env|sudo)$/.test(programName(front[0]) ?? "")) return front[at + 1];
  const long = front.find((word) => word.startsWith("--chdir="));
  return long?.slice("--chdir=".length);
}

const REMOTE: ReadonlySet<string> = new Set("docker podman nerdctl docker-compose kubectl oc ssh".split(" "));

/** The words of a wrapper that takes the program behind it into a container or to another machine. */
export function wordsToElsewhere(words: readonly string[]): readonly string[] | undefined {
  const inner = effectiveArgv({ argv: words });
  // xargs may add a word: the count then is one too low, which keeps the command here.
  const front = words.slice(0, Math.max(words.length - inner.length, 0));
  return front.some((word) => REMOTE.has(programName(word) ?? "")) ? front : undefined;
}
