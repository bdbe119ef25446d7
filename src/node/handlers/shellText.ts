/** Puts what a shell text says of its own folder in plain words, so that a path made of it can be read. Runs nothing. */

export interface ScriptPlace {
  /** Folder of the file that the text stands in. */
  readonly own: string;
  /** Folder of the script that was started: that is what `$0` is about, also in a file that it reads in. */
  readonly main: string;
}

const END = String.raw`\s*(?:>\s*\/dev\/null\s*(?:2>&1)?\s*)?`;
const dirnameOf = (name: string) => String.raw`\$\(\s*dirname\s+(?:--\s+)?"?${name}"?\s*\)`;
const MAIN = String.raw`(?:\$0|\$\{0\})`;
const OWN = String.raw`(?:\$BASH_SOURCE|\$\{BASH_SOURCE(?:\[0\])?\}|\$\{\.sh\.file\}|\$\{BASH_SOURCE\[0\]:-\$0\})`;

function folderForms(name: string, cut: string): readonly RegExp[] {
  const plain = `(?:${dirnameOf(name)}|${cut})`;
  const pwd = String.raw`\s*(?:&&|;)\s*pwd(?:\s+-[PL])?\s*`;
  return [
    new RegExp(
      String.raw`\$\(\s*(?:CDPATH=\s+)?cd\s+(?:-[PL]\s+)?(?:--\s+)?"?${plain}((?:\/[\w./-]*)?)"?${END}${pwd}\)`,
      "g",
    ),
    new RegExp(plain, "g"),
  ];
}

const MAIN_FORMS = folderForms(MAIN, String.raw`\$\{0%\/\*\}`);
const OWN_FORMS = folderForms(OWN, String.raw`\$\{BASH_SOURCE(?:\[0\])?%\/\*\}`);

/** Lines stay where they are. */
export function inPlainWords(text: string, { own, main }: ScriptPlace): string {
  if (![own, main].every((folder) => /^[\w./ @+,:=~-]*$/u.test(folder))) return text;
  let plain = text;
  for (const [folder, forms] of [
    [main, MAIN_FORMS],
    [own, OWN_FORMS],
  ] as const) {
    for (const form of forms)
      plain = plain.replace(form, (_, below: unknown) => folder + (typeof below === "string" ? below : ""));
  }
  return withConstants(plain);
}

const CONSTANT =
  /^[ \t]*(?:readonly[ \t]+|export[ \t]+|local[ \t]+)?([A-Za-z_]\w*)=(?:"([\w./ @+,:=~-]*)"|'([\w./ @+,:=~-]*)'|([\w./@+,:=~-]+))[ \t]*(?:;|#.*)?$/gm;

/** A variable that the text sets once, to a text, is that text. */
function withConstants(text: string): string {
  let plain = text;
  for (const [, name = "", double, single, bare] of text.matchAll(CONSTANT)) {
    const set = new RegExp(
      String.raw`\b${name}\b(?:\[[^\]]*\])?[+:?-]?=|\b(?:read|for|getopts|mapfile|unset)\b[^\n;]*\b${name}\b|\$\{${name}[:=%#/^,]`,
      "g",
    );
    if ((plain.match(set) ?? []).length !== 1) continue;
    const value = double ?? single ?? bare ?? "";
    plain = plain.replace(new RegExp(String.raw`\$(?:\{${name}\}|${name}\b)`, "g"), () => value);
  }
  return plain;
}
