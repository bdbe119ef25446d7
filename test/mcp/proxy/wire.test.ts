import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { surveyJson } from "../../../src/mcp/proxy/jsonSpans";
import { createRawLineCutter, type RawLine } from "../../../src/mcp/proxy/rawLines";
import {
  ambiguityOf,
  idKey,
  namedKey,
  passedOn,
  readLine,
  type WireMessage,
  withArguments,
  withResult,
} from "../../../src/mcp/proxy/wire";

function messageOf(text: string): WireMessage {
  const read = readLine(Buffer.from(text));
  if (read.kind !== "message") throw new Error(`no message: ${read.kind}`);
  return read.message;
}

describe("lines", () => {
  const cut = (chunks: readonly string[], limit?: number): RawLine[] => {
    const lines: RawLine[] = [];
    const cutter = createRawLineCutter((line) => lines.push(line), limit);
    for (const chunk of chunks) cutter.push(Buffer.from(chunk));
    cutter.end();
    return lines;
  };

  test("whatever way the bytes come, the lines joined are the bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a\n\r"é]{0,8}$/)), (chunks) => {
        const lines = cut(chunks);
        const bytes = lines.flatMap((line) => (line.kind === "line" ? [line.bytes] : []));
        expect(Buffer.concat(bytes).toString()).toBe(chunks.join(""));
        for (const line of bytes.slice(0, -1)) expect(line.at(-1)).toBe(10);
      }),
    );
  });

  test("of a line over the limit nothing is kept, and the next one is whole", () => {
    expect(cut(["aaaa", "aaaa\nbb\n"], 5)).toEqual([
      { kind: "oversized", size: 9 },
      { kind: "line", bytes: Buffer.from("bb\n") },
    ]);
  });

  test.each([
    ["a\r\n", "a\r\n"],
    ["a\rb\n", "a b\n"],
    ["a\r\rb\r\n", "a  b \n"],
    ["a", "a"],
  ])("of %j is passed on %j", (given, passed) => {
    expect(passedOn(Buffer.from(given)).toString()).toBe(passed);
  });
});

describe("what two readers could read differently", () => {
  test.each([
    [`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, /"method" stands in it twice/],
    [
      `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`,
      /"Method" could be taken for "method"/,
    ],
    [`{"jsonrpc":"2.0","id":1,"METHOD":"tools/call"}`, /"METHOD" could be taken/],
    [`{"jsonrpc":"2.0","id":1,"meth\\u006fd":"a","method":"b"}`, /"method" stands in it twice/],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{}}`, /could be taken for "params"/],
    [
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"x","name":"y"}}`,
      /"Name" could be taken/,
    ],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","Arguments":{}}}`, /"Arguments"/],
    [`{"jsonrpc":"2.0","id":1,"method":"tasks/result","params":{"taskID":"x"}}`, /"taskID" could be taken/],
    [
      `{"id":1,"method":"tools/call","params":{"arguments":{"sql":"SELECT 1","sql":"DROP TABLE t"}}}`,
      /"sql" stands/,
    ],
    [`{"id":1,"method":"x","params":{"arguments":{"a":[{"b":{"c":1,"c":2}}]}}}`, /"c" stands in it twice/],
    [
      `{"id":1,"method":"tools/call","params":{"name":"x","arguments":{"__proto__":{"command":"rm -rf src"}}}}`,
      /"__proto__" stands in it/,
    ],
    [
      `{"id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[{"b":{"\\u005f_proto__":1}}]}}}`,
      /__proto__/,
    ],
    [`{"id":1,"method":"tools/call","params":{"__proto__":{"arguments":{}},"name":"x"}}`, /__proto__/],
    [`{"id":1,"method":["tools/call"]}`, /method is no text/],
    [`{"id":1,"method":"ping","result":{}}`, /both a request and an answer/],
  ])("%s", (text, why) => {
    expect(ambiguityOf(messageOf(text))).toMatch(why);
  });

  test.each([
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"Name":1,"name":2,"METHOD":3}}}`,
    `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":{"k":1},"b":{"k":1},"list":[{"k":1},{"k":1}]}}`,
    `{"jsonrpc":"2.0","id":1,"result":{"method":"a"}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"text":"__proto__","constructor":1,"prototype":2}}}`,
    `{"jsonrpc":"2.0","method":"x","futureField":{"a":"\\"}"}}`,
  ])("is nothing in %s", (text) => {
    expect(ambiguityOf(messageOf(text))).toBeUndefined();
  });

  test("a text is gone over in one pass, and no key twice is never found twice", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        const survey = surveyJson(text);
        expect(survey.doubled).toBeUndefined();
        const parsed: Record<string, unknown> = JSON.parse(text);
        expect([...survey.members.keys()].sort()).toEqual(Object.keys(parsed).sort());
        for (const [key, { start, end }] of survey.members)
          expect(JSON.parse(text.slice(start, end))).toEqual(parsed[key]);
      }),
    );
  });

  test("elements of a batch are found whole", () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 }), (value) => {
        const text = JSON.stringify(value, null, 1).replaceAll("\n", " ");
        const read = readLine(Buffer.from(text));
        expect(read.kind === "batch" && read.messages.map((one) => JSON.parse(one.text))).toEqual(
          JSON.parse(text),
        );
      }),
    );
  });
});

describe("ids", () => {
  test.each([
    [`{"id":1}`, `{"id":1.0}`, true],
    [`{"id":"a"}`, `{"id":"\\u0061"}`, true],
    [`{"id":1}`, `{"id":"1"}`, false],
    [`{"id":9007199254740993}`, `{"id":9007199254740992}`, false],
    [`{"id":-0.5}`, `{"id":-5e-1}`, true],
  ])("%s and %s name the same request: %s", (a, b, same) => {
    expect(idKey(messageOf(a)) === idKey(messageOf(b))).toBe(same);
  });

  test.each([`{"id":null}`, `{"id":{}}`, `{"id":[1]}`, `{"id":true}`, `{}`])("%s names none", (text) => {
    expect(idKey(messageOf(text))).toBeUndefined();
  });

  test("a notice names a request by the same id", () => {
    const notice = messageOf(`{"method":"notifications/cancelled","params":{"requestId":9007199254740993}}`);
    expect(namedKey(notice)).toBe(idKey(messageOf(`{"id":9007199254740993}`)));
  });
});

describe("what is put in the place of a part", () => {
  const call = `{ "jsonrpc":"2.0", "id" : 12345678901234567890, "method":"tools/call", "x":1.0, "params": { "name":"t" , "arguments" : {"a":1}, "_meta":{"k":1e2} } }`;

  test("arguments, and every other byte stays", () => {
    expect(withArguments(messageOf(call), { b: "}" })).toBe(call.replace(`{"a":1}`, `{"b":"}"}`));
    const none = `{"id":1,"method":"tools/call","params":{"name":"t"}}`;
    expect(withArguments(messageOf(none), {})).toBe(
      `{"id":1,"method":"tools/call","params":{"arguments":{},"name":"t"}}`,
    );
  });

  test("a result, and every other byte stays", () => {
    const answer = `{"jsonrpc":"2.0","id":12345678901234567890,"extra":[1.50],"result":{"content":[]}}`;
    expect(withResult(messageOf(answer), { a: 1 })).toBe(answer.replace(`{"content":[]}`, `{"a":1}`));
  });
});

test.each([
  ["\ufffe\n", "bad"],
  ["\n", "blank"],
  ["  \r\n", "blank"],
  ["42\n", "bad"],
  ["[]\n", "bad"],
  ["[1,{}]\n", "bad"],
  ['{"id":NaN}\n', "bad"],
  ['\ufeff{"id":1}\n', "bad"],
  ['{"id":1}\r{"id":2}\n', "bad"],
])("%j is %s", (text, kind) => {
  expect(readLine(Buffer.from(text)).kind).toBe(kind);
});

test("bytes that are no UTF-8 are not read", () => {
  expect(readLine(Buffer.from([0x7b, 0xff, 0x7d])).kind).toBe("bad");
});
