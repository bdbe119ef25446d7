/** Files that a command of the text brings from elsewhere: downloads, other commits, buckets, other machines, archives of these. Judges nothing. */
import type { LocatedCommand } from "../paths/locatedCommand";
import { programName } from "../shell/command";
import { effectiveArgv } from "../shell/wrappers";
import { upstream } from "./removedFiles";

/** Stands for every file of a folder: what an archive or a repository holds, nobody has seen. */
export const ANY_FILE = "*";

const FETCHES = /^(?:curl|wget|aria2c|http|https|xh|iwr|invoke-webrequest|fetch)$/;
const URL = /^(?:https?|ftp):/;

/** Names of files as later words use them, `folder/*` for all of a folder. */
export function broughtFiles(
  { argv, command }: LocatedCommand,
  redirected: readonly string[],
): readonly string[] {
  const name = programName(argv[0]) ?? "";
  const tee = name === "tee" ? argv.slice(1).filter((word) => !word.startsWith("-")) : [];
  const piped = upstream(command).some((one) => bringsText(textsOf(effectiveArgv(one))));
  if (piped) return [...redirected, ...tee, ...(unpacks(name, argv) ? [inside(folderGiven(argv))] : [])];
  if (FETCHES.test(name)) return fetched(name, argv, redirected);
  if (bringsText(argv)) return redirected;
  const code = argv.find((word) =>
    /\b(?:urlretrieve|urlopen|requests\.get|fetch|open-uri|LWP|getstore|https?\.get|Net::HTTP)\b/.test(word),
  );
  if (code !== undefined)
    return [
      ...redirected,
      ...[...code.matchAll(/["']([\w./-]+\.\w{1,5})["']/g)].map((found) => found[1] ?? ""),
    ];
  return [...copied(name, argv), ...cloned(name, argv)];
}

/** Prints what comes from elsewhere. */
function bringsText(argv: readonly string[]): boolean {
  const name = programName(argv[0]) ?? "";
  const [first = "", second = ""] = argv.slice(1).filter((word) => !word.startsWith("-"));
  if (FETCHES.test(name) || /^(?:nc|ncat|netcat|socat|telnet)$/.test(name)) return true;
  if (name === "git")
    return (
      (first === "show" && argv.some((word) => /^[^-].*:./.test(word))) ||
      first === "cat-file" ||
      first === "archive"
    );
  if (/^(?:gh|glab)$/.test(name)) return first === "api" || (first === "gist" && second === "view");
  return (
    (/^(?:aws|gsutil|gcloud)$/.test(name) && argv.at(-1) === "-" && argv.includes("cp")) ||
    (name === "gsutil" && first === "cat")
  );
}

/** `curl -o a.sh URL`, `wget URL/a.sh`, `curl URL > a.sh` */
function fetched(name: string, argv: readonly string[], redirected: readonly string[]): readonly string[] {
  const url = argv.slice(1).find((word) => URL.test(word)) ?? "";
  const own = /\/([^/?#]+)(?:[?#].*)?$/.exec(url)?.[1];
  const given = argv.flatMap((word, at) => {
    const joined = /^(?:--output=|--output-document=|-o|-O)(.+)$/.exec(word)?.[1];
    const option = name === "curl" ? /^(?:-\w*o|--output)$/ : /^(?:-\w*[oO]|--output-document|-outfile)$/i;
    if (option.test(argv[at - 1] ?? "")) return [word];
    return joined === undefined ? [] : [joined];
  });
  const named = name === "wget" || argv.some((word) => /^-\w*[OJ](?:[LsSfk]*)$|^--remote-name/.test(word));
  return [...given, ...redirected, ...(named && own !== undefined ? [own] : [])];
}

/** `scp host:x.sh .`, `aws s3 cp s3://b/x.sh x.sh`, `gh release download -p run.sh` */
function copied(name: string, argv: readonly string[]): readonly string[] {
  if (/^(?:gh|glab)$/.test(name)) {
    if (!argv.includes("release") || !argv.includes("download")) return [];
    const named = argv.flatMap((word, at) =>
      /^(?:-p|--pattern|-O|--output)$/.test(argv[at - 1] ?? "") && !/[*?]/.test(word) ? [word] : [],
    );
    return named.length > 0 ? named : [inside("")];
  }
  const far =
    /^(?:aws|gsutil|gcloud)$/.test(name) && argv.includes("cp")
      ? /^(?:s3|gs):\/\//
      : /^(?:scp|rsync|sftp)$/.test(name)
        ? /^[\w.@-]{2,}:/
        : undefined;
  if (far === undefined) return [];
  const target = argv.at(-1) ?? "";
  const sources = argv.slice(1, -1).filter((word) => far.test(word));
  if (far.test(target) || sources.length === 0) return [];
  const names = sources.map((source) => source.split(/[/:]/).at(-1) ?? "");
  return [
    target.replace(/^\.\/?$/, ""),
    ...names.map((own) => `${target.replace(/\/?$/, "/").replace(/^\.\//, "")}${own}`),
    ...names,
  ].filter((own) => own !== "");
}

/** `git clone URL`, `git clone URL folder` */
function cloned(name: string, argv: readonly string[]): readonly string[] {
  if (name !== "git" && name !== "gh") return [];
  const at = argv.indexOf("clone");
  if (at < 0) return [];
  const plain = argv.slice(at + 1).filter((word) => !word.startsWith("-"));
  const source = plain.findIndex((word) => /:\/\/|^[\w.-]+@[\w.-]+:|^[\w-]+\/[\w.-]+$/.test(word));
  const url = plain[source];
  if (url === undefined) return [];
  const own = /([^/:]+?)(?:\.git)?\/?$/.exec(url)?.[1] ?? "";
  return [inside(plain[source + 1] ?? own)];
}

/** What unpacks a file that has been brought: everything in it is brought. */
export function unpackedFiles({ argv }: LocatedCommand, known: (file: string) => boolean): readonly string[] {
  const name = programName(argv[0]) ?? "";
  return unpacks(name, argv) && argv.slice(1).some((word) => known(word)) ? [inside(folderGiven(argv))] : [];
}

function unpacks(name: string, argv: readonly string[]): boolean {
  if (/^(?:tar|gtar|bsdtar)$/.test(name))
    return argv
      .slice(1)
      .some((word, at) => (at === 0 ? /^-?[a-zA-Z]*x/ : /^-[a-zA-Z]*x|^--(?:extract|get)$/).test(word));
  if (/^(?:7z|7za|7zz)$/.test(name)) return /^[xe]$/.test(argv[1] ?? "");
  return /^(?:unzip|unrar|cpio|gunzip|unxz|bunzip2|zstd)$/.test(name);
}

function folderGiven(argv: readonly string[]): string {
  const at = argv.findIndex((word) => /^(?:-C|-d|--directory)$/.test(word));
  return (at < 0 ? argv.find((word) => word.startsWith("--directory="))?.slice(12) : argv[at + 1]) ?? "";
}

function inside(folder: string): string {
  const plain = folder.replace(/^\.\//, "").replace(/\/+$/, "");
  return plain === "" || plain === "." ? ANY_FILE : `${plain}/${ANY_FILE}`;
}

function textsOf(argv: readonly (string | null)[]): readonly string[] {
  return argv.map((word) => word ?? "\u0001");
}
