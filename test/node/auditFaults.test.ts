import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AuditRecord, RecordBody } from "../../src/core/audit/record";
import { fallbackStore } from "../../src/node/auditFallback";
import { readRecords } from "../../src/node/auditFile";
import { fileHeadStore } from "../../src/node/auditHead";
import { openAuditLock } from "../../src/node/auditLock";
import { memoryAuditLog } from "../../src/node/auditMemory";
import { auditPlace } from "../../src/node/auditPlace";
import { verifyFile } from "../../src/node/auditVerify";
import { type AuditLog, type AuditWriterOptions, openAuditLog } from "../../src/node/auditWriter";
import { fakeClock, quietLog } from "../core/fixtures";
import { bundleChild, type Child, newFolder, startChild } from "./auditProcess";

let built: string;
let bundle: string;
let folder: string;
let file: string;
const opened: AuditLog[] = [];
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
  for (const log of opened.splice(0)) await log.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function open(options: Partial<AuditWriterOptions> = {}): Promise<AuditLog> {
  const log = await openAuditLog({ path: file, role: "library", version: "1.2.3", ...options });
  opened.push(log);
  return log;
}

function child(args: readonly string[]): Child {
  const started = startChild(bundle, args);
  children.push(started);
  return started;
}

const call = (id: string, more: Partial<RecordBody> = {}): RecordBody => ({
  event: "call",
  call_id: id,
  tool: "t",
  decision: "allow",
  error: null,
  ...more,
});

async function records(): Promise<(AuditRecord | null)[]> {
  const all = [];
  for await (const { record } of readRecords(file)) all.push(record);
  return all;
}

const heads = () => fileHeadStore(path.join(folder, "heads"), file);

const isolated = (script: string): string[] => ["-Urm", "sh", "-ec", script];
const canMount = spawnSync("unshare", isolated("mount -t tmpfs -o size=64k tmpfs /mnt")).status === 0;

describe("the disk", () => {
  test.skipIf(!canMount)(
    "full: refused, nothing half written stays, and it goes on once there is room",
    () => {
      fs.mkdirSync(path.dirname(file));
      const words = [process.execPath, bundle, "fillDisk", file].map((word) => `'${word}'`).join(" ");
      const script = `mount -t tmpfs -o size=512k tmpfs '${path.dirname(file)}'; exec ${words}`;
      const { stdout, stderr } = spawnSync("unshare", isolated(script), { encoding: "utf8" });
      expect(stderr).toBe("");
      const said = JSON.parse(stdout);
      expect(said).toMatchObject({
        refusals: ["audit.unwritable", "audit.unwritable", "audit.unwritable"],
        full: { ok: true, count: said.written },
        after: { ok: true },
      });
      expect(said.written).toBeGreaterThan(10);
      expect(said.after.count).toBeGreaterThan(said.written);
    },
  );

  test.skipIf(!canMount).each(["fresh", "begun"])(
    "read-only, the log %s: refused with a hint",
    async (state) => {
      fs.mkdirSync(path.dirname(file));
      if (state === "begun") await (await open()).append(call("a"));
      const at = path.dirname(file);
      const words = [process.execPath, bundle, "tryOne", file].map((word) => `'${word}'`).join(" ");
      const script = `mount --bind '${at}' '${at}'; mount -o remount,bind,ro '${at}'; exec ${words}`;
      const { stdout } = spawnSync("unshare", isolated(script), { encoding: "utf8" });
      expect(stdout).toBe("refused audit.unwritable hint\n");
    },
  );

  test.skipIf(process.platform === "win32")("a folder without rights: refused with a hint", async () => {
    fs.mkdirSync(path.dirname(file));
    // Root may write anywhere: another user stands in.
    const isRoot = process.getuid?.() === 0;
    for (const at of [built, folder, path.dirname(file)]) fs.chmodSync(at, isRoot ? 0o755 : 0o500);
    const who = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    const ran = spawnSync(process.execPath, [bundle, "tryOne", file], { encoding: "utf8", ...who });
    for (const at of [built, folder, path.dirname(file)]) fs.chmodSync(at, 0o700);
    expect(ran.stdout).toBe("refused audit.unwritable hint\n");
  });
});

describe("the folder under an open log", () => {
  test.each<[string, () => void]>([
    ["removed", () => fs.rmSync(path.dirname(file), { recursive: true })],
    ["moved away", () => fs.renameSync(path.dirname(file), path.join(folder, "moved"))],
    [
      "replaced by an empty one",
      () => {
        fs.rmSync(path.dirname(file), { recursive: true });
        fs.mkdirSync(path.dirname(file));
      },
    ],
    [
      "replaced by a file",
      () => {
        fs.rmSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(path.dirname(file), "");
      },
    ],
  ])("%s: every append is refused, and no new log begins", async (_name, damage) => {
    const log = await open({ head: heads() });
    await log.append(call("a", { decision: "denied" }));
    damage();
    for (const id of ["b", "c"]) {
      await expect(log.append(call(id))).rejects.toMatchObject({ code: expect.stringMatching(/^audit\./) });
    }
    expect(fs.existsSync(file)).toBe(false);
    await expect(open({ head: heads() })).rejects.toMatchObject({
      code: expect.stringMatching(/^audit\./),
    });
  });

  test("a folder that comes back is written again", async () => {
    const log = await open({ head: heads() });
    await log.append(call("a", { decision: "denied" }));
    fs.renameSync(path.dirname(file), path.join(folder, "moved"));
    await expect(log.append(call("b"))).rejects.toMatchObject({ code: expect.stringMatching(/^audit\./) });
    fs.renameSync(path.join(folder, "moved"), path.dirname(file));
    await log.append(call("c"));
    expect((await records()).map((r) => r?.call_id)).toEqual(["a", "c"]);
    expect(await verifyFile(file)).toMatchObject({ ok: true });
  });

  test("the record that could not be written goes elsewhere, whole", async () => {
    const spare = path.join(folder, "spare", "audit.jsonl");
    const store = fallbackStore({
      file: () => open({ head: heads() }),
      elsewhere: () => open({ path: spare }),
      memory: memoryAuditLog({ role: "extension", version: "0" }),
      clock: fakeClock(),
      log: quietLog,
      onPlace: () => undefined,
    });
    await store.append(call("a"));
    fs.rmSync(path.dirname(file), { recursive: true });
    await store.intend(call("b"));
    await store.append(call("b"));
    expect(store.place()).toBe("elsewhere");
    expect(await verifyFile(spare)).toMatchObject({ ok: true, count: 1 });
  });

  test("another log in the file's place: refused while open, and left as it is", async () => {
    const other = path.join(folder, "other", "audit.jsonl");
    const stranger = await openAuditLog({ path: other, role: "cli", version: "0" });
    await stranger.append(call("x"));
    await stranger.close();
    const log = await open();
    await log.append(call("a"));
    fs.copyFileSync(other, `${file}.new`);
    fs.renameSync(`${file}.new`, file);
    await expect(log.append(call("b"))).rejects.toMatchObject({ code: "audit.unreadable" });
    expect(fs.readFileSync(file, "utf8")).toBe(fs.readFileSync(other, "utf8"));
  });
});

describe("links", () => {
  test.each(["audit.jsonl", "audit.lock.db"])(
    "%s is a link to a file of the person's: refused, the file untouched",
    async (name) => {
      const victim = path.join(folder, "victim");
      fs.writeFileSync(victim, "export PATH=/bin\n");
      fs.mkdirSync(path.dirname(file));
      fs.symlinkSync(victim, path.join(path.dirname(file), name));
      await expect(open()).rejects.toMatchObject({ code: expect.stringMatching(/^audit\./) });
      expect(fs.readFileSync(victim, "utf8")).toBe("export PATH=/bin\n");
    },
  );

  test.each(["audit.spool", "audit.intents"])(
    "%s is a link to a folder of the person's: nothing is read, written or moved there",
    async (name) => {
      const victim = path.join(folder, "victim");
      fs.mkdirSync(victim);
      fs.writeFileSync(path.join(victim, "id_ed25519"), "secret");
      fs.mkdirSync(path.dirname(file));
      fs.symlinkSync(victim, path.join(path.dirname(file), name));
      const log = await open();
      await log.append(call("a"));
      expect(fs.readdirSync(victim)).toEqual(["id_ed25519"]);
      expect((await records())[0]).toMatchObject({
        event: "log.recovered",
        data: { what: "foreign_files", files: [{ name }] },
      });
      expect(fs.readFileSync(file, "utf8")).not.toContain("secret");
      fs.rmSync(path.join(path.dirname(file), name), { force: true, recursive: true });
      fs.symlinkSync(victim, path.join(path.dirname(file), name));
      const later = log.intend(call("b"));
      if (name === "audit.intents") await expect(later).rejects.toMatchObject({ code: "audit.path" });
      await later.catch(() => undefined);
      expect(fs.readdirSync(victim)).toEqual(["id_ed25519"]);
    },
  );

  test("the key's file is a link or has no key: what waits is not taken for ours, and nothing is written through it", async () => {
    const victim = path.join(folder, "victim");
    fs.writeFileSync(victim, "x");
    fs.mkdirSync(path.dirname(file));
    fs.symlinkSync(victim, path.join(path.dirname(file), "audit.hmac-key"));
    const log = await open();
    await log.append(call("a", { args: { text: "x".repeat(100_000) } }));
    expect(fs.readFileSync(victim, "utf8")).toBe("x");
    expect((await records())[0]?.args).toMatchObject({ text: { $truncated: { bytes: 100_000 } } });
  });
});

describe("the lock's holder", () => {
  test("within one process too there is one: another turn waits, and does not fail", async () => {
    fs.mkdirSync(path.dirname(file));
    const lock = openAuditLock(auditPlace(file).lock);
    expect([lock.tryAcquire(), lock.tryAcquire(), await lock.acquire(5)]).toEqual([true, false, false]);
    lock.release();
    expect(lock.tryAcquire()).toBe(true);
    lock.close();
  });

  test("killed: the next append gets the lock, and waits in no folder", async () => {
    const log = await open({ head: heads() });
    await log.append(call("a"));
    const holder = child(["hold", file, "1", "60000"]);
    await holder.said("holding");
    holder.process.kill("SIGKILL");
    await holder.ended;
    expect(await log.append(call("b"))).toMatchObject({ seq: 2 });
  });

  test.skipIf(process.platform === "win32")(
    "suspended: records wait, nobody is robbed of the lock, and the chain goes on once it wakes",
    async () => {
      const log = await open({ head: heads(), lockMs: 100 });
      await log.append(call("a", { decision: "denied" }));
      // It holds the lock for a moment only, but it is stopped in the middle of it.
      const holder = child(["hold", file, "1", "200"]);
      await holder.said("holding");
      holder.process.kill("SIGSTOP");
      const waiting = [await log.append(call("b")), await log.append(call("c", { decision: "denied" }))];
      expect(waiting.map(({ seq }) => seq)).toEqual([0, 0]);
      expect((await records()).map((r) => r?.call_id)).toEqual(["a"]);
      const blind = await open({ lockMs: 50 });
      await expect(blind.append(call("d"))).rejects.toMatchObject({ code: "audit.locked" });
      holder.process.kill("SIGCONT");
      await holder.ended;
      await log.append(call("e"));
      await blind.close();
      const known = await heads().load();
      expect(await verifyFile(file, known === undefined ? {} : { head: known })).toMatchObject({
        ok: true,
        count: 5,
      });
      expect((await records()).map((r) => r?.call_id).sort()).toEqual(["a", "b", "c", "d", "e"]);
    },
  );
});

test("killed between a record and the end of its intent: one record of that call, and one of the call that still ran", async () => {
  const writer = child(["leaveBoth", file]);
  await writer.said("left");
  writer.process.kill("SIGKILL");
  await writer.ended;
  const log = await open();
  await log.append(call("after"));
  expect((await records()).map((r) => [r?.call_id, r?.tool, r?.findings?.[0]?.code])).toEqual([
    ["c", "t", undefined],
    ["c", "second", "ended_unknown"],
    ["after", "t", undefined],
  ]);
  expect(fs.readdirSync(path.join(path.dirname(file), "audit.intents"))).toEqual([]);
});

describe("the clock", () => {
  test("goes back: the record says what the clock said, and that it went back; the order is that of the numbers", async () => {
    const clock = fakeClock(Date.parse("2026-03-01T12:00:00.000Z"));
    const log = await open({ clock });
    await log.append(call("a"));
    clock.advance(-500);
    await log.append(call("b"));
    clock.advance(-3_600_000);
    await log.append(call("c", { findings: [{ code: "x", message: "m", by: "g" }] }));
    await log.append(call("d"));
    clock.advance(7_200_000);
    await log.append(call("e"));
    const all = await records();
    expect(all.map((r) => [r?.seq, r?.ts.slice(11, 19)])).toEqual([
      [1, "12:00:00"],
      [2, "11:59:59"],
      [3, "10:59:59"],
      [4, "10:59:59"],
      [5, "12:59:59"],
    ]);
    expect(all.map((r) => r?.findings?.map(({ code }) => code))).toEqual([
      undefined,
      undefined,
      ["x", "clock_went_back"],
      undefined,
      undefined,
    ]);
    expect(all[2]?.findings?.[1]?.details).toEqual({
      back_ms: 3_600_000,
      newest: "2026-03-01T11:59:59.500Z",
    });
    expect(await verifyFile(file)).toMatchObject({ ok: true });
  });
});

describe("when the disk has it", () => {
  // The head elsewhere only ever names what was flushed: it shows from outside what was on the disk at a moment.
  test.each<[string, RecordBody, Partial<AuditWriterOptions>, "at once" | "later"]>([
    ["an allowed call", call("x"), {}, "later"],
    ["an allowed call, always", call("x"), { durability: "always" }, "at once"],
    ["a denial", call("x", { decision: "denied" }), {}, "at once"],
    ["what a person approved", call("x", { approver: "person" }), {}, "at once"],
    ["a choice", { event: "human_choice", data: { choice: "deny" }, error: null }, {}, "at once"],
    ["a switch", { event: "switch", data: { enabled: false }, error: null }, {}, "at once"],
  ])("%s: %s", async (_name, body, options, when) => {
    const log = await open({ head: heads(), ...options });
    await log.append(call("first"));
    const { seq } = await log.append(body);
    const known = (await heads().load())?.seq ?? 0;
    expect(known >= seq).toBe(when === "at once");
    await expect.poll(async () => (await heads().load())?.seq).toBe(seq);
  });
});

test("six programs begin at once: one key, one lock, one log", async () => {
  const pair = Array.from({ length: 6 }, (_, n) => child(["append", file, "20", `w${n}`]));
  await Promise.all(pair.map(({ ended }) => ended));
  expect(await verifyFile(file)).toMatchObject({ ok: true, count: 120 });
  expect(fs.readdirSync(path.dirname(file)).sort()).toEqual(
    expect.arrayContaining(["audit.jsonl", "audit.lock.db"]),
  );
  expect(fs.readdirSync(path.dirname(file)).filter((name) => name.includes("hmac-key."))).toEqual([]);
});
