import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runExport } from "../../src/cli/export";
import { csvCell } from "../../src/core/audit/exportCsv";
import { lineOf } from "../../src/core/audit/exportRecord";
import { headersFromEnvironment, parseHeaders } from "../../src/node/otlp/headers";
import { backoffMs, logsUrl, retryAfterMs } from "../../src/node/otlp/post";
import { linesOf, sampleBodies, textOf } from "../core/audit/logs";
import { allEntries, type Receiver, startReceiver } from "../node/otlp/receiver";

let folder: string;
const LINES = linesOf(sampleBodies(8));
const RECORDS = LINES.map((line) => JSON.parse(line));

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "countersign-export-"));
  fs.writeFileSync(path.join(folder, "audit-000001.jsonl"), textOf(LINES.slice(0, 5)));
  fs.writeFileSync(path.join(folder, "audit.jsonl"), textOf(LINES.slice(5)));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    stdout: (text: string) => void out.push(text),
    stderr: (text: string) => void err.push(text),
    env: {},
    cwd: folder,
  };
  const code = await runExport(argv, io, { tries: 3, backoff: () => 10 });
  return { code, out: out.join(""), err: err.join("") };
}

describe("json", () => {
  test("a folder: all segments, each record once, its hash untouched", async () => {
    const { code, out, err } = await run(".", "--format", "json");
    expect([code, err]).toEqual([0, ""]);
    const { export: about, records, counts } = JSON.parse(out);
    expect(records).toEqual(RECORDS);
    expect(about).toMatchObject({ v: 1, filter: {}, left_out: { checkpoints_and_heartbeats: 0 } });
    expect(counts).toEqual({ records: RECORDS.length, damaged_lines: 0 });
    for (const line of LINES) expect(out).toContain(line);
  });
  test("an empty log has no records", async () => {
    fs.writeFileSync(path.join(folder, "empty.jsonl"), "");
    const { out } = await run("empty.jsonl", "--format", "json");
    expect(JSON.parse(out)).toMatchObject({ records: [], counts: { records: 0, damaged_lines: 0 } });
  });
  test("--since is inclusive, --until is not", async () => {
    const [since, until] = [RECORDS[2].ts, RECORDS[4].ts];
    const { out } = await run(".", "--format=json", `--since=${since}`, `--until=${until}`);
    const within = RECORDS.filter(({ ts }) => ts >= since && ts < until);
    expect(within.length).toBeGreaterThan(0);
    expect(JSON.parse(out)).toMatchObject({ export: { filter: { since, until } }, records: within });
  });
  test("a damaged line is left out and told; a last line without its end is not yet a record", async () => {
    const text = `${LINES[0]}\nnonsense\n${LINES[1]}\n${LINES[2]?.slice(0, 30)}`;
    fs.writeFileSync(path.join(folder, "damaged.jsonl"), text);
    const { code, out, err } = await run("damaged.jsonl", "--format", "json");
    expect(JSON.parse(out)).toMatchObject({ counts: { records: 2, damaged_lines: 1 } });
    expect(code).toBe(1);
    expect(err).toContain("1 line(s) are no records");
  });
  test("secrets that the log still has are taken out", async () => {
    const record = { ...RECORDS[0], args: { command: "curl -u me:hunter2x https://h.example" } };
    fs.writeFileSync(path.join(folder, "old.jsonl"), `${JSON.stringify(record)}\n`);
    for (const format of ["json", "csv"])
      expect((await run("old.jsonl", "--format", format)).out).not.toContain("hunter2x");
  });
});

test("lineOf gives the line of the log back", () => {
  expect(RECORDS.map(lineOf)).toEqual(LINES);
});

describe("csv", () => {
  test("every field of every record, read back by a strict reader", async () => {
    const { code, out } = await run(".", "--format", "csv");
    expect(code).toBe(0);
    const rows: Record<string, string>[] = parse(out, { columns: true, record_delimiter: "\r\n" });
    expect(rows).toHaveLength(RECORDS.length);
    for (const [index, record] of RECORDS.entries()) {
      expect(rows[index]?.record_hash).toBe(record.record_hash);
      expect(JSON.parse(rows[index]?.args ?? "")).toEqual(record.args);
      const missing = Object.keys(record).filter((key) => !(key in (rows[index] ?? {})) && key !== "v");
      expect(missing).toEqual([]);
    }
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t'=1"],
    ["\r=1", "'\r'=1"],
    [" =cmd|' /C calc'!A0", "' =cmd|' /C calc'!A0"],
    ["＝1+1", "'＝1+1"],
    ['=HYPERLINK("http://x","y")', `'=HYPERLINK("http://x","y")`],
    ["plain", "plain"],
    ["a,b", "a,b"],
    ["a\nb", "a\nb"],
    ['say "x"', 'say "x"'],
  ])("%j", (text, expected) => {
    expect(parse(csvCell(text), { relax_column_count: true })).toEqual([[expected]]);
  });

  const SEPARATORS = [";", "\t", "|"] as const;
  const cellsBy = (delimiter: string, line: string): string[] =>
    line.split(new RegExp(`[${delimiter}\r\n]`)).map((cell) => cell.replace(/^"/, ""));

  test.each([
    'a;=HYPERLINK("http://x")',
    "x;=cmd|'/c calc'!A0",
    "x; \u00a0=1",
    "a\t=1+1",
    "a\n=1",
    "a\r\n-1+1",
    "a|@SUM(1)",
    'a;"=1"',
    "\u200b=1+1",
    "\u2212 1",
    "|cmd",
  ])("%j: no reader finds a formula in it, whatever it takes for the end of a cell", (text) => {
    const line = `1,${csvCell(text)},x\r\n`;
    for (const cell of SEPARATORS.flatMap((one) => cellsBy(one, line)).filter(
      (cell) => !cell.startsWith("1,"),
    ))
      expect(cell).not.toMatch(/^[\s\u200b]*[=+\-@\u2212]/);
    expect(line).not.toMatch(/,"?[\s\u200b]*[=+\-@|\u2212]/);
  });

  test("law: a cell is read back as it was, but for apostrophes before what would run", () => {
    const sign = fc.constantFrom(";", "\t", "|", "\n", "=", "+", "-", "@", '"', "'", " ");
    const text = fc
      .array(fc.oneof(sign, fc.string({ unit: "binary", maxLength: 3 })), { minLength: 1, maxLength: 20 })
      .map((parts) => parts.join(""))
      .filter((joined) => joined !== "");
    fc.assert(
      fc.property(text, (sample) => {
        const [[cell]] = parse(`${csvCell(sample)},x\r\n`, { record_delimiter: "\r\n" }) as [[string]];
        const plain = sample.replaceAll("\u0000", "\ufffd");
        expect(cell.replaceAll("'", "")).toBe(plain.replaceAll("'", ""));
        expect(cell).not.toMatch(/(?:^|[;|\t\r\n])[ ]{0,8}[=+\-@]/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("otlp", () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  const send = (...more: string[]) => run(".", "--format", "otlp", "--endpoint", receiver.url, ...more);

  test("all records arrive, with the headers", async () => {
    const { code, out } = await send("--header", "authorization=Bearer%20x1,x-team=a");
    expect([code, out]).toEqual([0, ""]);
    expect(allEntries(receiver).map(({ body }) => body)).toEqual(LINES);
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: "Bearer x1", "x-team": "a" });
  });
  test("trouble that passes is waited out", async () => {
    receiver.manners.push({ status: 503 }, "close");
    expect((await send()).code).toBe(0);
    expect(allEntries(receiver)).toHaveLength(LINES.length);
  });
  test.each([
    ["refused", { status: 401 }, "the receiver answered 401"],
    ["rejected in part", { reject: 3 }, "the receiver rejected them: too old"],
  ] as const)("%s: exit 3, and why", async (_name, manner, why) => {
    receiver.manners.push(manner);
    const { code, err } = await send();
    expect(code).toBe(3);
    expect(err).toContain(why);
  });
  test("nobody there: exit 3", async () => {
    await receiver.close();
    const { code, err } = await send();
    expect(code).toBe(3);
    expect(err).toContain("did not arrive");
    receiver = await startReceiver();
  });
});

describe("usage", () => {
  test.each([
    [["--format", "json"], "which audit log"],
    [["."], "--format must be"],
    [[".", "--format", "xml"], "--format must be"],
    [[".", "--format", "json", "--since", "soon"], "--since needs a time"],
    [["nowhere", "--format", "json"], "no file or folder"],
    [[".", "--format", "otlp"], "where to? Give --endpoint URL"],
    [[".", "--format", "otlp", "--endpoint", "file:///x"], "--endpoint must be"],
    [[".", "--format", "csv", "--endpoint", "http://x"], "belong to --format otlp"],
    [[".", "--format", "otlp", "--endpoint", "http://x", "--header", "a b"], "headers must be"],
  ])("%j", async (argv, why) => {
    const { code, err } = await run(...argv);
    expect(code).toBe(2);
    expect(err).toContain(why);
  });
});

test.each([
  ["http://h:4318", "http://h:4318/v1/logs"],
  ["https://h/otlp/v1/logs", "https://h/otlp/v1/logs"],
  ["h:4318", undefined],
])("address %s", (endpoint, expected) => {
  expect(logsUrl(endpoint)?.href).toBe(expected);
});

test.each([
  ["a=1,b=2%20c", { a: "1", b: "2 c" }],
  ["", {}],
  ["a", undefined],
  ["a=%zz", undefined],
  ["a=x%0d%0ab: y", undefined],
])("headers %j", (text, expected) => {
  expect(parseHeaders(text)).toEqual(expected);
});

test("the variable for logs wins", () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: "a=1", OTEL_EXPORTER_OTLP_LOGS_HEADERS: "a=2" };
  expect(headersFromEnvironment(env)).toBe("a=2");
});

test("waits double, are spread, and end at five minutes; Retry-After is seconds or a date", () => {
  expect([0, 1, 2, 30].map((n) => backoffMs(n, 0.5))).toEqual([1000, 2000, 4000, 300_000]);
  expect(backoffMs(0, 0)).toBe(800);
  expect(retryAfterMs("2", 0)).toBe(2000);
  expect(retryAfterMs("Thu, 01 Jan 1970 00:00:05 GMT", 1000)).toBe(4000);
  expect(retryAfterMs("soon", 0)).toBeUndefined();
});

test("memory stays flat: twenty times the log takes no more", { timeout: 60_000 }, async () => {
  const write = (name: string, times: number): string => {
    const file = path.join(folder, name);
    const text = textOf(LINES);
    const fd = fs.openSync(file, "w");
    for (let i = 0; i < times; i += 1) fs.writeSync(fd, text);
    fs.closeSync(fd);
    return file;
  };
  const peak = async (file: string): Promise<number> => {
    let most = 0;
    const io = {
      stdout: () => {
        most = Math.max(most, process.memoryUsage().arrayBuffers);
      },
      stderr: () => undefined,
      env: {},
    };
    expect(await runExport([file, "--format", "json"], io)).toBe(0);
    return most;
  };
  const small = await peak(write("small.jsonl", 200));
  const large = await peak(write("large.jsonl", 4000));
  expect(large / Math.max(small, 8 * 1024 * 1024)).toBeLessThan(3);
});
