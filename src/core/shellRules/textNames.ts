/** Names that a terminal text gives to commands and files, for what stands later in it. Judges nothing. */
import type { LocatedCommand } from "../paths/locatedCommand";
import { programName, UNKNOWN_COMMAND } from "../shell/command";
import { stdinText } from "../shell/stdin";
import type { ReadCommand } from "./readCommands";
import { hasRows } from "./shellTable";

/** Stands for the text of a file that comes from elsewhere. */
export const DOWNLOADED = "\u0002";

/** A name may be given more than one text: all of them count. */
export function grouped(
  known: ReadonlyMap<string, readonly string[]>,
  more: readonly (readonly [string, string])[],
): ReadonlyMap<string, readonly string[]> {
  if (more.length === 0) return known;
  const all = new Map(known);
  for (const [name, text] of more) all.set(name, [...new Set([...(all.get(name) ?? []), text])]);
  return all;
}

/** What a later word of the text runs: aliases, and programs copied or linked under another name. */
export function aliasesOf({ argv }: ReadCommand): readonly (readonly [string, string])[] {
  const name = programName(argv[0]) ?? "";
  const plain = argv.slice(1).filter((word) => !word.startsWith("-"));
  if (/^(?:alias|set-alias|sal|new-alias)$/.test(name)) {
    if (name !== "alias" && plain.length === 2) return [[plain[0] ?? "", plain[1] ?? ""]];
    return argv.slice(1).flatMap((word) => {
      const [, key, value] = /^([\w.:-]+)=([\s\S]+)$/.exec(word) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value] as const];
    });
  }
  const [source = "", target = ""] = plain;
  if (name === "hash" && argv.includes("-p") && target !== "") return [[target, source]];
  if (!/^(?:cp|ln|mv|install)$/.test(name) || plain.length !== 2 || !hasRows(programName(source) ?? ""))
    return [];
  return [[target.replace(/^\.\//, ""), programName(source) ?? source]];
}

/** `echo 'rm -rf src' > a.sh` */
export function writtenFiles({ located }: ReadCommand): readonly (readonly [string, string])[] {
  const to = located.redirects
    .filter(({ op, word }) => /^(>|>>|>\||&>)$/.test(op) && word.text !== "")
    .map(({ word }) => word.text);
  const { command } = located;
  const tee =
    programName(located.argv[0]) === "tee"
      ? located.argv.slice(1).filter((word) => !word.startsWith("-"))
      : [];
  const fetched = fetchedFiles(located, to);
  if (fetched.length > 0) return fetched.map((file) => [file.replace(/^\.\//, ""), DOWNLOADED] as const);
  if (to.length + tee.length === 0) return [];
  const printed = stdinText({ ...UNKNOWN_COMMAND, pipedFrom: command });
  if (printed.kind !== "text") return [];
  return [...to, ...tee].map((file) => [file.replace(/^\.\//, ""), printed.texts.join("\n")] as const);
}

/** `curl -o a.sh URL`, `wget URL/a.sh`, `curl URL > a.sh` */
function fetchedFiles({ argv }: LocatedCommand, redirected: readonly string[]): readonly string[] {
  const name = programName(argv[0]) ?? "";
  if (!/^(?:curl|wget|aria2c|http|https|xh|iwr|invoke-webrequest)$/.test(name)) return [];
  const url = argv.slice(1).find((word) => /^(?:https?|ftp):/.test(word)) ?? "";
  const own = /\/([^/?#]+)(?:[?#].*)?$/.exec(url)?.[1];
  const given = argv.flatMap((word, at) => {
    const joined = /^(?:--output=|--output-document=|-o|-O)(.+)$/.exec(word)?.[1];
    const option = name === "curl" ? /^(?:-\w*o|--output)$/ : /^(?:-\w*[oO]|--output-document|-outfile)$/i;
    if (option.test(argv[at - 1] ?? "")) return [word];
    return joined === undefined ? [] : [joined];
  });
  const named = name === "wget" || argv.some((word) => /^-\w*[OJ]$|^--remote-name/.test(word));
  return [...given, ...redirected, ...(named && own !== undefined ? [own] : [])];
}
