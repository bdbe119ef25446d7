import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalText } from "../../../src/core/audit/canonical";
import { GENESIS, makeLine } from "../../../src/core/audit/chain";
import { prepareBody, withFinding } from "../../../src/core/audit/prepare";
import type { RecordBody } from "../../../src/core/audit/record";
import { createRedactor } from "../../../src/core/audit/redact";
import { sha256 } from "../fixtures";

const options = { redactor: createRedactor({ keys: [], exempt: [] }), hmac: sha256 };
const stamp = {
  ts: "2026-01-01T00:00:00.000Z",
  logId: "log_1",
  writer: { pid: 1, version: "1.2.3", role: "library" },
};

/** The line that a body becomes. */
function lineOf(body: Partial<RecordBody>): string {
  const fields = prepareBody({ event: "call", error: null, ...body }, options);
  return makeLine(fields, { before: GENESIS, stamp, hash: sha256 }).line;
}

function argsOf(line: string): Record<string, unknown> {
  return JSON.parse(line).args;
}

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "core";
  for (let n = 0; n < depth; n += 1) value = wrap(value);
  return value;
}

const throwing = (what: PropertyDescriptor): object =>
  Object.defineProperty({}, "x", { enumerable: true, ...what });
const trap = (): never => {
  throw new Error("trap");
};
const hostile = new Proxy(
  {},
  { get: trap, ownKeys: trap, has: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap },
);
const cyclic: Record<string, unknown> = { name: "a" };
cyclic.self = cyclic;
cyclic.list = [cyclic, { back: cyclic }];
const endless: { toJSON(): object } = { toJSON: () => ({ again: { ...endless } }) };

describe("anything at all as an argument becomes a sound line", () => {
  test.each<[string, unknown, unknown]>([
    ["nested arrays, 100,000 deep", nested(100_000, (v) => [v]), undefined],
    ["nested objects, 100,000 deep", nested(100_000, (v) => ({ v })), undefined],
    ["a cycle", cyclic, { name: "a", self: "[circular]", list: ["[circular]", { back: "[circular]" }] }],
    ["a getter that throws", throwing({ get: trap }), { x: "[unreadable]" }],
    ["a toJSON that throws", { toJSON: trap }, "[unreadable]"],
    ["a toJSON without end", endless, undefined],
    ["a proxy that throws at everything", hostile, "[unreadable]"],
    [
      "a revoked proxy",
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
      "[unreadable]",
    ],
    ["BigInt", 2n ** 80n, { $bigint: "1208925819614629174706176" }],
    ["a BigInt of a megabyte", 1n << 8_000_000n, { $bigint: "[over 256 bits]" }],
    [
      "NaN and Infinity",
      [Number.NaN, Number.POSITIVE_INFINITY, -0],
      [{ $number: "NaN" }, { $number: "Infinity" }, 0],
    ],
    ["integers past 2^53", 2 ** 60, { $number: "1152921504606847000" }],
    ["functions and symbols", [() => 1, Symbol("s")], ["[function]", "[symbol]"]],
    ["lone surrogates, also in keys", { "\ud800": "a\udfffb" }, { "\\ud800": "a\ufffdb" }],
    [
      "__proto__ as data",
      JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
      JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
    ],
    ["no prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["a sparse array", Object.assign([], { length: 4_000_000_000 }), undefined],
    ["bytes", new Uint8Array(10_000_000), { $bytes: 10_000_000 }],
    ["Map and Set", [new Map([["k", 1]]), new Set([1])], [{ $map: [["k", 1]] }, [1]]],
    ["a date that is none", new Date(Number.NaN), null],
    ["control characters and line breaks", "a\n\r\u2028\u0000", "a\n\r\u2028\u0000"],
  ])("%s", (_name, value, recorded) => {
    const line = lineOf({ args: { value } });
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(64 * 1024);
    expect(line).not.toMatch(/[\n\r]/);
    const { record_hash, ...rest } = JSON.parse(line);
    expect(sha256(canonicalText(rest)), "every reader that parses and sorts agrees on the hash").toBe(
      record_hash,
    );
    if (recorded !== undefined) expect(argsOf(line).value).toEqual(recorded);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("whatever it is, in every field", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      maxDepth: 4,
    });
    const text = fc.string({ unit: "binary", maxLength: 200 });
    fc.assert(
      fc.property(anything, anything, text, (args, data, word) => {
        const body = {
          args,
          data,
          findings: data,
          trail: args,
          result: args,
          reason: word,
          tool: word,
          error: word,
        };
        const line = lineOf(body as unknown as RecordBody);
        const { record_hash, ...rest } = JSON.parse(line);
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(64 * 1024);
        expect(sha256(canonicalText(rest))).toBe(record_hash);
      }),
      { numRuns: 300 },
    );
  });
});

describe("size", () => {
  const MB = 1_000_000;
  test.each<[string, (bytes: number) => Partial<RecordBody>]>([
    ["one text", (n) => ({ args: { text: "x".repeat(n), path: "/w/a.txt" } })],
    ["one text of three-byte characters", (n) => ({ args: { text: "€".repeat(n / 3), path: "/w/a.txt" } })],
    ["one key", (n) => ({ args: { ["k".repeat(n)]: 1, path: "/w/a.txt" } })],
    [
      "many keys",
      (n) => ({
        args: {
          path: "/w/a.txt",
          ...Object.fromEntries(Array.from({ length: n / 20 }, (_, i) => [`key${i}`, "0123456789"])),
        },
      }),
    ],
    ["one list", (n) => ({ args: { path: "/w/a.txt", list: Array.from({ length: n / 10 }, (_, i) => i) } })],
    [
      "many texts of 60 KB",
      (n) => ({
        args: { path: "/w/a.txt", list: Array.from({ length: n / 60_000 }, () => "y".repeat(60_000)) },
      }),
    ],
    [
      "reason, error and tool",
      (n) => ({
        reason: "r".repeat(n),
        error: "e".repeat(n),
        tool: "t".repeat(n),
        args: { path: "/w/a.txt" },
      }),
    ],
    [
      "findings",
      (n) => ({
        args: { path: "/w/a.txt" },
        findings: Array.from({ length: n / 1000 }, () => ({ code: "c", message: "m".repeat(1000), by: "b" })),
      }),
    ],
    ["secrets", (n) => ({ args: { path: "/w/a.txt", text: "password=hunter2hunter2 ".repeat(n / 24) } })],
  ])(
    "%s: 10 MB fit a line, and take no longer than their share",
    (_name, make) => {
      const small = make(MB);
      const large = make(10 * MB);
      // Of this thread alone: what else the machine does stays out of it.
      const time = (body: Partial<RecordBody>): number => {
        const before = process.threadCpuUsage();
        expect(Buffer.byteLength(lineOf(body))).toBeLessThanOrEqual(64 * 1024);
        const { user, system } = process.threadCpuUsage(before);
        return (user + system) / 1000;
      };
      lineOf(make(50_000));
      const [one, ten] = [Math.min(time(small), time(small)), Math.min(time(large), time(large))];
      // Ten times the input; a quadratic step would take a hundred times.
      expect(ten / Math.max(one, 10)).toBeLessThan(40);
      expect(argsOf(lineOf(large)).path, "its neighbours stay").toBe("/w/a.txt");
    },
    120_000,
  );

  const keys = (count: number, key: (i: number) => string, value: (i: number) => unknown) => ({
    args: Object.fromEntries(Array.from({ length: count }, (_, i) => [key(i), value(i)])),
  });
  test.each<[string, Partial<RecordBody>]>([
    [
      "keys",
      keys(
        100_000,
        (i) => `some-long-key-name-${i}-`.padEnd(90, "abc "),
        () => 1,
      ),
    ],
    [
      "keys and texts",
      keys(
        100_000,
        (i) => `k${i}`,
        (i) => `v${i} `.padEnd(90, "word "),
      ),
    ],
    [
      "long keys",
      keys(
        20_000,
        (i) => `some long key name ${i} `.padEnd(500, "abc-"),
        () => 1,
      ),
    ],
    [
      "keys outside ASCII",
      keys(
        50_000,
        (i) => `ключ-${i}-`.padEnd(90, "й"),
        () => 1,
      ),
    ],
    [
      "keys with one beginning",
      keys(
        40_000,
        (i) => "k".repeat(200) + String(i).padStart(8, "0"),
        () => 1,
      ),
    ],
    [
      "secrets",
      keys(
        30_000,
        (i) => `k${i}`,
        (i) => `curl -u ann:pass${i} --token tok${i}`,
      ),
    ],
    ["texts in lists", { args: { all: Array.from({ length: 200_000 }, (_, i) => [`text ${i} of many`]) } }],
  ])("10 MB of many small %s hold the caller up no longer than a record of them takes", (_name, body) => {
    const times = Array.from({ length: 4 }, () => {
      const before = process.threadCpuUsage();
      prepareBody({ event: "call", error: null, ...body }, options);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(250);
  });

  test("what is small stays, wherever it stands beside what is large", () => {
    const edits = Array.from({ length: 30_000 }, (_, i) => ({ old: `text ${i}`, new: `words ${i}` }));
    const { args } = prepareBody(
      { event: "call", error: null, args: { edits, notes: "n".repeat(60_000), path: "/w/a.txt", zone: 3 } },
      options,
    );
    expect(args).toMatchObject({ path: "/w/a.txt", zone: 3 });
  });

  test("a finding added later pushes no record past its size, and is kept", () => {
    const fields = prepareBody(
      {
        event: "call",
        error: null,
        args: { a: "x".repeat(62_000) },
        findings: [{ code: "c", message: "m".repeat(500), by: "b" }],
      },
      options,
    );
    const finding = { code: "spooled", message: "n".repeat(2000), details: { id: "spool_1" } };
    const { line } = makeLine(withFinding(fields, finding, options), {
      before: GENESIS,
      stamp,
      hash: sha256,
    });
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(64 * 1024);
    expect(JSON.parse(line).findings).toContainEqual(
      expect.objectContaining({ code: "spooled", by: "audit_log" }),
    );
  });
});

test("a megabyte that stands in several arguments is hashed once", () => {
  const hashed: number[] = [];
  const hmac = (text: string): string => {
    hashed.push(text.length);
    return sha256(text);
  };
  const long = "SELECT 1 ".repeat(120_000);
  const args = { note: long, command: long, path: [long], other: `${long}.` };
  const fields = prepareBody({ event: "call", error: null, args }, { ...options, hmac });
  const cut = { $truncated: { bytes: long.length, hmac: sha256(long) } };
  expect(fields.args).toMatchObject({ note: cut, command: cut, path: [cut] });
  expect(hashed).toEqual([long.length, long.length + 1]);
});
