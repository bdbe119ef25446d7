/** One search for many gates: most texts hold none of them, and a look at each three characters tells where one may begin. Knows nothing of what the gates are for. */

/** Character codes that may stand at a place; undefined = any. */
type Place = readonly number[] | undefined;

const BITS = 5;
const MASK = (1 << BITS) - 1;
/** How many characters are looked at together. */
const LOOK = 3;
const TABLE = (1 << (BITS * LOOK)) - 1;

/**
 * Tells for each group of gates whether one of them matches, bit n for group n: what `group.some((gate) => gate.test(text))`
 * says. All gates of a group have the same flags, none or `i`.
 */
export function gateSearch(groups: readonly (readonly RegExp[])[]): (text: string) => number {
  const here = groups.map((gates) => {
    const whole = gates.map(({ source }) => `(?:${source})`).join("|");
    return new RegExp(whole, `${gates[0]?.flags ?? ""}y`);
  });
  const starts = new Uint8Array(1 << (BITS * LOOK));
  for (const [n, gates] of groups.entries())
    for (const { source } of gates) for (const start of startsOf(source)) mark(starts, start, 1 << n);
  const all = (1 << groups.length) - 1;

  /** The groups of `wanted` that match at this place. */
  function matchesAt(text: string, at: number, wanted: number): number {
    let found = 0;
    for (const [n, gate] of here.entries()) {
      if ((wanted & (1 << n)) === 0) continue;
      gate.lastIndex = at;
      if (gate.test(text)) found |= 1 << n;
    }
    return found;
  }

  return (text) => {
    const { length } = text;
    let found = 0;
    // Behind the end stands 0: where a gate may end early, its mark holds for any character.
    let seen = ((text.charCodeAt(0) & MASK) << BITS) | (text.charCodeAt(1) & MASK);
    for (let i = 0; i < length; i += 1) {
      const next = i + LOOK - 1;
      seen = ((seen << BITS) | (next < length ? text.charCodeAt(next) & MASK : 0)) & TABLE;
      const wanted = (starts[seen] ?? 0) & ~found;
      if (wanted === 0) continue;
      found |= matchesAt(text, i, wanted);
      if (found === all) return found;
    }
    return found;
  };
}

function mark(starts: Uint8Array, places: readonly Place[], bit: number): void {
  const any = Array.from({ length: MASK + 1 }, (_, code) => code);
  let keys = [0];
  for (let i = 0; i < LOOK; i += 1) {
    const codes = new Set((places[i] ?? any).map((code) => code & MASK));
    keys = keys.flatMap((key) => [...codes].map((code) => (key << BITS) | code));
  }
  for (const key of keys) starts[key] = (starts[key] ?? 0) | bit;
}

/** How each alternative may begin; of what is not understood, any way. */
function startsOf(source: string): (readonly Place[])[] {
  return alternatives(source).flatMap((text) => extend([[]], text));
}

/** Splits at each `|` outside groups and classes. */
function alternatives(source: string): string[] {
  const parts = [""];
  for (let i = 0, depth = 0; i < source.length; i += 1) {
    const unit = atomAt(source, i);
    if (unit === "(") depth += 1;
    else if (unit === ")") depth -= 1;
    if (unit === "|" && depth === 0) parts.push("");
    else parts[parts.length - 1] += unit;
    i += unit.length - 1;
  }
  return parts;
}

/** An escape, a class, or one character. */
function atomAt(source: string, at: number): string {
  if (source[at] === "\\") return source.slice(at, at + 2);
  const isClass = source[at] === "[";
  return (isClass ? /^\[\^?(?:\\.|[^\]\\])*\]/.exec(source.slice(at))?.[0] : undefined) ?? source[at] ?? "";
}

function extend(before: readonly (readonly Place[])[], rest: string): (readonly Place[])[] {
  if (rest === "" || before.every((places) => places.length >= LOOK)) return [...before];
  const word = /^\\b/.exec(rest)?.[0];
  if (word !== undefined) return extend(before, rest.slice(word.length));
  if (rest.startsWith("(?:")) {
    const end = groupEnd(rest);
    // A group that may be missing or come twice ends what is known.
    if (end === -1 || isRepeated(rest, end)) return [...before];
    // Where the group is short, what follows it is left open.
    return alternatives(rest.slice(3, end - 1)).flatMap((text) => extend(before, text));
  }
  const atom = atomAt(rest, 0);
  const codes = codesOf(atom);
  if (codes === undefined || isRepeated(rest, atom.length)) return [...before];
  return extend(
    before.map((places) => [...places, codes]),
    rest.slice(atom.length),
  );
}

function groupEnd(source: string): number {
  for (let i = 0, depth = 0; i < source.length; ) {
    const unit = atomAt(source, i);
    i += unit.length;
    if (unit === "(") depth += 1;
    if (unit === ")") depth -= 1;
    if (depth === 0) return i;
  }
  return -1;
}

function isRepeated(source: string, at: number): boolean {
  return /^[?*+{]/.test(source.slice(at));
}

/** Undefined = not known. */
function codesOf(atom: string): Place {
  if (/^[\^$.()|*+?{}]$/.test(atom)) return undefined;
  if (atom.length === 1) return [atom.charCodeAt(0)];
  if (/^\\[^A-Za-z0-9]$/.test(atom)) return [atom.charCodeAt(1)];
  if (atom === "\\d") return codesBetween(48, 57);
  if (!/^\[[^^\\]*\]$/.test(atom)) return undefined;
  return [...atom.slice(1, -1).matchAll(/(.)-(.)|./gs)].flatMap(([text, from, to]) =>
    from === undefined || to === undefined
      ? [text.charCodeAt(0)]
      : codesBetween(from.charCodeAt(0), to.charCodeAt(0)),
  );
}

function codesBetween(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
