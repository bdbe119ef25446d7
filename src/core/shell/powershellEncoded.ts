/** Reads the text that PowerShell is given as base64 of UTF-16. Knows no command. */

const OPTION = /^[-/]e(?:c|n(?:c(?:o(?:d(?:e(?:d(?:c(?:o(?:m(?:m(?:a(?:nd?)?)?)?)?)?)?)?)?)?)?)?)?$/i;

/** None where there is no such option, or its value cannot be read. */
export function encodedTexts(argv: readonly (string | null)[]): readonly string[] {
  const at = argv.findIndex((word, index) => index > 0 && OPTION.test(word ?? ""));
  const value = at < 0 ? undefined : argv[at + 1];
  if (typeof value !== "string" || !/^[A-Za-z0-9+/\s]+={0,2}$/.test(value)) return [];
  const letters = value.replace(/[\s=]/g, "");
  if (letters.length % 4 === 1) return [];
  const bytes = atob(letters);
  let text = "";
  for (let i = 0; i + 1 < bytes.length; i += 2)
    text += String.fromCharCode(bytes.charCodeAt(i) | (bytes.charCodeAt(i + 1) << 8));
  return [text];
}
