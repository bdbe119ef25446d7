import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRecords } from "../../src/node/auditFile";
import { verifyFile } from "../../src/node/auditVerify";
import { openAuditLog } from "../../src/node/auditWriter";
import { acknowledged, bundleChild, newFolder, startChild } from "./auditProcess";

let folder: string;
let bundle: string;

beforeAll(async () => {
  folder = newFolder();
  bundle = await bundleChild(folder);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function callIds(file: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { record } of readRecords(file))
    if (record?.call_id !== undefined) ids.push(record.call_id);
  return ids;
}

test("8 processes write 250 records each: one chain, none lost, none twice", async () => {
  const file = path.join(folder, "many", "audit.jsonl");
  const children = Array.from({ length: 8 }, (_, i) => startChild(bundle, ["append", file, "250", `p${i}`]));
  const ends = await Promise.all(children.map((child) => child.ended));
  expect(ends.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(Array.from({ length: 8 }, () => "0 "));
  const report = await verifyFile(file);
  expect(report).toMatchObject({ ok: true, count: 2000, warnings: [] });
  const said = children.flatMap((child) => acknowledged(child.lines));
  expect((await callIds(file)).sort()).toEqual(said.sort());
  const times = children.map((child) => child.lines.at(-1) ?? "").join("; ");
  console.info(`flat out, load ${os.loadavg()[0]?.toFixed(1)}: ${times}`);
}, 120_000);

test("no room left in the middle of a write: refused with a hint, nothing half written stays, the chain is sound", async () => {
  const file = path.join(folder, "full", "audit.jsonl");
  // A real short write and a real error of the system: files may not grow over 100 KiB.
  const limited = startChild(bundle, ["fill", file], { limitKib: 100 });
  expect(await limited.ended).toEqual({ code: 0, stderr: "" });
  const [, count, code, hint] = limited.lines[0]?.split(" ") ?? [];
  expect({ code, hint }).toEqual({ code: "audit.unwritable", hint: "hint" });
  expect(Number(count)).toBeGreaterThan(10);
  expect(await verifyFile(file)).toMatchObject({ ok: true, count: Number(count), warnings: [] });
  const log = await openAuditLog({ path: file, role: "cli", version: "0.0.0" });
  await log.append({ event: "call", error: null });
  await log.close();
  expect(await verifyFile(file)).toMatchObject({ ok: true, count: Number(count) + 1 });
});

describe("kill -9", () => {
  test("30 times at random points: no acknowledged record is lost, the chain is sound", async () => {
    const file = path.join(folder, "killed", "audit.jsonl");
    const said: string[] = [];
    let kills = 0;
    for (let round = 0; round < 15; round += 1) {
      const pair = [0, 1].map((n) => startChild(bundle, ["append", file, "100000", `k${round}-${n}`]));
      await Promise.all(pair.map((child) => child.said("ack ")));
      for (const child of pair) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
        child.process.kill("SIGKILL");
        kills += 1;
      }
      await Promise.all(pair.map((child) => child.ended));
      said.push(...pair.flatMap((child) => acknowledged(child.lines)));
    }
    const log = await openAuditLog({ path: file, role: "library", version: "0.0.0" });
    await log.append({ event: "call", call_id: "after", error: null });
    await log.close();
    const report = await verifyFile(file);
    expect(report).toMatchObject({ ok: true, firstBad: null });
    const ids = new Set(await callIds(file));
    expect(kills).toBe(30);
    expect(said.length).toBeGreaterThan(30);
    expect(said.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.has("after")).toBe(true);
  }, 120_000);

  test("a call that was running becomes a record with ended_unknown, its secrets hidden", async () => {
    const file = path.join(folder, "intent", "audit.jsonl");
    const child = startChild(bundle, ["intend", file, "0", "call_lost"]);
    await child.said("intended");
    const beside = await openAuditLog({ path: file, role: "cli", version: "0.0.0" });
    await beside.close();
    expect(await callIds(file), "the writer lives: nothing is known yet").toEqual([]);
    child.process.kill("SIGKILL");
    await child.ended;
    const log = await openAuditLog({ path: file, role: "cli", version: "0.0.0" });
    await log.close();
    const records = [];
    for await (const { record } of readRecords(file)) records.push(record);
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      call_id: "call_lost",
      decision: "allow",
      args: { password: "[REDACTED]" },
      findings: [{ code: "ended_unknown", by: "audit_log" }],
    });
    expect(fs.readdirSync(path.join(folder, "intent", "audit.intents"))).toEqual([]);
    expect(fs.readFileSync(file, "utf8")).not.toContain("hunter2");
  });
});
