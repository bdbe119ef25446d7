/** Calls of .NET and COM in PowerShell text that remove, empty or hide what runs. Knows no grammar. */
import { isDisposable } from "./disposable";

const REMOVES =
  /\[(?:system\.)?(?:io\.)?(?:directory|file|fileinfo|directoryinfo)\]::(?:delete|move)\s*\(([^)]*)|\]::delete(?:directory|file)\s*\(([^)]*)|\.delete(?:folder|file|tree)?\s*\(([^)]*)|::writeall(?:text|bytes|lines)\s*\(([^),]*),\s*(?:''|""|@\(\)|\[byte\[\]\]@?\(?\)?)\s*\)/gi;
const HIDES =
  /(?:\[scriptblock\]::create|\.invokescript|\.newscriptblock)\s*\(\s*(?!['"])|(?:^|[;|{(\s])(?:iex|invoke-expression)\s*\(\s*(?:gc|get-content|cat|type|\$|\[io)|(?:gc|get-content|cat|type)\s[^|;\n]*\|\s*(?:out-string\s*\|\s*)?(?:iex|invoke-expression)\b|\$\w+\s*\|\s*(?:iex|invoke-expression)\b/i;

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
  return HIDES.test(text);
}
