/** What stands at the end of a log and is no record: set aside whole, whatever its size, and the log goes on. */
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AuditRecord } from "../../src/core/audit/record";
import { readRecords } from "../../src/node/auditFile";
import { fileHeadStore } from "../../src/node/auditHead";
import { verifyFile } from "../../src/node/auditVerify";
import { openAuditLog } from "../../src/node/auditWriter";
import { bundleChild, type Child, newFolder, startChild } from "./auditProcess";

let built: string;
let bundle: string;
let folder: string;
let file: string;
const children: Child[] = [];

beforeAll(async () => {
  built = newFolder();
  bundle = await bundleChild(built);
});
afterAll(() => fs.rmSync(built, { recursive: true, force: true }));
beforeEach(() => {
  folder = newFolder();
  file = path.join(folder, "log", "audit.jsonl");
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.process.kill("SIGKILL");
    await child.ended;
  }
  fs.rmSync(folder, { recursive: true, force: true });
});

const heads = () => fileHeadStore(path.join(folder, "heads"), file);

async function write(...ids: readonly string[]): Promise<void> {
  const log = await openAuditLog({ path: file, role: "library", version: "1", head: heads() });
  for (const call_id of ids) await log.append({ event: "call", call_id, tool: "t", error: null });
  await log.close();
}

async function records(): Promise<(AuditRecord | null)[]> {
  const all = [];
  for await (const { record } of readRecords(file)) all.push(record);
  return all;
}

function evidence(): string[] {
  const at = path.dirname(file);
  return fs
    .readdirSync(at)
    .filter((name) => name.includes(".torn-"))
    .map((name) => path.join(at, name));
}

const append = (bytes: string | Buffer) => () => fs.appendFileSync(file, bytes);
const hole = (bytes: number) => () => fs.truncateSync(file, fs.statSync(file).size + bytes);

describe("a tail without records", () => {
  test.each<[string, "torn" | "foreign", readonly (() => void)[]]>([
    ["100,000 lines of one letter", "foreign", [append("x\n".repeat(100_000))]],
    ["6 MB of short lines", "foreign", [append(`${"x".repeat(50)}\n`.repeat(120_000))]],
    ["6 MB of objects", "foreign", [append('{"a":1}\n'.repeat(750_000))]],
    [
      "lines that end like records",
      "foreign",
      [append(`{"a":1,"record_hash":"${"g".repeat(64)}"}\n`.repeat(60_000))],
    ],
    ["one line of 5 MB", "foreign", [append(`${"y".repeat(5_000_000)}\n`)]],
    ["lines, and then half a line", "foreign", [append("x\n".repeat(50_000)), append("{")]],
    ["40 MB without an end", "torn", [append(Buffer.alloc(40_000_000, "z"))]],
    ["a hole of 3 GiB", "torn", [hole(3 * 2 ** 30)]],
    ["a hole of 300 MiB with lines behind it", "torn", [hole(300 * 2 ** 20), append("x\n".repeat(10))]],
    ["a hole of 64 KiB", "torn", [hole(65_536)]],
  ])("%s: kept whole, and the log goes on", async (_name, what, damage) => {
    await write("a", "b");
    const good = fs.readFileSync(file);
    for (const one of damage) one();
    const { size } = fs.statSync(file);
    await write("c");
    expect((await records()).map((r) => r?.call_id ?? r?.event)).toEqual(["a", "b", "log.recovered", "c"]);
    expect((await records())[2]?.data).toMatchObject({
      what,
      torn_offset: good.length,
      torn_bytes: size - good.length,
    });
    const known = await heads().load();
    expect(await verifyFile(file, known === undefined ? {} : { head: known })).toMatchObject({
      ok: true,
      count: 4,
    });
    const [kept = "", ...more] = evidence();
    expect(more).toEqual([]);
    const whole = (await records())[2]?.data?.kept_whole === true;
    expect(fs.statSync(kept).size).toBe(whole ? size : size - good.length);
    if (whole) {
      const head = Buffer.alloc(good.length);
      const fd = fs.openSync(kept, "r");
      fs.readSync(fd, head);
      fs.closeSync(fd);
      expect(head).toEqual(good);
    }
  });

  test("a hole costs neither memory nor disk", async () => {
    await write("a");
    hole(2 ** 40)();
    await write("b");
    const blocks = evidence().map((name) => fs.statSync(name).blocks * 512);
    expect(Math.max(...blocks)).toBeLessThan(1_000_000);
    expect((await records()).map((r) => r?.call_id ?? r?.event)).toEqual(["a", "log.recovered", "b"]);
  });

  test("an open log goes on too, also in the window that did not mend it", async () => {
    const options = { path: file, role: "library", version: "1" } as const;
    const [first, second] = [await openAuditLog(options), await openAuditLog(options)];
    const call = (call_id: string) => ({ event: "call", call_id, error: null }) as const;
    await first.append(call("a"));
    await second.append(call("b"));
    hole(2 ** 30)();
    await first.append(call("c"));
    await second.append(call("d"));
    await first.append(call("e"));
    await Promise.all([first.close(), second.close()]);
    const ids = (await records()).map((r) => r?.call_id ?? r?.event);
    expect(ids).toEqual(["a", "b", "log.recovered", "c", "d", "e"]);
  });

  test("a few lines stay where they are, for all to see", async () => {
    await write("a");
    append("x\n".repeat(20))();
    await write("b");
    expect(evidence()).toEqual([]);
    expect((await verifyFile(file)).damage.length).toBeGreaterThan(0);
    expect((await records()).at(-1)?.call_id).toBe("b");
  });

  test("a large file that holds no record is none of ours: nothing is touched", async () => {
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, "x\n".repeat(100_000));
    await expect(write("a")).rejects.toMatchObject({ code: "audit.path" });
    expect(fs.statSync(file).size).toBe(200_000);
    expect(evidence()).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("where the evidence cannot be written whole", () => {
  // Limits within a block that is written at once: the system writes a part of it, and says so only by the count.
  async function tryWith(limitKib: number): Promise<readonly string[]> {
    const child = startChild(bundle, ["tryOne", file], { limitKib });
    children.push(child);
    await child.ended;
    return child.lines;
  }

  test("the old file stays as evidence, and the good part becomes the log", async () => {
    await write("a");
    append(`{"${"y".repeat(3 * 2 ** 20)}`)();
    const before = fs.readFileSync(file);
    expect(await tryWith(2500)).toEqual(["written"]);
    expect(evidence().map((name) => fs.readFileSync(name).equals(before))).toEqual([true]);
    expect(await verifyFile(file)).toMatchObject({ ok: true });
  });

  test("where neither fits, nothing is cut and no half copy stays", async () => {
    const log = await openAuditLog({ path: file, role: "library", version: "1" });
    for (let i = 0; i < 60; i += 1)
      await log.append({ event: "call", args: { text: "x".repeat(50_000) }, error: null });
    await log.close();
    append(`{"${"y".repeat(2 ** 20 * 1.5)}`)();
    const before = fs.readFileSync(file);
    expect(await tryWith(1200)).toEqual([expect.stringMatching(/^refused audit\.unwritable/)]);
    expect(fs.readFileSync(file).equals(before)).toBe(true);
    expect(evidence()).toEqual([]);
    await write("b");
    expect(evidence().length).toBe(1);
    expect(await verifyFile(file)).toMatchObject({ ok: true });
  });
});

describe("what waits beside the log, among what does not", () => {
  const hash = "0".repeat(64);
  test.each<[string, (spool: string) => void]>([
    [
      "600 files that come first",
      (spool) => {
        for (let i = 0; i < 600; i += 1) fs.writeFileSync(path.join(spool, `000${i}`), "junk");
      },
    ],
    [
      "600 files named like ours",
      (spool) => {
        for (let i = 0; i < 600; i += 1)
          fs.writeFileSync(path.join(spool, `000${i}-${hash}.json`), '{"kind":"spool"}');
      },
    ],
    [
      "600 folders named like ours",
      (spool) => {
        for (let i = 0; i < 600; i += 1) fs.mkdirSync(path.join(spool, `000${i}-${hash}.json`));
      },
    ],
  ])("%s, and nowhere to put them: the acknowledged denial is in the log", async (_name, plant) => {
    const log = await openAuditLog({
      path: file,
      role: "library",
      version: "1",
      head: heads(),
      lockMs: 50,
    });
    await log.append({ event: "call", call_id: "a", decision: "denied", error: null });
    const holder = startChild(bundle, ["hold", file, "1", "60000"]);
    children.push(holder);
    await holder.said("holding");
    const waiting = await log.append({ event: "call", call_id: "b", decision: "denied", error: null });
    expect(waiting.seq).toBe(0);
    plant(path.join(path.dirname(file), "audit.spool"));
    for (const name of ["", ...Array.from({ length: 12 }, (_, i) => `-${i + 2}`)])
      fs.writeFileSync(path.join(path.dirname(file), `audit.foreign${name}`), "a file");
    holder.process.kill("SIGKILL");
    await holder.ended;
    await log.append({ event: "call", call_id: "c", error: null });
    await log.close();
    expect((await records()).map((r) => r?.call_id).sort()).toEqual(["a", "b", "c"]);
  });

  test("more look-alikes than are looked into at once: the next time begins behind them", async () => {
    await write("a");
    const spool = path.join(path.dirname(file), "audit.spool");
    fs.mkdirSync(spool, { recursive: true });
    for (let i = 0; i < 1200; i += 1)
      fs.writeFileSync(path.join(spool, `${String(i).padStart(8, "0")}-${hash}.json`), "");
    for (const name of ["", ...Array.from({ length: 12 }, (_, i) => `-${i + 2}`)])
      fs.writeFileSync(path.join(path.dirname(file), `audit.foreign${name}`), "a file");
    const holder = startChild(bundle, ["hold", file, "1", "60000"]);
    children.push(holder);
    await holder.said("holding");
    const log = await openAuditLog({ path: file, role: "library", version: "1", head: heads(), lockMs: 50 });
    await log.append({ event: "call", call_id: "b", decision: "denied", error: null });
    holder.process.kill("SIGKILL");
    await holder.ended;
    await log.close();
    await write("c");
    await write("d");
    expect((await records()).map((r) => r?.call_id).sort()).toEqual(["a", "b", "c", "d"]);
  });

  test("where something stands in the evidence's place, it goes beside it", async () => {
    await write("a");
    const at = path.dirname(file);
    fs.mkdirSync(path.join(at, "audit.spool"), { recursive: true });
    fs.writeFileSync(path.join(at, "audit.spool", "x"), "junk");
    fs.writeFileSync(path.join(at, "audit.foreign"), "a file");
    await write("b");
    expect(fs.readdirSync(path.join(at, "audit.foreign-2"))).toHaveLength(1);
    expect(fs.readFileSync(path.join(at, "audit.foreign"), "utf8")).toBe("a file");
  });
});
