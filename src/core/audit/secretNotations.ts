/** Where a value stands that does not follow its name at once: XML elements, name/value pairs, folded YAML. Looks at a bounded stretch behind the name. */
import type { Name } from "./secretValues";

type Range = [number, number];

const MAX_VALUE = 8192;

/** `<password>x</password>`: the value up to the element's end. */
export function elementValues(text: string): (name: Name) => Range | undefined {
  /** The first `</` at or behind the last place asked for: names are asked for in their order. */
  let next = -1;
  /** The last kind of end looked for, and where it was found: one name over and over is looked for once. */
  let close = "";
  let closeAt = -1;
  return (name) => {
    const start = name.end + 1;
    if (text[name.start - 1] !== "<" || text[name.end] !== ">") return undefined;
    if (next < start) next = text.indexOf("</", start);
    if (next === -1) next = Number.POSITIVE_INFINITY;
    if (next > start + MAX_VALUE) return undefined;
    const own = `</${text.slice(name.start, name.end)}`;
    if (own !== close || closeAt < start) {
      closeAt = text.indexOf(own, start);
      if (closeAt === -1) closeAt = Number.POSITIVE_INFINITY;
    }
    close = own;
    return closeAt === start || closeAt > start + MAX_VALUE ? undefined : [start, closeAt];
  };
}

/** Behind a name: `"name": "X", "value": "x"`, `- name: X` and `value: x` on the next line, `key="X" value="x"`. */
const NEIGHBOUR = /^\\?["']?[ \t]{0,8},?\s{0,32}\\?["']?value\\?["']?[ \t]{0,8}[:=][ \t]{0,8}(\\{0,3}["'])?/i;
const BEFORE = /(?:name|key|header)\\?["']?[ \t]{0,8}[:=][ \t]{0,8}\\?["']?[\w.-]{0,64}$/i;

export function valueOfNeighbour(text: string, name: Name): Range | undefined {
  const head = NEIGHBOUR.exec(text.slice(name.end, name.end + 80));
  if (head === null || !BEFORE.test(text.slice(Math.max(0, name.start - 100), name.start))) return undefined;
  const start = name.end + head[0].length;
  const quote = head[1];
  const rest = text.slice(start, start + MAX_VALUE);
  const length = quote === undefined ? rest.search(/[\r\n,}]/) : rest.indexOf(quote);
  const end = start + (length === -1 ? rest.length : length);
  return end === start ? undefined : [start, end];
}

/** `|`, `>-` and the like, and the lines below that stand further in. */
export function foldedValues(text: string): (at: number) => Range | undefined {
  /** The block walked last: a value within it ends where it ends. */
  let known = { indent: "", start: -1, end: -1 };
  return (at) => {
    const sign = text[at];
    if (sign !== "|" && sign !== ">") return undefined;
    const head = /^[|>][+-]?\d?[ \t]{0,8}\r?\n(?=([ \t]{1,64})\S)/.exec(text.slice(at, at + 100));
    const indent = head?.[1];
    if (head === null || indent === undefined) return undefined;
    const start = at + head[0].length + indent.length;
    if (indent !== known.indent || start < known.start || start >= known.end)
      known = { indent, start, end: blockEnd(text, start, indent) };
    const whole = Math.min(known.end, start + MAX_VALUE);
    return [start, start + text.slice(start, whole).trimEnd().length];
  };
}

function blockEnd(text: string, start: number, indent: string): number {
  let end = text.indexOf("\n", start);
  while (end !== -1 && text.startsWith(indent, end + 1)) end = text.indexOf("\n", end + 1);
  return end === -1 ? text.length : end;
}
