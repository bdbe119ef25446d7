/** Shell texts that git, npm and GNU parallel are given to run. Knows no client. */
import type { Shell } from "../call";
import { programName } from "./command";
import { joined, type NestedText, quote } from "./nestedText";

/** Each word behind `:::` is put at the end of the command in its turn; without a command it is one. */
export function parallelTexts(argv: readonly (string | null)[], shell: Shell): readonly NestedText[] {
  const list = argv.findIndex((word) => /^:::/.test(word ?? ""));
  if (list < 0) {
    const own = argv.slice(1);
    const first = own.findIndex((word, at) => !isParallelOption(word, own[at - 1]));
    const command =
      first < 0 ? [] : own.slice(first).map((word) => word?.replace(/\{[\d./#]*\}/g, '"$UNKNOWN"') ?? null);
    // What it reads is put at the end, or where a pair of braces stands.
    const adds = command.every((word) => word?.includes("$UNKNOWN") !== true);
    return command.length === 0 ? [] : joined(adds ? [...command, null] : command, shell);
  }
  const before = argv.slice(1, list);
  const given = argv.slice(list + 1, list + 1 + MAX_GIVEN);
  const start = before.findIndex((word, at) => !isParallelOption(word, before[at - 1]));
  if (start < 0) return given.flatMap((word) => joined([word], shell));
  const quoted = given.flatMap((word) => (word === null ? [] : [quote(word)]));
  return [null, ...quoted].flatMap((word) => joined([...before.slice(start), word], shell));
}

const MAX_GIVEN = 20;

function isParallelOption(word: string | null | undefined, last: string | null | undefined): boolean {
  return (
    /^-/.test(word ?? "") ||
    /^(?:-[jnNLSPaI]|--arg-file|--jobs|--delay|--timeout|--retries|--colsep)$/.test(last ?? "")
  );
}

/** Git runs commands between commits and in its modules. */
export function gitTexts(argv: readonly (string | null)[]): readonly NestedText[] {
  const run = argv.includes("bisect") ? argv.indexOf("run") : -1;
  if (run > 0) return asWords(argv.slice(run + 1));
  const each = argv.includes("submodule") ? argv.indexOf("foreach") : -1;
  if (each > 0) {
    const words = argv.slice(each + 1);
    const start = words.findIndex((word) => !/^--?[\w-]+$/.test(word ?? ""));
    const own = start < 0 ? [] : words.slice(start);
    // One word is a shell text.
    return own.length === 1 ? joined(own, "sh") : asWords(own);
  }
  if (argv.includes("rebase")) return everyOption(argv, /^(?:-x|--exec)$/);
  return argv.includes("filter-branch") ? everyOption(argv, /^--[\w]+-filter$/) : [];
}

function asWords(words: readonly (string | null)[]): readonly NestedText[] {
  if (words.length === 0) return [];
  return [{ text: words.map((word) => (word === null ? '"$UNKNOWN"' : quote(word))).join(" "), shell: "sh" }];
}

function everyOption(argv: readonly (string | null)[], option: RegExp): readonly NestedText[] {
  return argv.flatMap((word, at) => {
    const [name = "", ...value] = word?.split("=") ?? [];
    if (!option.test(name)) return [];
    return joined([value.length > 0 ? value.join("=") : (argv[at + 1] ?? null)], "sh");
  });
}

/** `npx -c '..'`, `npm exec --call='..'`, `pnpm -c exec '..'` */
export function calledText(argv: readonly (string | null)[]): readonly NestedText[] {
  const at = argv.findIndex((word) => /^(?:exec|x)$/.test(word ?? ""));
  const name = programName(argv[0]);
  if (name === "pnpm")
    return at > 0 && argv.some((word) => word === "-c" || word === "--shell-mode")
      ? joined(
          argv.slice(at + 1).filter((word) => word !== "-c"),
          "sh",
        )
      : [];
  if (at < 0 && name === "npm") return [];
  // Behind the package's name stand options of its own.
  const own = argv.findIndex(
    (word, index) => index > Math.max(at, 0) && !isRunnerWord(word, argv[index - 1]),
  );
  return everyOption(own < 0 ? argv : argv.slice(0, own), /^(?:-c|--call)$/);
}

function isRunnerWord(word: string | null | undefined, last: string | null | undefined): boolean {
  return /^-/.test(word ?? "") || /^(?:-[cpw]|--call|--package|--workspace)$/.test(last ?? "");
}
