/** Other ways to read the same text: with its escapes undone, and what its base64 and hex runs say. A secret spelt so is found where it stands. Knows no secret. Linear in the text. */

export interface TextView {
  readonly text: string;
  /** Where a stretch of the view stands in the text it was made of. */
  readonly place: (start: number, end: number) => readonly [number, number];
}

const HAS_ESCAPE = /%[2-7][0-9A-Fa-f]|\\(?:u00|x)[2-7]|[A-Za-z0-9](?:''|"")[A-Za-z0-9]/;
/** `%67`, `\u0067` and `\x67` of printable signs, and the seam of two quoted halves. */
const ESCAPE =
  /%([2-7][0-9A-Fa-f])|\\{1,4}(?:u00|x)([2-7][0-9A-Fa-f])|(?<=[A-Za-z0-9])(?:''|"")(?=[A-Za-z0-9])/g;
const RUN = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
const HEX = /^(?:[0-9a-f]{2}){12,}$/i;

/** At most two; none for most texts. */
export function textViews(text: string): TextView[] {
  const views: TextView[] = [];
  if (HAS_ESCAPE.test(text)) views.push(unescaped(text));
  if (hasRun(text)) {
    const view = decodedRuns(text);
    if (view !== undefined) views.push(view);
  }
  return views;
}

const DIGITS = new Int8Array(128).fill(-1);
for (const [value, sign] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
  DIGITS[sign.charCodeAt(0)] = value;
DIGITS[0x2d] = 62;
DIGITS[0x5f] = 63;

const MIN_RUN = 24;

/** As `RUN` would find one; looks at one sign in `MIN_RUN` of most texts. */
function hasRun(text: string): boolean {
  for (let i = MIN_RUN - 1; i < text.length; ) {
    let at = i;
    while (at > i - MIN_RUN && isRunUnit(text.charCodeAt(at))) at -= 1;
    if (at === i - MIN_RUN) return true;
    i = at + MIN_RUN;
  }
  return false;
}

function isRunUnit(unit: number): boolean {
  return unit < 128 && (DIGITS[unit] ?? -1) !== -1;
}

function unescaped(text: string): TextView {
  // Where each part of the view begins, in the view and in the text.
  const inView: number[] = [0];
  const inText: number[] = [0];
  let out = "";
  let at = 0;
  for (const m of text.matchAll(ESCAPE)) {
    out += text.slice(at, m.index);
    const code = m[1] ?? m[2];
    if (code !== undefined) {
      inView.push(out.length);
      inText.push(m.index);
      out += String.fromCharCode(Number.parseInt(code, 16));
    }
    at = m.index + m[0].length;
    inView.push(out.length);
    inText.push(at);
  }
  out += text.slice(at);
  const placeOf = (index: number): number => {
    const part = partAt(inView, index);
    return Math.min(text.length, (inText[part] ?? 0) + index - (inView[part] ?? 0));
  };
  // An escape is one sign of the view: where the next one begins it ends.
  return { text: out, place: (start, end) => [placeOf(start), placeOf(end)] };
}

/** The last part that begins at or before this place. */
function partAt(starts: readonly number[], index: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** All runs that are text, one a line; what is found in one stands for the whole run. */
function decodedRuns(text: string): TextView | undefined {
  const starts: number[] = [];
  const runs: (readonly [number, number])[] = [];
  let out = "";
  for (const m of text.matchAll(RUN)) {
    const decoded = (HEX.test(m[0]) ? textOfHex(m[0]) : undefined) ?? textOfBase64(m[0]);
    if (decoded === undefined) continue;
    starts.push(out.length);
    runs.push([m.index, m.index + m[0].length]);
    out += `${decoded}\n`;
  }
  if (runs.length === 0) return undefined;
  return {
    text: out,
    place: (start, end) => [runs[partAt(starts, start)]?.[0] ?? 0, runs[partAt(starts, end - 1)]?.[1] ?? 0],
  };
}

/** What of the bytes is read as text: so much at the beginning, or there is none. */
const MIN_TEXT = 12;

function textOfHex(run: string): string | undefined {
  let out = "";
  for (let i = 0; i < run.length; i += 2) {
    const byte = Number.parseInt(run.slice(i, i + 2), 16);
    if (!isTextByte(byte)) break;
    out += String.fromCharCode(byte);
  }
  return out.length < MIN_TEXT ? undefined : out;
}

function textOfBase64(run: string): string | undefined {
  let out = "";
  let bits = 0;
  let held = 0;
  for (let i = 0; i < run.length; i += 1) {
    const digit = DIGITS[run.charCodeAt(i)] ?? -1;
    if (digit === -1) break;
    bits = ((bits << 6) | digit) & 0xffffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    const byte = (bits >> held) & 0xff;
    if (!isTextByte(byte)) break;
    out += String.fromCharCode(byte);
  }
  return out.length < MIN_TEXT ? undefined : out;
}

function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
