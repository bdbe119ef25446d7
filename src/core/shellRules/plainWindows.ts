/** PowerShell and cmd text with the names of its commands taken back: joined texts, variables, script blocks made of texts. Knows no command's effect. */
import { textsPut } from "./joinedTexts";

const MAX_TEXT = 65_536;
const QUOTED = String.raw`(?:'([^'\n]*)'|"([^"$\n]*)")`;
/** A longer value names no command. */
const LONGEST_NAME = 100;

/** The same text, as far as its words tell it; the text itself where nothing is hidden. Costs time in step with its length. */
export function plainWindows(text: string): string {
  if (text.length > MAX_TEXT) return text;
  // Every pattern below may pass over blanks in more than one way: there are never many.
  const tight = text.replace(/\s+/g, (blanks) => (blanks.includes("\n") ? "\n" : " "));
  const plain = blocksOpened(commandsNamed(valuesPut(textsPut(tight))));
  return plain === tight ? text : plain;
}

/** `$x='Remove-Item'; & $x src`, `set x=rd& call %x% /s src` */
function valuesPut(text: string): string {
  const values = new Map<string, string>();
  // What a name is given first is what its first use means.
  const give = (name: string, value: string) => {
    const key = name.toLowerCase();
    if (!values.has(key) && value.length <= LONGEST_NAME) values.set(key, value);
  };
  for (const [, name = "", one, two] of text.matchAll(ASSIGNED)) {
    const value = one ?? two ?? "";
    if (/^[\w-]+$/.test(value)) give(`$${name}`, value);
  }
  for (const [, name = "", value = ""] of text.matchAll(SET)) give(`%${name}`, value);
  if (values.size === 0) return text;
  return text
    .replace(
      /[&.]\s*\$\{?(\w+)\}?(?!\w)/g,
      (whole, name: string) => values.get(`$${name.toLowerCase()}`) ?? whole,
    )
    .replace(
      /(?:call\s+)?(?:%(\w+)%|!(\w+)!)/gi,
      (whole, one?: string, two?: string) => values.get(`%${(one ?? two ?? "").toLowerCase()}`) ?? whole,
    );
}

const ASSIGNED = new RegExp(String.raw`\$(\w+)\s*=\s*${QUOTED}`, "g");
const SET = /\bset\s+"?(\w+)=([\w-]+)"?\s*(?=&|\r?\n|$)/gi;

/** `&('Remove-Item')`, `& (gcm Remove-It*)` */
function commandsNamed(text: string): string {
  return text
    .replace(NAMED, (_, one?: string, two?: string) => one ?? two ?? "")
    .replace(
      /[&.]\s*\(\s*(?:gcm|get-command|gal|get-alias)\s+(?:-name\s+)?['"]?([\w*?-]+)['"]?\s*\)/gi,
      (_, name: string) => (/^(?:re?m?|ri|r[*?])/i.test(name) && /[*?]/.test(name) ? "Remove-Item" : name),
    );
}

const NAMED = new RegExp(String.raw`[&.]\s*\(\s*${QUOTED}\s*\)`, "g");

/** `[scriptblock]::Create('…')`, `'…' | iex`, `[Diagnostics.Process]::Start('cmd','/c …')` */
function blocksOpened(text: string): string {
  return text
    .replace(MADE, (_, one?: string, two?: string) => `; ${one ?? two ?? ""} ;`)
    .replace(PIPED, (_, one?: string, two?: string) => `; ${one ?? two ?? ""} ;`)
    .replace(
      STARTED,
      (_, a?: string, b?: string, c?: string, d?: string) => `; ${a ?? b ?? ""} ${c ?? d ?? ""} ;`,
    );
}

const MADE = new RegExp(
  String.raw`(?:\[scriptblock\]::create|\.invokescript|\.newscriptblock)\(\s*${QUOTED}\s*\)`,
  "gi",
);
const PIPED = new RegExp(String.raw`${QUOTED}\s*\|\s*(?:iex|invoke-expression)\b`, "gi");
const STARTED = new RegExp(
  String.raw`\[[\w.]*process\]::start\(\s*${QUOTED}\s*(?:,\s*${QUOTED}\s*)?\)`,
  "gi",
);
