/** The scanner remembers shapes of lines for speed: what it says of a line must never depend on the lines before. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toRecordable } from "../../../src/core/audit/canonical";
import { sameBytes } from "../../../src/core/audit/lineBytes";
import { createLineScanner, type ScanLine } from "../../../src/core/audit/lineScan";
import { linesOf, sampleBodies } from "./logs";

const cut = (line: string): Buffer => Buffer.from(`${line.slice(0, -82)}}`);
const LINES = linesOf([
  ...sampleBodies(4),
  { event: "result", args: {}, findings: [], data: { list: [1, "two", null, true] }, error: null },
  { event: "call", args: { deep: [[{ a: [] }]] }, error: "x" },
  { event: "call", args: { many: Array.from({ length: 300 }, (_, i) => i) }, error: null },
]).map(cut);

/** Scans as the reader does: inside a larger buffer that is used again and again. */
function say(scan: ScanLine, line: Uint8Array, buffer: Buffer, at: number) {
  buffer.fill(0xff);
  buffer.set(line, at);
  const { canonical, high, seq, prevHash, logId, event } = scan(buffer, at, at + line.length);
  if (!canonical) return { canonical };
  const places = [prevHash, logId, event].map(({ start, end }) => [start - at, end - at, start === -1]);
  return { canonical, high, seq, places };
}

interface Warm {
  readonly scan: ScanLine;
  /** The one buffer that every line was lent from. */
  readonly buffer: Buffer;
}

function agree(line: Uint8Array, { scan, buffer }: Warm): void {
  expect(say(scan, line, buffer, 33)).toEqual(say(createLineScanner(), line, Buffer.alloc(20_000), 33));
}

function warmScanner(): Warm {
  const scan = createLineScanner();
  const buffer = Buffer.alloc(20_000);
  for (const line of LINES) expect(say(scan, line, buffer, 33)).toMatchObject({ canonical: true });
  return { scan, buffer };
}

test("law: an edited line is judged the same whatever came before", () => {
  const warm = warmScanner();
  const put = fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc
      .constantFrom(
        '"',
        "\\",
        '","',
        "[]",
        "{}",
        "1",
        "-0",
        "00",
        "null",
        "\u007f",
        "é",
        '"x":1,',
        "\\u001f",
        "\\u0041",
        ",",
      )
      .map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(fc.nat(LINES.length - 1), fc.nat(), fc.nat(4), put, (index, position, remove, text) => {
      const line = LINES[index] ?? Buffer.alloc(0);
      const at = position % (line.length + 1);
      agree(Buffer.concat([line.subarray(0, at), text, line.subarray(at + remove)]), warm);
    }),
    { numRuns: 4000 },
  );
});

test("law: any record is judged the same whatever came before, and is canonical", () => {
  const warm = warmScanner();
  fc.assert(
    fc.property(fc.array(fc.anything(), { maxLength: 4 }), (many) => {
      for (const line of linesOf(
        many.map((args) => ({ event: "call", args: toRecordable({ args }), error: null })),
      )) {
        const raw = cut(line);
        if (raw.length > 19_000) continue;
        agree(raw, warm);
        expect(say(warm.scan, raw, warm.buffer, 0)).toMatchObject({ canonical: true });
      }
    }),
    { numRuns: 500 },
  );
});

test("law: equal bytes are counted one by one, whatever stands in the line", () => {
  const bytes = fc.uint8Array({ min: 0, maxLength: 60 });
  fc.assert(
    fc.property(bytes, fc.nat(60), fc.constantFrom(0, 0x80, 0x7f, 0xff), (some, position, odd) => {
      // The shape's side holds no zero byte; a line may hold any.
      const shape = some.map((byte) => (byte === 0 ? 1 : byte));
      const line = Uint8Array.from(shape);
      const at = shape.length === 0 ? 0 : position % shape.length;
      if (position % 3 !== 0 && shape.length > 0) line[at] = odd;
      if (position % 3 === 2) line.fill(0, at, at + 8);
      const same = shape.findIndex((byte, i) => byte !== line[i]);
      const found = sameBytes(new DataView(line.buffer), 0, new DataView(shape.buffer), 0, shape.length);
      expect(found).toBe(same === -1 ? shape.length : same);
    }),
    { numRuns: 3000 },
  );
});

test("a value that begins or ends as that of an earlier line is read as it stands", () => {
  const { scan, buffer } = warmScanner();
  const known = String(LINES[0]);
  const rows: [string, string, boolean][] = [
    ['"v":1', '"v":12', true],
    ['"v":1', '"v":1.0', false],
    ['"v":1', '"v":01', false],
    ['"v":1', '"v":null', true],
    ['"v":1', '"v":nul', false],
    ['"v":1', '"v":[]', true],
    ["\\n\\t", "\\t\\n", true],
    ["\\n\\t", "\\n\\x", false],
    ["\\n\\t", "\\n\\\\t", true],
    ["naïve", "naïv", true],
    ["naïve", "na", true],
    ['"error":null', '"error":null,"error":null', false],
  ];
  for (const [from, to, canonical] of rows) {
    const text = known.replace(from, () => to);
    expect(text, from).not.toBe(known);
    for (let round = 0; round < 2; round += 1)
      expect(say(scan, Buffer.from(text), buffer, 5).canonical, to).toBe(canonical);
    agree(Buffer.from(text), { scan, buffer });
  }
});
