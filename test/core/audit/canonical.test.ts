import * as crypto from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  asciiKey,
  canonicalText,
  type Json,
  jsonBytes,
  toRecordable,
  wellFormed,
} from "../../../src/core/audit/canonical";
import { recordHash } from "../../../src/core/audit/chain";
import { utf8Length } from "../../../src/core/audit/textBytes";

const sha256 = (text: string) => crypto.createHash("sha256").update(text).digest("hex");

describe("canonical text", () => {
  test("the published vector", () => {
    const text =
      '{"args":{"path":"/etc/passwd"},"decision":"denied","error":null,"prev_hash":null,"profile":"demo","result":{"hash":"4ecbb3222264a341","size":36},"session_id":"s1","tool":"kb_add_file","trace_id":"t1","ts":"2026-01-02T03:04:05+00:00"}';
    const record: { [key: string]: Json } = JSON.parse(text);
    expect(canonicalText(record)).toBe(text);
    expect(recordHash({ ...record, record_hash: "anything" }, sha256)).toBe(
      "4ef64a156cafb86c2e9fed99f08bd9bb880167674e8ce1412ef7d83c5e1a5f7c",
    );
  });

  test("law: canonical text of a copy parses back to the copy, and copying twice changes nothing", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withDate: true,
          withBigInt: true,
          withMap: true,
          withSet: true,
          withSparseArray: true,
        }),
        (value) => {
          const copy = toRecordable(value);
          const text = canonicalText(copy);
          expect(canonicalText(JSON.parse(text))).toBe(text);
          expect(canonicalText(toRecordable(JSON.parse(text)))).toBe(text);
          expect(Buffer.byteLength(text)).toBe(utf8Length(text));
          expect(jsonBytes(JSON.parse(text))).toBe(utf8Length(text));
        },
      ),
      { numRuns: 300 },
    );
  });
});

function nested(depth: number): unknown {
  let value: unknown = "end";
  for (let i = 0; i < depth; i += 1) value = { in: value };
  return value;
}

const cyclic: Record<string, unknown> = { name: "loop" };
cyclic.self = cyclic;
const shared = { n: 1 };
const hostile = {
  get boom() {
    throw new Error("no");
  },
  fine: 1,
};
const proxy = new Proxy(
  {},
  {
    ownKeys() {
      throw new Error("no");
    },
  },
);

describe("toRecordable", () => {
  test.each<[string, unknown, Json]>([
    ["integers stay", { n: 3, m: -4, z: -0 }, { n: 3, m: -4, z: 0 }],
    ["fractions are spelt", 1.5, { $number: "1.5" }],
    ["beyond 2^53", 2 ** 53, { $number: "9007199254740992" }],
    ["NaN", [Number.NaN, Number.POSITIVE_INFINITY], [{ $number: "NaN" }, { $number: "Infinity" }]],
    ["bigint", 12n, { $bigint: "12" }],
    ["huge bigint is not spelt out", 2n ** 4_000_000n, { $bigint: "[over 256 bits]" }],
    ["date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["broken date", { d: new Date(Number.NaN) }, { d: null }],
    ["function and symbol", [() => 1, Symbol("s")], ["[function]", "[symbol]"]],
    ["undefined", { a: undefined, b: [undefined] }, { b: [null] }],
    ["map and set", [new Map([["k", 1]]), new Set([2])], [{ $map: [["k", 1]] }, [2]]],
    ["bytes", Buffer.from("abc"), { $bytes: 3 }],
    ["error", new TypeError("bad"), { name: "TypeError", message: "bad" }],
    ["regex", /a+/g, "/a+/g"],
    ["url", new URL("https://h.example/p"), "https://h.example/p"],
    ["cycle", cyclic, { name: "loop", self: "[circular]" }],
    ["the same object twice is no cycle", [shared, shared], [{ n: 1 }, { n: 1 }]],
    ["a getter that throws", hostile, { boom: "[unreadable]", fine: 1 }],
    ["a proxy that throws", { p: proxy }, { p: "[unreadable]" }],
    ["toJSON that throws", { toJSON: () => JSON.parse("x") }, "[unreadable]"],
    ["toJSON as data", { toJSON: "text" }, { toJSON: "text" }],
    ["lone surrogates", "a\ud800b\udc00", "a\ufffdb\ufffd"],
    ["pairs stay", "\u{1f600}", "\u{1f600}"],
    ["non-ASCII key", { naïve: 1 }, { "na\\u00efve": 1 }],
    ["astral key", { "\u{1f600}": 1 }, { "\\ud83d\\ude00": 1 }],
    ["keys that become one spelling", { é: 1, "\\u00e9": 2 }, { "\\u00e9": 1, "\\u00e9#2": 2 }],
    ["nothing", undefined, null],
  ])("%s", (_name, value, expected) => {
    expect(toRecordable(value)).toEqual(expected);
  });

  test("__proto__ is data", () => {
    const value: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":1}');
    expect(canonicalText(toRecordable(value))).toBe('{"__proto__":{"admin":true},"constructor":1}');
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  test.each([10, 59, 60, 61, 5000, 50_000])("depth %d is copied or named", (depth) => {
    const text = canonicalText(toRecordable(nested(depth)));
    expect(text.includes("[too deep]")).toBe(depth > 60);
    expect(text.includes('"end"')).toBe(depth <= 60);
  });

  test("a million items end in a count", () => {
    const copy = toRecordable(Array.from({ length: 1_000_000 }, (_, i) => i));
    expect(Array.isArray(copy) && copy.at(-1)).toMatch(/^\[9\d{5} more\]$/);
  });

  test("a sparse giant array does not hang", () => {
    const sparse: unknown[] = [];
    sparse.length = 4_000_000_000;
    expect(JSON.stringify(toRecordable(sparse))).toContain("more]");
  });

  test("many keys end in a count", () => {
    const copy = toRecordable(Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i])));
    expect(Object.keys(copy as object)).toContain("[more]");
  });

  test("a long text is replaced by its size", () => {
    expect(toRecordable({ t: "é".repeat(70_000) })).toEqual({ t: { $truncated: { bytes: 140_000 } } });
  });

  test("long keys are cut and still differ", () => {
    const copy = toRecordable({ [`${"k".repeat(300)}a`]: 1, [`${"k".repeat(300)}b`]: 2 });
    expect(Object.values(copy as object)).toEqual([1, 2]);
    expect(asciiKey("k".repeat(300)).length).toBeLessThan(220);
  });

  test("wellFormed leaves sound text as it is", () => {
    const text = "héllo \u{1f600}";
    expect(wellFormed(text)).toBe(text);
  });
});

test("law: bytes of a text are those that UTF-8 takes, however long it is and wherever its pairs stand", () => {
  const part = fc.constantFrom("a", "é", "€", "😀", "\ud83d", "\ude00", "\u0000", '"');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), fc.nat(300), fc.nat(40), (parts, before, times) => {
      const text = `${"x".repeat(before)}${parts.join("").repeat(40 * times)}`;
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
    { numRuns: 300 },
  );
  // A pair across each place where the text may be taken apart.
  for (let before = 16_380; before < 16_388; before += 1) {
    const text = `${"x".repeat(before)}😀\ud83d${"é".repeat(20_000)}`;
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  }
});
