/** Commands whose program or first word nobody can tell from the text. Judges by what the words would do behind any program of the table. */

import { type CommandWords, commandWords, isUnknown } from "./commandWords";
import type { ReadCommand } from "./readCommands";
import { firstValue } from "./textValues";

/** Programs whose first word says what they do. */
export const TOLD =
  /^(?:git|docker|podman|docker-compose|kubectl|oc|helm|terraform|tofu|pulumi|aws|gcloud|az|gsutil|npm|systemctl|rclone|redis-cli|gh|heroku|fly|zfs|zpool)$/;
/** These print, compare or look for the words that they get. */
export const SAYS =
  /^(?:echo|printf|test|\[|\[\[|cat|grep|egrep|rg|sed|g?awk|jq|true|false|:|export|declare|local|readonly|cd|ls|mkdir|touch|return|exit|read|wc|sort|head|tail|expr|sleep|seq|logger|date|say|cut|tr)$/;
/** Words that remove or force, behind whatever program. */
const LOUD_WORDS =
  /^(?:-(?=\w*[rR])(?=\w*f)\w+|-xdf|-fdx?|--hard|--force|--no-preserve-root|--recursive|-delete|--delete|--mirror|-auto-approve|--volumes|delete|destroy|purge|prune|unpublish|terminate\S*|delete-\S+|clear|drop|FLUSHALL|flushall|of=\/dev\/.*|\/dev\/(?:sd|hd|vd|nvme|disk|mmcblk|xvd)\S*)$/;
const LOUD_PAIRS =
  /^(?:reset --hard|clean -\w*f|branch -D|push (?:-f|\S+ \+)|stash (?:drop|clear)|checkout -- |system prune|volume rm|rm -\w*f|stop \S+|-[hrP] now|-u \S+|-s 0)/;
/** Where a program's path is asked for in earnest. */
const LOOKS_UP =
  /\b(?:which|command -v|type -p|whereis|brew --prefix|npm (?:bin|root|prefix)|go env|pyenv which|xcrun|readlink|realpath|dirname|git rev-parse|pwd|find)\b/;

export function nobodyKnowsProgram({ argv, written, text }: ReadCommand): boolean {
  const [first = "", ...words] = argv;
  if (!isUnknown(first)) return false;
  const [own = ""] = written;
  if (words.length === 0) return /^"?\$\{?\w/.test(own) && isComputed(own, text);
  if (isComputed(own, text)) return true;
  // `$SUDO rm x` is judged from its second word on.
  if (/^[a-z][\w.-]*$/.test(words[0] ?? "") && WRAPPED.test(commandWords(words).program)) return false;
  return words.some((word) => LOUD_WORDS.test(word)) || LOUD_PAIRS.test(words.join(" "));
}

const WRAPPED =
  /^(?:rm|git|docker|podman|kubectl|systemctl|apt|apt-get|npm|make|bash|sh|python3?|node|cat|ls|cp|mv|mkdir|chmod|chown|tee|install|service|pip3?)$/;

/** The name is put together by the text itself, and not looked up. */
function isComputed(written: string, text: string): boolean {
  if (/[$]\(|`/.test(written)) return !LOOKS_UP.test(written);
  const name = /\$\{?!?(\w+)/.exec(written)?.[1];
  if (name === undefined) return false;
  const value = firstValue(name, text);
  if (value === undefined) return false;
  return !LOOKS_UP.test(value) && !/^["']?\$\{?\d|^["']?\$\{\w+:-/.test(value);
}

export function nobodyKnowsVerb(words: CommandWords, read: ReadCommand): boolean {
  const { operands, options } = words;
  const at = operands.findIndex(({ text }) => isUnknown(text));
  const unknown = operands[at];
  if (unknown === undefined || at > 1) return false;
  const written = read.written[read.argv.indexOf(unknown.text)] ?? "";
  if (at === 1) {
    // `git stash "$w"` with a word that the text itself puts together.
    return TOLD_TWICE.test(`${words.program} ${operands[0]?.text ?? ""}`) && isComputed(written, read.text);
  }
  if (read.fed && operands.length === 1 && options.length === 0) return true;
  if (options.some((word) => LOUD_WORDS.test(word))) return true;
  return !unknown.maybeValue && (/[$]\(|`/.test(written) || isComputed(written, read.text));
}

/** Programs with a second word that says what they do. */
const TOLD_TWICE =
  /^(?:git (?:stash|reflog|worktree)|(?:docker|podman) (?:system|volume|image|network|container|swarm|stack|secret|config|compose)|aws \S+|gh \S+|terraform (?:state|workspace)|pulumi stack|npm (?:dist-tag|owner)|gsutil .*)$/;

/** `$(tr a b <<< x)`: all that goes in stands in the text, and nobody can read what comes out. */
export function hidesWords({ argv, written }: ReadCommand): boolean {
  return argv.some((text, at) => {
    if (!isUnknown(text)) return false;
    const inner = /^"?(?:\$\(|`)([\s\S]*)[)`]"?$/.exec(written[at] ?? "")?.[1];
    if (inner === undefined || /[$`]/.test(inner.replace(/\$'/g, "'"))) return false;
    // What is encoded is no word of a command.
    if (/\bbase64\b(?!\s+-\w*[dD]|\s+--decode)|\bsha\d+sum|\bmd5sum/.test(inner)) return false;
    return /<<<|\becho\s|\bprintf\s/.test(inner);
  });
}

/** Variables by which a program is made to run other code first. */
export function startsCode(name: string, value: string): boolean {
  if (
    /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|GIT_CONFIG_(?:COUNT|KEY_\d+|PARAMETERS)|PERL5OPT|RUBYOPT|PYTHONSTARTUP|JAVA_TOOL_OPTIONS|ZDOTDIR)$/.test(
      name,
    )
  )
    return value !== "";
  return name === "ENV" && isUnknown(value) ? false : /^BASH_FUNC_/.test(name);
}
