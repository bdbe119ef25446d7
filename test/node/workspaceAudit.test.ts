import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openWorkspaceAudit, type WorkspaceAudit } from "../../src/host/workspaceAudit";
import { closedSegments } from "../../src/node/auditSegment";
import { verifyFile } from "../../src/node/auditVerify";
import { type Resolved, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { createTrustStore } from "../../src/node/trustStore";
import { recordsOf } from "./auditKeyed";
import { newFolder } from "./auditProcess";

let base: string;
let home: string;
let root: string;
let resolved: Resolved;
const secrets = new Map<string, string>();
const open: WorkspaceAudit[] = [];

beforeAll(() => {
  base = newFolder();
});
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));
beforeEach(async () => {
  home = fs.mkdtempSync(path.join(base, "home-"));
  root = fs.mkdtempSync(path.join(base, "ws-"));
  vi.stubEnv("HOME", home);
  vi.stubEnv("USERPROFILE", home);
  secrets.clear();
  const store = createTrustStore({ home, now: Date.now });
  resolved = await resolveWorkspace({ root, store, env: {}, user: {}, locked: [], trusted: true });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((audit) => audit.close()));
  vi.unstubAllEnvs();
});

function openAudit(errors: string[] = []): WorkspaceAudit {
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (text: string) => void errors.push(text),
  };
  const audit = openWorkspaceAudit({
    root,
    folder: path.join(root, ".countersign"),
    storage: path.join(home, "storage"),
    secrets: {
      get: async (key) => secrets.get(key),
      store: async (key, value) => void secrets.set(key, value),
    },
    log,
    resolved: () => resolved,
    onPlace: () => undefined,
    onUnsigned: (why) => void errors.push(`unsigned: ${why}`),
    onRecord: () => undefined,
  });
  open.push(audit);
  return audit;
}

test("the editor's log: approvals signed, covered when the window closes, its key known on this machine", async () => {
  const errors: string[] = [];
  const audit = openAudit(errors);
  expect(await audit.publicKey()).toBeUndefined();
  await audit.store.append({ event: "human_choice", data: { choice: "allow" }, error: null });
  const key = await audit.publicKey();
  await audit.close();
  expect(errors).toEqual([]);
  expect(audit.checkpointProblem()).toBeUndefined();
  const [records = []] = recordsOf(audit.path());
  expect(records.map((r) => [r.event, r.sig !== undefined])).toEqual([
    ["log.open", true],
    ["human_choice", true],
    ["log.checkpoint", true],
  ]);
  expect(await verifyFile(audit.path(), { vkey: key ?? "" })).toMatchObject({ ok: true, level: 2 });
  // Another window, before its first record.
  expect(await openAudit().publicKey()).toBe(key);
  expect(closedSegments(audit.path())).toEqual([]);
  // The private key and the anchor lie in the secret storage, and nowhere else.
  const seeds = [...secrets.values()].flatMap((text) =>
    [...text.matchAll(/"seed":"([^"]+)"/g)].map((m) => m[1]),
  );
  expect(seeds).toHaveLength(1);
  for (const folder of [home, root]) {
    for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const file = path.join(folder, name);
      if (fs.statSync(file).isFile()) expect(fs.readFileSync(file, "latin1")).not.toContain(seeds[0]);
    }
  }
});

test("a log that was exchanged between two sessions is not vouched for", async () => {
  const first = openAudit();
  for (let i = 0; i < 5; i += 1) await first.store.append({ event: "call", call_id: `c-${i}`, error: null });
  await first.close();
  const lines = fs.readFileSync(first.path(), "utf8").split("\n");
  fs.writeFileSync(first.path(), `${lines.slice(0, 3).join("\n")}\n`);
  // All that lies in files is set back with it.
  fs.rmSync(path.join(home, ".countersign", "heads"), { recursive: true });
  const errors: string[] = [];
  const second = openAudit(errors);
  await second.store.append({ event: "call", decision: "denied", error: null });
  await vi.waitFor(() => expect(second.checkpointProblem()).toContain("does not go on"));
  expect(errors.join()).toContain("records are missing from its end");
});

test("the editor verifies with all that it keeps: level 3, and a log set back with every file beside it is found", async () => {
  const audit = openAudit();
  for (let i = 0; i < 5; i += 1) await audit.store.append({ event: "call", call_id: `c-${i}`, error: null });
  await audit.store.append({ event: "call", decision: "denied", error: null });
  await audit.close();
  expect(await audit.verify()).toMatchObject({ ok: true, level: 3, checkpoints: { pinned: true } });
  const notes = path.join(path.dirname(audit.path()), "audit.checkpoints");
  const [lines, signed] = [audit.path(), notes].map((file) => fs.readFileSync(file, "utf8"));
  const later = openAudit();
  await later.store.append({ event: "call", decision: "denied", error: null });
  await later.close();
  expect(await later.verify()).toMatchObject({ ok: true, level: 3 });
  // Only the secret storage still knows better.
  fs.writeFileSync(audit.path(), lines ?? "");
  fs.writeFileSync(notes, signed ?? "");
  fs.rmSync(path.join(home, ".countersign", "heads"), { recursive: true });
  expect(await later.verify()).toMatchObject({ ok: false, level: 0, damage: [{ kind: "rolled_back" }] });
  expect(await verifyFile(audit.path())).toMatchObject({ ok: true });
});

describe("the key of the log is not held here", () => {
  async function without(): Promise<{ audit: WorkspaceAudit; errors: string[]; before: number }> {
    const first = openAudit();
    await first.store.append({ event: "call", call_id: "c-1", error: null });
    await first.close();
    const [records = []] = recordsOf(first.path());
    secrets.clear();
    const errors: string[] = [];
    return { audit: openAudit(errors), errors, before: records.length };
  }

  test("approvals are recorded, unsigned, and that is told once; verification names them", async () => {
    const { audit, errors, before } = await without();
    expect(audit.keyTrouble()).toBeUndefined();
    for (let i = 0; i < 2; i += 1)
      await audit.store.append({ event: "human_choice", data: { choice: "allow" }, error: null });
    expect(errors.filter((text) => text.startsWith("unsigned: "))).toHaveLength(1);
    expect(audit.keyTrouble()).toMatchObject({
      kind: "not held",
      why: expect.stringContaining("not held here"),
    });
    expect((await audit.verify()).damage.map(({ line, kind }) => [line, kind])).toEqual([
      [before + 1, "unattested"],
      [before + 2, "unattested"],
    ]);
  });

  test("a new log, once a person said so: it names the old one, which stays, and has a key", async () => {
    const { audit, before } = await without();
    await audit.store.append({ event: "human_choice", data: { choice: "allow" }, error: null });
    const [old = []] = recordsOf(audit.path());
    audit.beginAnew();
    await audit.store.append({ event: "switch", data: { what: "new_log", to: "begun" }, error: null });
    await audit.close();
    expect(audit.keyTrouble()).toBeUndefined();
    const [records = []] = recordsOf(audit.path());
    expect(records[0]).toMatchObject({
      event: "log.recovered",
      data: { what: "set_aside", lost: { log_id: old[0]?.log_id, seq: before + 1 } },
    });
    expect(records[0]?.log_id).not.toBe(old[0]?.log_id);
    expect(records.find(({ event }) => event === "switch")?.sig).toBeDefined();
    const kept = fs.readdirSync(path.dirname(audit.path())).filter((name) => name.includes("jsonl.lost-"));
    expect(kept).toHaveLength(1);
    expect(await audit.verify()).toMatchObject({ ok: true, level: 3 });
  });

  test("a log that is well is not set aside", async () => {
    const audit = openAudit();
    await audit.store.append({ event: "call", error: null });
    const [before = []] = recordsOf(audit.path());
    audit.beginAnew();
    await audit.store.append({ event: "call", error: null });
    expect(recordsOf(audit.path())[0]?.[0]).toEqual(before[0]);
  });
});
