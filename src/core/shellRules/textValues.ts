/**
 * What a terminal text as a whole says of its names: loops, values, containers. Each command of a text asks for it, so
 * that each text is read once and in time in step with its length. Judges nothing.
 */
import type { Shell } from "../call";
import { rememberLast } from "../shell/rememberLast";

const ANY: Shell = "bash";
const perText = <Answer>(read: (text: string) => Answer): ((text: string) => Answer) => {
  const remembered = rememberLast((text) => read(text));
  return (text) => remembered(text, ANY);
};

/** Where the first of some signs stands behind a place; asked for ever later places, so that no sign is passed twice. */
function nextOf(text: string, signs: RegExp): (from: number) => number {
  const all = new RegExp(signs.source, "g");
  let found = -1;
  return (from) => {
    if (found >= from) return found;
    all.lastIndex = from;
    found = all.exec(text)?.index ?? text.length;
    return found;
  };
}

/** Names of `for f in` and `read f`. */
const loopNames = perText((text) => {
  const names = new Set<string>();
  for (const [, name = ""] of text.matchAll(/\bfor\s+(\w+)\s+in/g)) names.add(name);
  for (const [, given = ""] of text.matchAll(/\bread\b([^;|\n]*)/g))
    for (const [name] of given.matchAll(/\w+/g)) names.add(name);
  return names;
});

/** True where the text gives the name one value after the other. */
export const loops = (name: string, text: string): boolean => loopNames(text).has(name);

const loopLists = perText((text) => {
  const lists = new Map<string, string>();
  const end = nextOf(text, /[;\n]/);
  for (const found of text.matchAll(/\bfor\s+(\w+)\s+in\s+/g)) {
    const from = found.index + found[0].length;
    const name = found[1] ?? "";
    if (!lists.has(name)) lists.set(name, text.slice(from, end(from)));
  }
  return lists;
});

/** What stands behind the first `for f in`; undefined = there is none. */
export const loopList = (name: string, text: string): string | undefined => loopLists(text).get(name);

const GIVES = /(?<=^|[\s;({&|'"])(?:(\w+)=|for (\w+) in |(?=(?:read|printf -v|declare -n|mapfile)\b))/g;
const READS = /^(?:read|printf -v|declare -n|mapfile)\b/;

const firstValues = perText((text) => {
  const values = new Map<string, string>();
  const give = (name: string, value: string) => {
    if (!values.has(name)) values.set(name, value);
  };
  const end = nextOf(text, /[;\n]/);
  const endOfRead = nextOf(text, /[;\n|]/);
  let readTo = 0;
  for (const found of text.matchAll(GIVES)) {
    const name = found[1] ?? found[2];
    const from = found.index + found[0].length;
    if (name !== undefined) give(name, text.slice(from, end(from)));
    const verb = READS.exec(text.slice(found.index, found.index + 12))?.[0];
    const to = verb === undefined ? 0 : endOfRead(found.index + verb.length);
    if (verb === undefined || to <= readTo) continue;
    readTo = to;
    for (const [word] of text.slice(found.index + verb.length, to).matchAll(/\w+/g)) give(word, "");
  }
  return values;
});

/** What the text gives the name first, as it is written, "" where it is read; undefined = nothing. */
export const firstValue = (name: string, text: string): string | undefined => firstValues(text).get(name);

const containers = perText(
  (text) => new Set([...text.matchAll(/--name[ =]["']?(?=([\w.-]+))/g)].map((found) => found[1] ?? "")),
);

/** True where the text makes a container of this name. */
export const namesContainer = (name: string, text: string): boolean => containers(text).has(name);

/** The first `> "$f"` of the text, as it is written; "" = there is none. */
export const firstVariableTarget = perText((text) => />[>|]?\s*("?\$\{?\w+\}?"?)/.exec(text)?.[1] ?? "");

const BROUGHT =
  /\b(iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|downloadfile|frombase64string|webclient|start-bitstransfer)\b/i;

/** True where a text of PowerShell brings something from elsewhere, or reads what is encoded. */
export const bringsText = perText((text) => BROUGHT.test(text));
