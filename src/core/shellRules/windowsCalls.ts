/** Calls of .NET and COM in PowerShell text that remove, empty or hide what runs. Knows no grammar. */
import { isDisposable } from "./disposable";

const REMOVES =
  /\[(?:system\.)?(?:io\.)?(?:directory|file|fileinfo|directoryinfo)\]::(?:delete|move)\s*\(([^)]*)|\]::delete(?:directory|file)\s*\(([^)]*)|\.delete(?:folder|file|tree)?\s*\(([^)]*)|::writeall(?:text|bytes|lines)\s*\(((?:(?!::writeall)[^),])*),\s*(?:''|""|@\(\)|\[byte\[\]\]@?\(?\)?)\s*\)/gi;
const HIDES =
  /(?:\[scriptblock\]::create|\.invokescript|\.newscriptblock)\s*\(\s*(?!['"])|(?:^|[;|{(\s])(?:iex|invoke-expression)\s*\(\s*(?:gc|get-content|cat|type|\$|\[io)|\$\w+\s*\|\s*(?:iex|invoke-expression)\b/i;
const READS_FILE = /(?:gc|get-content|cat|type)\s/i;
const EVALUATES = /^\s*(?:iex|invoke-expression)\b/i;

/** True where a call takes what a build does not make again. */
export function callsRemove(text: string): boolean {
  return [...text.matchAll(REMOVES)].some((found) => {
    const given = found.slice(1).find((group) => group !== undefined) ?? "";
    const paths = [...given.matchAll(/['"]([^'"]+)['"]/g)].map((path) => path[1] ?? "");
    return paths.length === 0 || !paths.every((path) => isDisposable(path, { taken: "deep" }));
  });
}

/** True where a text that nobody can see is run as PowerShell. */
export function callsHidden(text: string): boolean {
  return HIDES.test(text) || text.split(/[;\n]/).some(pipesFile);
}

/** `gc x.ps1 | iex`, `gc x.ps1 | Out-String | iex` */
function pipesFile(line: string): boolean {
  const parts = line.split("|");
  return parts.some((part, at) => {
    if (!EVALUATES.test(part)) return false;
    const before = parts[at - 1] ?? "";
    const source = /^\s*out-string\s*$/i.test(before) ? parts[at - 2] : before;
    return READS_FILE.test(source ?? "");
  });
}
