/** The difference of two texts as a person reads it: lines with `+` and `-`, three lines around, as `diff -u` writes it. Pure. */

const AROUND = 3;

interface Line {
  readonly sign: " " | "+" | "-";
  readonly text: string;
}

/** Empty where nothing differs. `name` stands in the heading. */
export function lineDiff(name: string, before: string, after: string): readonly string[] {
  if (before === after) return [];
  const lines = compared(before === "" ? [] : before.split("\n"), after === "" ? [] : after.split("\n"));
  const out: string[] = [`--- ${name}`, `+++ ${name}`];
  let shownTo = 0;
  lines.forEach((line, index) => {
    if (line.sign === " ") return;
    const from = Math.max(shownTo, index - AROUND);
    if (from > shownTo || shownTo === 0) out.push("@@");
    for (const near of lines.slice(from, index + 1)) out.push(near.sign + near.text);
    shownTo = index + 1;
    const next = lines.slice(shownTo).findIndex(({ sign }) => sign !== " ");
    const tail = next < 0 ? AROUND : Math.min(AROUND, next);
    for (const near of lines.slice(shownTo, shownTo + tail)) out.push(near.sign + near.text);
    shownTo += Math.min(tail, lines.length - shownTo);
  });
  return out;
}

/** Equal ends are set aside; what lies between is compared as a whole, by the longest common run of lines. */
function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const rest = Math.min(before.length, after.length) - head;
  while (tail < rest && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const same = (texts: readonly string[]): Line[] => texts.map((text) => ({ sign: " ", text }));
  return [
    ...same(before.slice(0, head)),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

const MOST_CELLS = 4_000_000;

function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const gone = (text: string): Line => ({ sign: "-", text });
  const come = (text: string): Line => ({ sign: "+", text });
  if (before.length * after.length > MOST_CELLS) return [...before.map(gone), ...after.map(come)];
  const width = after.length + 1;
  const length = new Uint32Array((before.length + 1) * width);
  const at = (b: number, a: number): number => length[b * width + a] ?? 0;
  for (let b = before.length - 1; b >= 0; b -= 1)
    for (let a = after.length - 1; a >= 0; a -= 1)
      length[b * width + a] =
        before[b] === after[a] ? at(b + 1, a + 1) + 1 : Math.max(at(b + 1, a), at(b, a + 1));
  const lines: Line[] = [];
  let [b, a] = [0, 0];
  while (b < before.length || a < after.length) {
    const [old = "", now = ""] = [before[b], after[a]];
    if (b < before.length && a < after.length && old === now) {
      lines.push({ sign: " ", text: old });
      [b, a] = [b + 1, a + 1];
    } else if (a < after.length && (b === before.length || at(b, a + 1) > at(b + 1, a))) {
      lines.push(come(now));
      a += 1;
    } else {
      lines.push(gone(old));
      b += 1;
    }
  }
  return lines;
}
