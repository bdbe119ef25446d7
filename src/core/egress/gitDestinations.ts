/** Where a git command would reach: remotes by name, repositories by address. Knows no configuration of any repository. */
import { UNKNOWN } from "../paths/shellWords";
import { type Destination, toHost } from "./destination";
import { hostOf, isAddress, repositoryOf, scpHost } from "./hosts";

/** Options that take the next word, by verb: `-u` takes one when cloning and none when pushing. */
const VALUED: Readonly<Record<string, string>> = {
  push: "-o --push-option --repo --receive-pack --exec",
  fetch:
    "-o --server-option --upload-pack --depth --deepen --shallow-since --shallow-exclude -j --jobs --negotiation-tip --refmap --filter",
  pull: "-o --server-option --upload-pack --depth --deepen --shallow-since --shallow-exclude -j --jobs --negotiation-tip --refmap -s --strategy -X --strategy-option --cleanup",
  "ls-remote": "-o --server-option --upload-pack --exec --sort",
  clone:
    "-b --branch -c --config -o --origin -u --upload-pack -j --jobs --depth --server-option --reference --reference-if-able --filter --shallow-since --shallow-exclude --template --separate-git-dir --bundle-uri",
  remote: "-t -m",
  submodule: "-b --branch --name --reference --depth -j --jobs",
  archive: "-o --output --prefix --format --remote --exec",
};
/** Settings that lead another way. */
const LEADS =
  /^(url\..+\.(?:push)?insteadof|remote\..+\.(?:push)?url|http(?:\..+)?\.proxy|remote\..+\.proxy|submodule\..+\.url|core\.gitproxy)$/i;

type Folders = readonly (string | null)[];

export function gitDestinations(args: readonly string[], folders: Folders): readonly Destination[] {
  const { verb, rest, led, folder } = split(args);
  const where = folder === undefined ? folders : folders.map((from) => joined(from, folder));
  const own = ofVerb(verb, rest, where);
  return [...led, ...own];
}

function joined(from: string | null, folder: string): string | null {
  if (/^([/~]|[a-z]:)/i.test(folder)) return folder;
  return from === null ? null : from === "" ? folder : `${from}/${folder}`;
}

interface Split {
  readonly verb: string;
  readonly rest: readonly string[];
  /** What `-c` settings lead to. */
  readonly led: readonly Destination[];
  readonly folder?: string;
}

function split(args: readonly string[]): Split {
  const led: Destination[] = [];
  let folder: string | undefined;
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "-C") folder = args[++at];
    else if (word === "-c") led.push(...setting(args[++at] ?? ""));
    else if (/^--(git-dir|work-tree|namespace|exec-path)$/.test(word)) at++;
    else if (!word.startsWith("-")) break;
  }
  const base = { verb: args[at] ?? "", rest: args.slice(at + 1), led };
  return folder === undefined ? base : { ...base, folder };
}

/** `url.https://x/.insteadOf=https://y/`, `http.proxy=http://x` */
function setting(text: string): readonly Destination[] {
  const [, key = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
  return leads(key, value);
}

function leads(key: string, value: string): readonly Destination[] {
  if (!LEADS.test(key)) return [];
  const target = /^url\.(.+)\.(?:push)?insteadof$/i.exec(key)?.[1] ?? value;
  return repository(target, { what: "send", shown: `${key} ${value}`.trim() });
}

function ofVerb(verb: string, rest: readonly string[], folders: Folders): readonly Destination[] {
  const words = operands(rest, verb);
  switch (verb) {
    case "push":
      return [
        ...reached(words[0] ?? optionOf(rest, "--repo") ?? "", { what: "send", folders }),
        ...named(rest, words[0], "send"),
      ];
    case "fetch":
    case "pull":
      if (rest.some((word) => /^(--all|--multiple)$/.test(word))) return [];
      return [...reached(words[0] ?? "", { what: "take", folders }), ...named(rest, words[0], "take")];
    case "ls-remote":
      return reached(words[0] ?? "", { what: "take", folders });
    case "clone":
      return words.slice(0, 1).flatMap((text) => repository(text, { what: "take", shown: text }));
    case "request-pull":
      return reached(words[1] ?? "", { what: "take", folders });
    case "remote":
      return remoteVerb(rest);
    case "submodule":
      return words[0] === "add" || words[0] === "set-url"
        ? words.slice(1).flatMap((text) => repository(text, { what: "take", shown: text }))
        : [];
    case "archive":
      return reached(optionOf(rest, "--remote") ?? "", { what: "take", folders });
    case "lfs":
      return words[0] === "push" ? reached(words[1] ?? "", { what: "send", folders }) : [];
    case "config":
      return configured(words);
    case "send-email":
      return [toHost(null, { by: "git", what: "send", shown: "git send-email" })];
    case "svn":
    case "p4":
      return words.flatMap((text) =>
        isAddress(text) ? repository(text, { what: "take", shown: text }) : [],
      );
    default:
      return [];
  }
}

/** An address anywhere else among the words: whatever git makes of it, it is looked at. */
function named(
  rest: readonly string[],
  known: string | undefined,
  what: Destination["what"],
): readonly Destination[] {
  return rest
    .filter((word) => word !== known && isAddress(word))
    .flatMap((text) => repository(text, { what, shown: text }));
}

/** To add an address is to make it one of the repository's own: it is asked for then. */
function remoteVerb(rest: readonly string[]): readonly Destination[] {
  const words = operands(rest, "remote");
  if (!/^(add|set-url)$/.test(words[0] ?? "")) return [];
  return words
    .slice(2)
    .flatMap((text) => repository(text, { what: "send", shown: text }))
    .map((to) => ({ ...to, verb: "Add as a remote" }));
}

function configured(words: readonly string[]): readonly Destination[] {
  const [key = "", value = ""] = /^(set|add|--add)$/.test(words[0] ?? "") ? words.slice(1) : words;
  return value === "" ? [] : leads(key, value);
}

function optionOf(rest: readonly string[], name: string): string | undefined {
  const own = rest.find((word) => word.startsWith(`${name}=`));
  if (own !== undefined) return own.slice(name.length + 1);
  const at = rest.indexOf(name);
  return at < 0 ? undefined : rest[at + 1];
}

function operands(rest: readonly string[], verb: string): readonly string[] {
  const valued = new Set((Object.hasOwn(VALUED, verb) ? (VALUED[verb] ?? "") : "").split(" "));
  const out: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? "";
    if (valued.has(word)) at++;
    else if (!word.startsWith("-")) out.push(word);
  }
  return out;
}

/** An address, or the name of a remote ("" = the default one). */
function reached(
  text: string,
  how: { readonly what: Destination["what"]; readonly folders: Folders },
): readonly Destination[] {
  const { what, folders } = how;
  const found = repository(text, { what, shown: text });
  if (found.length > 0) return found.map((to) => ({ ...to, folders }));
  // A path: another repository of this machine.
  if (/^([./~]|[a-z]:[\\/])/i.test(text)) return [];
  const shown = text === "" ? "the default remote" : `the remote ${text}`;
  return [{ host: null, what, key: `remote ${text}`, shown, by: "git", remote: text, folders }];
}

/** Empty where the text is no address. */
function repository(
  text: string,
  how: { readonly what: Destination["what"]; readonly shown: string },
): readonly Destination[] {
  if (text.startsWith(UNKNOWN)) return [toHost(null, { by: "git", ...how })];
  const remote = isAddress(text) || /^(ext|fd|transport-helper)::/.test(text);
  const scp = remote ? undefined : scpHost(text);
  if (!remote && scp === undefined) return [];
  const host = remote ? hostOf(text) : (scp ?? null);
  const address = repositoryOf(text);
  const to = toHost(host, { by: "git", ...how });
  // To a host of many repositories a push is for one of them alone.
  const key = how.what === "send" && address !== undefined ? `git ${address}` : to.key;
  return [{ ...to, key, ...(address === undefined ? {} : { repository: address }) }];
}
