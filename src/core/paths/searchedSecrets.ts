/** Files of secret settings that a search through a folder comes across: `grep -r API_KEY .`. Knows no file system. */
import { programName } from "../shell/command";
import { inFolder } from "./changeFolder";
import type { LocatedCommand } from "./locatedCommand";
import { UNKNOWN } from "./shellWords";

const FILES = [".env", ".env.local", ".env.development", ".env.production"];
/** What somebody looks for who looks for secrets, or for anything at all. */
const SECRET = /key|token|secret|passw|pwd|credential|auth|api|private|database|_url|=|sk-|ghp|akia|bearer/i;
const VALUED =
  /^(?:-[efmABCgtTdDj]|--(?:regexp|file|max-count|context|after-context|before-context|glob|iglob|type|type-not|threads|color|include|exclude|exclude-dir|exclude-from|directories|depth|ignore))$/;

/** Paths below where the text starts. */
export function searchedSecrets({ argv, folders, elsewhere }: LocatedCommand): readonly string[] {
  const program = programName(argv[0]) ?? "";
  const args = argv.slice(1);
  if (elsewhere !== undefined) return [];
  const packed = packedFolders(program, args);
  if (packed !== undefined) return below(packed, folders);
  if (!seesHidden(program, args)) return [];
  const narrowed = args.map(
    (word, at) =>
      /^(?:--include|--glob|-g|--iglob|--exclude)(?:=(.*))?$/.exec(word)?.[1] ??
      (/^(?:--include|--glob|-g|--iglob|--exclude)$/.test(args[at - 1] ?? "") ? word : undefined),
  );
  const included = args
    .flatMap((word, at) => optionValue(word, args[at + 1], /^(?:--include|--glob|-g|--iglob)$/))
    .filter((glob) => !glob.startsWith("!"));
  const excluded = args.flatMap((word, at) => optionValue(word, args[at + 1], /^--exclude$/));
  if (included.length > 0 && !included.some((glob) => glob.includes(".env"))) return [];
  if (
    excluded.some((glob) => /^\.env|^\.\*|^\*env/.test(glob)) ||
    narrowed.some((glob) => glob?.startsWith("!.env"))
  )
    return [];
  const { patterns, places } = split(args);
  if (
    !patterns.some(
      (pattern) =>
        pattern.includes(UNKNOWN) ||
        SECRET.test(pattern) ||
        pattern.replace(/[^\p{L}\p{N}]/gu, "").length < 2,
    )
  )
    return [];
  const roots = places.length === 0 ? ["."] : places.filter((place) => !place.includes(UNKNOWN));
  return below(roots, folders);
}

function below(roots: readonly string[], folders: LocatedCommand["folders"]): readonly string[] {
  return folders.flatMap((folder) =>
    folder === null
      ? []
      : roots.flatMap((root) =>
          FILES.map((file) => inFolder(`${root.replace(/[/\\]$/, "")}/${file}`, folder)),
        ),
  );
}

/** `tar czf x.tgz .`: a whole folder goes into an archive, with the settings in it. Undefined = it packs nothing. */
function packedFolders(program: string, args: readonly string[]): readonly string[] | undefined {
  const isTar = /^(?:tar|bsdtar|gtar)$/.test(program);
  const packs =
    (isTar &&
      args.some(
        (word, at) =>
          /^--(?:create|append)$/.test(word) ||
          (/^-?[a-zA-Z]*[cru]/.test(word) && (at === 0 || /^-[a-zA-Z]/.test(word))),
      )) ||
    (program === "zip" && args.some((word) => /^-[a-zA-Z]*r|^--recurse-paths$/.test(word))) ||
    (/^7z[ar]?$/.test(program) && /^[au]$/.test(args[0] ?? ""));
  if (!packs) return undefined;
  // What is left out is told in many ways; a word that speaks of the settings is one of them.
  if (args.some((word) => /\.env|\.\*/.test(word) && !/^\.\/|^\.env/.test(word))) return [];
  if (args.some((word, at) => /^(?:--exclude|-x)$/.test(args[at - 1] ?? "") && /^\.env/.test(word)))
    return [];
  const at = args.findIndex((word) => word === "-C" || word === "--directory");
  const base = at < 0 ? "" : `${args[at + 1] ?? "."}/`;
  const named = args.filter(
    (word, i) => !word.startsWith("-") && !/^[a-zA-Z]*f$/.test(args[i - 1] ?? "") && (at < 0 || i !== at + 1),
  );
  // A name with an ending is a file.
  return named
    .filter((word) => !word.includes(UNKNOWN) && (!/\.\w+$/.test(word) || /(?:^|[/\\])\.{1,2}$/.test(word)))
    .map((word) => (/^[/~]/.test(word) ? word : `${base}${word}`));
}

/** ripgrep and ag leave names with a dot out unless they are told not to; grep does not. */
function seesHidden(program: string, args: readonly string[]): boolean {
  if (/^[ef]?grep$|^ggrep$/.test(program))
    return args.some((word) =>
      /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive$|^--directories=recurse$/.test(word),
    );
  if (program === "rg")
    return args.some((word) =>
      /^--hidden$|^-[a-zA-Z]*\.|^-[a-zA-Z]*uu+[a-zA-Z]*$|^-u$|^--unrestricted$/.test(word),
    );
  return program === "ag" && args.some((word) => /^--hidden$|^-[a-zA-Z]*[uU]|^--unrestricted$/.test(word));
}

function optionValue(word: string, next: string | undefined, name: RegExp): readonly string[] {
  const [own = word, ...value] = word.split("=");
  if (!name.test(own)) return [];
  return value.length > 0 ? [value.join("=")] : next === undefined ? [] : [next];
}

function split(args: readonly string[]): {
  readonly patterns: readonly string[];
  readonly places: readonly string[];
} {
  const patterns: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (/^(?:-e|--regexp)$/.test(word)) patterns.push(args[++at] ?? "");
    else if (word.startsWith("--regexp=")) patterns.push(word.slice(9));
    else if (VALUED.test(word)) at++;
    else if (!word.startsWith("-") || word === "-") operands.push(word);
  }
  return patterns.length > 0
    ? { patterns, places: operands }
    : { patterns: operands.slice(0, 1), places: operands.slice(1) };
}
