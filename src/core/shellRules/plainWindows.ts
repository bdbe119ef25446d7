/** PowerShell and cmd text with the names of its commands taken back: joined texts, variables, script blocks made of texts. Knows no command's effect. */

const MAX_TEXT = 65_536;
const QUOTED = String.raw`(?:'([^'\n]*)'|"([^"$\n]*)")`;

/** The same text, as far as its words tell it; the text itself where nothing is hidden. */
export function plainWindows(text: string): string {
  if (text.length > MAX_TEXT) return text;
  const joined = formatted(joinedTexts(text));
  return blocksOpened(commandsNamed(valuesPut(joined)));
}

/** `'Remove'+'-Item'` */
function joinedTexts(text: string): string {
  let out = text;
  for (let round = 0; round < 8; round++) {
    const next = out.replace(
      /(['"])([^'"$\n]*)\1\s*\+\s*(['"])([^'"$\n]*)\3/g,
      (_, q: string, a: string, _r: string, b: string) => `${q}${a}${b}${q}`,
    );
    if (next === out) break;
    out = next;
  }
  return out.replace(
    /\(\s*(['"][^'"$\n]*['"](?:\s*,\s*['"][^'"$\n]*['"])+)\s*\)?\s*-join\s*(['"])([^'"]*)\2\s*\)?/g,
    (_, list: string, _q: string, by: string) =>
      `'${[...list.matchAll(/['"]([^'"]*)['"]/g)].map((found) => found[1] ?? "").join(by)}'`,
  );
}

/** `"{1}-{0}" -f 'Item','Remove'` */
function formatted(text: string): string {
  return text.replace(
    /(['"])([^'"\n]*\{\d\}[^'"\n]*)\1\s*-f\s*((?:\s*,?\s*['"][^'"\n]*['"])+)/gi,
    (_, _q: string, format: string, list: string) => {
      const words = [...list.matchAll(/['"]([^'"]*)['"]/g)].map((found) => found[1] ?? "");
      return `'${format.replace(/\{(\d)\}/g, (_whole, at: string) => words[Number(at)] ?? "")}'`;
    },
  );
}

/** `$x='Remove-Item'; & $x src`, `set x=rd& call %x% /s src` */
function valuesPut(text: string): string {
  let out = text;
  for (const [, name = "", one, two] of text.matchAll(new RegExp(String.raw`\$(\w+)\s*=\s*${QUOTED}`, "g"))) {
    const value = one ?? two ?? "";
    if (!/^[\w-]+$/.test(value)) continue;
    out = out.replace(new RegExp(String.raw`[&.]\s*\$\{?${name}\}?(?!\w)`, "gi"), () => value);
  }
  for (const [, name = "", value = ""] of text.matchAll(/\bset\s+"?(\w+)=([\w-]+)"?\s*(?=&|\r?\n|$)/gi))
    out = out.replace(new RegExp(`(?:call\\s+)?(?:%${name}%|!${name}!)`, "gi"), () => value);
  return out;
}

/** `&('Remove-Item')`, `& (gcm Remove-It*)` */
function commandsNamed(text: string): string {
  return text
    .replace(
      new RegExp(String.raw`[&.]\s*\(\s*${QUOTED}\s*\)`, "g"),
      (_, one?: string, two?: string) => one ?? two ?? "",
    )
    .replace(
      /[&.]\s*\(\s*(?:gcm|get-command|gal|get-alias)\s+(?:-name\s+)?['"]?([\w*?-]+)['"]?\s*\)/gi,
      (_, name: string) => (/^(?:re?m?|ri|r[*?])/i.test(name) && /[*?]/.test(name) ? "Remove-Item" : name),
    );
}

/** `[scriptblock]::Create('…')`, `'…' | iex`, `[Diagnostics.Process]::Start('cmd','/c …')` */
function blocksOpened(text: string): string {
  return text
    .replace(
      new RegExp(
        String.raw`(?:\[scriptblock\]::create|\.invokescript|\.newscriptblock)\(\s*${QUOTED}\s*\)`,
        "gi",
      ),
      (_, one?: string, two?: string) => `; ${one ?? two ?? ""} ;`,
    )
    .replace(
      new RegExp(String.raw`${QUOTED}\s*\|\s*(?:iex|invoke-expression)\b`, "gi"),
      (_, one?: string, two?: string) => `; ${one ?? two ?? ""} ;`,
    )
    .replace(
      new RegExp(String.raw`\[[\w.]*process\]::start\(\s*${QUOTED}\s*(?:,\s*${QUOTED}\s*)?\)`, "gi"),
      (_, a?: string, b?: string, c?: string, d?: string) => `; ${a ?? b ?? ""} ${c ?? d ?? ""} ;`,
    );
}
