/** Files that accepted rules run, changed afterwards: a person is offered exactly that, once, and sees what changed. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createAcceptedFiles } from "../../src/node/acceptedFiles";
import { changedReach } from "../../src/node/changedReach";
import { acceptChange, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { createTrustStore, type TrustStore } from "../../src/node/trustStore";

let home: string;
let root: string;
let store: TrustStore;
beforeEach(() => {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "countersign-reach-")));
  home = path.join(base, "home");
  root = path.join(base, "w");
  fs.mkdirSync(home);
  fs.mkdirSync(root);
  store = createTrustStore({ home, now: () => 0 });
});
afterEach(() => fs.rmSync(path.dirname(root), { recursive: true, force: true }));

const env = { PATH: process.env.PATH };
const CODE = `[[hooks.pre_tool_call]]
handlers = [{ type = "command", command = ["node", "./check.mjs"] }]
`;
const write = (name: string, text: string) => fs.writeFileSync(path.join(root, name), text);
const resolve = () => resolveWorkspace({ root, trusted: true, user: {}, locked: [], env, store });
const changed = () => changedReach(root, { store, env });

async function acceptAll(): Promise<void> {
  const { pending } = await resolve();
  if (pending === undefined) expect.unreachable("nothing waits");
  expect(await acceptChange({ store, root }, pending)).toEqual([]);
}

test("unchanged files wait for nobody; a changed one waits until it is accepted", async () => {
  write("gateway-hooks.toml", CODE);
  write("check.mjs", "process.exit(0)");
  expect(await changed()).toBeUndefined();
  await acceptAll();
  expect(await changed()).toBeUndefined();
  const before = (await resolve()).reach;

  write("check.mjs", "process.exit(2)");
  const waits = await changed();
  expect(waits).toMatchObject({ lines: [], loosening: [] });
  expect([...(waits?.reached?.files.keys() ?? [])]).toContain(path.join(root, "check.mjs"));
  expect((await resolve()).reach).toBe(before);
  if (waits === undefined) expect.unreachable();
  expect(await acceptChange({ store, root }, waits)).toEqual([]);
  expect(await changed()).toBeUndefined();
  const after = await resolve();
  expect(after).toMatchObject({ state: "accepted", reach: waits.reach });
  expect(after.reach).not.toBe(before);
});

test("a reached file that is gone is told with its place and cannot be accepted", async () => {
  write("gateway-hooks.toml", CODE);
  write("check.mjs", "process.exit(0)");
  await acceptAll();
  fs.rmSync(path.join(root, "check.mjs"));
  const waits = await changed();
  expect(waits?.unbuilt).toMatchObject([{ line: 2, message: expect.stringContaining("check.mjs") }]);
  if (waits === undefined) expect.unreachable();
  expect(await acceptChange({ store, root }, waits)).toEqual(waits.unbuilt);
});

test("copies hold what was accepted, by path; of a file that changed meanwhile only the digest", async () => {
  const kept = createAcceptedFiles({ home });
  expect(await kept.read(root)).toEqual(new Map());
  write("gateway-hooks.toml", CODE);
  write("check.mjs", "process.exit(0)");
  const { pending } = await resolve();
  const files = pending?.reached?.files ?? new Map<string, string>();
  const file = path.join(root, "check.mjs");
  await kept.keep(root, files, { path: "config", text: CODE });
  expect((await kept.read(root)).get(file)).toEqual({ digest: files.get(file), text: "process.exit(0)" });
  expect((await kept.read(root)).get("config")?.text).toBe(CODE);
  write("check.mjs", "process.exit(1)");
  await kept.keep(root, files);
  expect((await kept.read(root)).get(file)).toEqual({ digest: files.get(file) });
});
