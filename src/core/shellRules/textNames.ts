/** Names that a terminal text gives to commands and files, for what stands later in it. Judges nothing. */
import { programName, UNKNOWN_COMMAND } from "../shell/command";
import { stdinText } from "../shell/stdin";
import { ANY_FILE, broughtFiles, unpackedFiles } from "./broughtFiles";
import { gitAliases } from "./gitProgramTexts";
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
  if (name === "git") return gitAliases({ argv });
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name) && argv.includes("set")) return packageScripts(argv);
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

/** `npm pkg set scripts.x='…'`: a later `npm run x` runs it. */
function packageScripts(argv: readonly string[]): readonly (readonly [string, string])[] {
  return argv.flatMap((word) => {
    const [, name, text] = /^scripts[.[]["']?([\w:-]+)["']?\]?=([\s\S]+)$/.exec(word) ?? [];
    return name === undefined || text === undefined
      ? []
      : [[`npm ${name.replace(/^(?:pre|post)(?=\w)/, "")}`, text] as const];
  });
}

type Files = ReadonlyMap<string, readonly string[]>;

/** Files of the text, in its order: what they are given, brought, unpacked, and how they are renamed. */
export function filesOf(commands: readonly ReadCommand[], known: Files): Files {
  return commands.reduce((files, read) => grouped(files, ofCommand(read, files)), known);
}

/** As later words would name it. */
function plainName(file: string): string {
  return file.replace(/^(?:\.\/)+/, "");
}

/** The texts of a file by its name, also where all of its folder is brought. */
export function textsOfFile(file: string, files: Files, folder: string): readonly string[] {
  const plain = plainName(file);
  if (plain === "" || plain.startsWith("-")) return [];
  const below = folder === "" || plain.startsWith("/") ? plain : `${folder}/${plain}`;
  const own = files.get(plain) ?? files.get(below);
  if (own !== undefined) return own;
  const inFolder = [...files].filter(
    ([name]) =>
      name.endsWith(ANY_FILE) &&
      (name === ANY_FILE ? !/^[/~$\u0001]/.test(plain) : below.startsWith(name.slice(0, -1))),
  );
  return inFolder.flatMap(([, texts]) => texts);
}

function ofCommand(read: ReadCommand, files: Files): readonly (readonly [string, string])[] {
  const { located } = read;
  const name = programName(located.argv[0]) ?? "";
  const to = located.redirects
    .filter(({ op, word }) => /^(>|>>|>\||&>)$/.test(op) && word.text !== "")
    .map(({ word }) => word.text);
  const brought = [
    ...broughtFiles(located, to),
    ...unpackedFiles(located, (file) => files.get(plainName(file))?.includes(DOWNLOADED) === true),
  ];
  if (brought.length > 0) return brought.map((file) => [plainName(file), DOWNLOADED] as const);
  return [...written(read, to, name), ...renamed(read, files, name)];
}

/** `echo 'rm -rf src' > a.sh` */
function written(
  { located }: ReadCommand,
  to: readonly string[],
  name: string,
): readonly (readonly [string, string])[] {
  const tee = name === "tee" ? located.argv.slice(1).filter((word) => !word.startsWith("-")) : [];
  if (to.length + tee.length === 0) return [];
  const printed = stdinText({ ...UNKNOWN_COMMAND, pipedFrom: located.command });
  if (printed.kind !== "text") return [];
  return [...to, ...tee].map((file) => [plainName(file), printed.texts.join("\n")] as const);
}

/** `mv q.txt q.sh`, `cp q.txt bin/`, `cat q.txt > q.sh` */
function renamed(
  { located }: ReadCommand,
  files: Files,
  name: string,
): readonly (readonly [string, string])[] {
  if (files.size === 0) return [];
  const plain = located.argv.slice(1).filter((word) => !word.startsWith("-"));
  const into = located.redirects.filter(({ op }) => /^>/.test(op)).map(({ word }) => word.text);
  const moves = /^(?:mv|cp|ln|install|rename|move-item|copy-item|mi|ci|copy|move)$/.test(name);
  const targets = moves ? plain.slice(-1) : into;
  const sources = moves ? plain.slice(0, -1) : /^(?:cat|head|tail|tr|sed|envsubst)$/.test(name) ? plain : [];
  return sources.flatMap((source) =>
    (files.get(plainName(source)) ?? []).flatMap((text) =>
      targets.flatMap((target) => [
        [plainName(target), text] as const,
        [plainName(`${target.replace(/\/?$/, "/")}${source.split("/").at(-1) ?? ""}`), text] as const,
      ]),
    ),
  );
}
