/** The files that curl and wget read and write beside their plain options. Knows no file system. */
import type { NamedPath } from "./commandPaths";

/** `-d @file`, `-F name=@file`, `-b file` and `file:` addresses read; `-O` writes the last name of the address. */
export function curlPaths(args: readonly string[]): readonly NamedPath[] {
  const keeps = args.some((word) => /^(-[a-zA-Z]*O[a-zA-Z]*|--remote-name(-all)?)$/.test(word));
  const folder = optionValue(args, "--output-dir");
  return args.flatMap((word, i): readonly NamedPath[] => {
    if (/^file:/i.test(word)) return [{ text: word, action: "read" }];
    const before = args[i - 1] ?? "";
    // A cookie holds a "="; without one it is a file of cookies.
    if (/^(-b|--cookie)$/.test(before) && !word.includes("=")) return [{ text: word, action: "read" }];
    const encoded = before === "--data-urlencode" ? /^[\w.-]*@(.+)$/s.exec(word) : null;
    const at = encoded ?? /^(?:-d|-F|--?[\w-]*=)?(?:[\w.-]+=)?[@<]([^;]+)/s.exec(word);
    if (at !== null) return at[1] === "-" ? [] : [{ text: at[1] ?? "", action: "read" }];
    return keeps ? saved(word, folder) : [];
  });
}

/** Without `-O` each address is kept under its last name. */
export function wgetPaths(args: readonly string[]): readonly NamedPath[] {
  const named = args.some((word) => /^(-[a-zA-Z]*O|--output-document)/.test(word));
  const folder = optionValue(args, "-P") ?? optionValue(args, "--directory-prefix");
  return named ? [] : args.flatMap((word) => saved(word, folder));
}

function saved(word: string, folder: string | undefined): readonly NamedPath[] {
  const name = /^[a-z]+:\/\/[^/?#]+\/(?:[^?#]*\/)?([^/?#]+)/i.exec(word)?.[1];
  if (name === undefined) return [];
  return [{ text: folder === undefined ? name : `${folder.replace(/\/$/, "")}/${name}`, action: "write" }];
}

function optionValue(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at >= 0
    ? args[at + 1]
    : args.find((word) => word.startsWith(`${option}=`))?.slice(option.length + 1);
}
