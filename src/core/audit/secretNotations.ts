/** Where a value stands that does not follow its name at once: XML elements, name/value pairs, folded YAML. Looks at a bounded stretch behind the name. */
import type { Name } from "./secretValues";

type Range = [number, number];

const MAX_VALUE = 8192;

/** `<password>x</password>`: the value up to the element's end. */
export function elementValues(text: string): (name: Name) => Range | undefined {
  /** The first `</` at or behind the last place asked for: names are asked for in their order. */
  let next = -1;
  return (name) => {
    const start = name.end + 1;
    if (text[name.start - 1] !== "<" || text[name.end] !== ">") return undefined;
    if (next < start) next = text.indexOf("</", start);
    if (next === -1) next = Number.POSITIVE_INFINITY;
    return next > start + MAX_VALUE ? undefined : valueOfElement(text, name);
  };
}

function valueOfElement(text: string, name: Name): Range | undefined {
  const start = name.end + 1;
  const close = `</${text.slice(name.start, name.end)}`;
  const end = text.slice(start, start + MAX_VALUE).indexOf(close);
  return end < 1 ? undefined : [start, start + end];
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
export function foldedValue(text: string, at: number): Range | undefined {
  const head = /^[|>][+-]?\d?[ \t]{0,8}\r?\n(?=([ \t]{1,64})\S)/.exec(text.slice(at, at + 100));
  const indent = head?.[1];
  if (head === null || indent === undefined) return undefined;
  const start = at + head[0].length + indent.length;
  const stop = Math.min(text.length, start + MAX_VALUE);
  let end = text.indexOf("\n", start);
  while (end !== -1 && end < stop && text.startsWith(indent, end + 1)) end = text.indexOf("\n", end + 1);
  const whole = end === -1 ? text.length : Math.min(end, stop);
  return [start, start + text.slice(start, whole).trimEnd().length];
}
