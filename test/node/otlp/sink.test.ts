import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { logsUrl, type Target } from "../../../src/node/otlp/post";
import { openQueue } from "../../../src/node/otlp/queue";
import { type OtlpSink, type OtlpSinkOptions, openOtlpSink } from "../../../src/node/otlp/sink";
import { linesOf, sampleBodies } from "../../core/audit/logs";
import { allEntries, type Receiver, startReceiver } from "./receiver";

let folder: string;
let receiver: Receiver;
let sinks: OtlpSink[];
const lost: { count: number; why: string }[] = [];
const problems: string[] = [];
const LINES = linesOf(sampleBodies(6));
const records = LINES.map((line) => JSON.parse(line));

beforeEach(async () => {
  folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "countersign-otlp-")), "queue");
  receiver = await startReceiver();
  sinks = [];
  lost.length = 0;
  problems.length = 0;
});
afterEach(async () => {
  await Promise.all(sinks.map((sink) => sink.close(0)));
  await receiver.close();
  fs.rmSync(path.dirname(folder), { recursive: true, force: true });
});

const target = (url: string, timeoutMs = 5000): Target => ({
  url: logsUrl(url) ?? new URL(url),
  headers: { "x-api-key": "k1" },
  timeoutMs,
});

function open(more: Partial<OtlpSinkOptions> = {}): OtlpSink {
  const sink = openOtlpSink({
    folder,
    target: target(receiver.url),
    origin: { version: "1.2.3" },
    onLost: (one) => lost.push(one),
    onProblem: (message) => problems.push(message),
    backoff: () => 20,
    ...more,
  });
  sinks.push(sink);
  return sink;
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !holds(); i += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
}

describe("what arrives", () => {
  test("each record once, in order, its own line as the body, with the names of the conventions", async () => {
    const sink = open();
    for (const record of records) sink.add(record);
    await until(() => allEntries(receiver).length === records.length);
    expect(allEntries(receiver).map(({ body }) => body)).toEqual(LINES);
    const [request] = receiver.received;
    expect(request?.path).toBe("/v1/logs");
    expect(request?.headers["x-api-key"]).toBe("k1");
    expect(request?.resource).toMatchObject({ "service.name": "countersign", "service.version": "1.2.3" });
    const [entry] = allEntries(receiver);
    expect(entry?.eventName).toBe(`countersign.${records[0].event}`);
    expect(entry?.timeUnixNano).toBe(`${Date.parse(records[0].ts)}000000`);
    expect(entry?.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": records[0].tool,
      "gen_ai.tool.call.id": records[0].call_id,
      "countersign.decision": records[0].decision,
      "countersign.record_hash": records[0].record_hash,
      "countersign.seq": 1,
    });
    await until(() => sink.waiting() === 0);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["denied", { decision: "denied" }, "WARN", 13],
    ["error", { decision: "error", error: "broke" }, "ERROR", 17],
    ["allow", { decision: "allow" }, "INFO", 9],
  ])("severity of %s", async (_name, fields, text, number) => {
    open().add({ ...records[0], error: null, ...fields });
    await until(() => allEntries(receiver).length === 1);
    expect(allEntries(receiver)[0]).toMatchObject({ severityText: text, severityNumber: number });
  });

  test("a secret that an older writer left in the record does not leave the machine", async () => {
    open().add({ ...records[0], args: { command: "psql postgres://a:hunter2x@h/d" } });
    await until(() => allEntries(receiver).length === 1);
    expect(JSON.stringify(receiver.received)).not.toContain("hunter2x");
    expect(allEntries(receiver)[0]?.attributes["countersign.redacted_on_export"]).toBe(true);
  });
});

describe("a receiver in trouble", () => {
  test.each([
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["429", { status: 429 }],
    ["a closed socket", "close"],
    ["silence", "silent"],
    ["slow", { status: 502, delayMs: 100 }],
  ] as const)("%s: tried again, nothing lost, told once", async (_name, manner) => {
    receiver.manners.push(manner, manner);
    const sink = open({ target: target(receiver.url, 200) });
    for (const record of records) sink.add(record);
    await until(() => allEntries(receiver).length === records.length);
    expect(receiver.times.length).toBeGreaterThanOrEqual(3);
    expect(problems).toHaveLength(1);
    expect(lost).toEqual([]);
  });

  test("Retry-After is waited for", async () => {
    receiver.manners.push({ status: 429, retryAfter: "1" });
    open().add(records[0]);
    await until(() => allEntries(receiver).length === 1);
    const [first = 0, second = 0] = receiver.times;
    // The backoff alone would be 20 ms.
    expect(second - first).toBeGreaterThan(900);
  });

  test("what it will never take is dropped and told", async () => {
    receiver.manners.push({ status: 400 });
    const sink = open();
    sink.add(records[0]);
    await until(() => lost.length === 1);
    expect(lost[0]).toEqual({ count: 1, why: "the receiver answered 400" });
    sink.add(records[1]);
    await until(() => allEntries(receiver).length === 1);
  });

  test("records that it rejects are told", async () => {
    receiver.manners.push({ reject: 2 });
    const sink = open();
    for (const record of records) sink.add(record);
    await until(() => lost.length === 1);
    expect(lost[0]).toEqual({ count: 2, why: "the receiver rejected them: too old" });
  });

  test("a redirect is not followed: the key is for this receiver alone", async () => {
    receiver.manners.push({ status: 307 });
    open().add(records[0]);
    await until(() => lost.length === 1);
    expect(receiver.times).toHaveLength(1);
  });
});

describe("the queue", () => {
  test("outlives a restart while nobody listens, and is for this user alone", async () => {
    const url = receiver.url;
    await receiver.close();
    const first = open({ target: target(url) });
    for (const record of records) first.add(record);
    await first.close(100);
    const files = fs.readdirSync(folder);
    expect(files.length).toBeGreaterThan(0);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of files) expect(fs.statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
    receiver = await startReceiver(Number(new URL(url).port));
    open({ target: target(url) });
    await until(() => allEntries(receiver).length === records.length);
    expect(allEntries(receiver).map(({ body }) => body)).toEqual(LINES);
  });

  test("is bounded: the oldest go, and how many is told", async () => {
    await receiver.close();
    const bytes = LINES[0]?.length ?? 0;
    const sink = open({ batchBytes: bytes, maxBytes: bytes * 10 });
    for (let i = 0; i < 100; i += 1) sink.add(records[i % records.length]);
    expect(sink.waiting()).toBeLessThanOrEqual(bytes * 12);
    await until(() => lost.length === 1);
    await sink.close(0);
    const told = lost.reduce((sum, { count }) => sum + count, 0);
    const kept = openQueue({ folder });
    let left = 0;
    for (let batch = kept.next(); batch !== undefined; batch = kept.next()) {
      left += batch.lines.length;
      batch.done();
    }
    expect(told + left).toBe(100);
    receiver = await startReceiver();
  });

  /** A file as a run of this program leaves it. */
  function leave(...lines: readonly (string | undefined)[]): string {
    const before = openQueue({ folder });
    for (const line of lines) before.add(line ?? "");
    before.close();
    return path.join(folder, fs.readdirSync(folder)[0] ?? "");
  }

  test("a line that a kill cut short is left out, the whole ones are sent", async () => {
    const file = leave(LINES[0], LINES[1], LINES[2]);
    fs.truncateSync(file, fs.statSync(file).size - 40);
    open();
    await until(() => allEntries(receiver).length === 2);
    expect(lost).toEqual([]);
  });

  const planted = `000000000000001-999999999-${"a".repeat(12)}.jsonl`;
  test.each<[string, (own: string) => void, number, number]>([
    ["a line that nobody sealed", () => fs.writeFileSync(path.join(folder, planted), `${LINES[3]}\n`), 1, 1],
    [
      "a seal of another line",
      (own) => {
        const [seal] = fs.readFileSync(own, "utf8").split(" ");
        fs.writeFileSync(path.join(folder, planted), `${seal} ${LINES[3]}\n${seal} {}\n`);
      },
      1,
      2,
    ],
    [
      "one more line in a file of ours",
      (own) => fs.appendFileSync(own, `${"0".repeat(64)} ${LINES[3]}\n`),
      1,
      1,
    ],
    [
      "a line of ours, changed",
      (own) => fs.writeFileSync(own, fs.readFileSync(own, "utf8").replace('"error"', '"errOr"')),
      0,
      1,
    ],
    ["a link to a file of ours", (own) => fs.symlinkSync(own, path.join(folder, planted)), 1, 0],
    [
      "a file too large for one of ours",
      () => {
        fs.writeFileSync(path.join(folder, planted), "");
        fs.truncateSync(path.join(folder, planted), 2 ** 31);
      },
      1,
      1,
    ],
  ])("%s is dropped, and told; what is ours is sent", async (_name, plant, sent, dropped) => {
    plant(leave(LINES[0]));
    const sink = open();
    await until(() => sink.waiting() === 0 && allEntries(receiver).length === sent);
    await sink.close(0);
    expect(allEntries(receiver).map(({ body }) => body)).toEqual(LINES.slice(0, sent));
    expect(lost.reduce((sum, { count }) => sum + count, 0)).toBe(dropped);
  });

  test("what another running process writes is not taken over", () => {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, `000000000000001-1-${"a".repeat(12)}.jsonl`), `${LINES[0]}\n`);
    expect(openQueue({ folder }).next()).toBeUndefined();
  });

  test("two in one process share a folder, and each record is sent once", async () => {
    const [first, second] = [open(), open()];
    for (const [index, record] of records.entries()) (index % 2 === 0 ? first : second).add(record);
    open();
    await until(() => allEntries(receiver).length >= records.length);
    expect(
      allEntries(receiver)
        .map(({ body }) => body)
        .sort(),
    ).toEqual([...LINES].sort());
  });

  test("a folder that cannot be written loses no call: it is told", async () => {
    const sink = open();
    fs.rmSync(folder, { recursive: true, force: true });
    expect(() => sink.add(records[0])).not.toThrow();
    await until(() => lost.length === 1);
  });
});
