import { execFileSync } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceptChange, type Resolved, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { createTrustStore, type TrustStore } from "../../src/node/trustStore";

let base: string;
let root: string;
let store: TrustStore;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "cs-config-"));
  root = join(base, "project");
  await Promise.all([mkdir(root), mkdir(join(base, "home"))]);
  store = newStore();
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** A store as after a reload: nothing is carried over in memory. */
const newStore = () => createTrustStore({ home: join(base, "home"), now: () => 1_700_000_000_000 });
const toml = () => join(root, "gateway-hooks.toml");
const json = () => join(root, "gateway-hooks.json");
const put = (text: string) => writeFile(toml(), text);

const TIGHT = '[chain.options.path_allowlist]\noutside = "deny"\n';
const TIGHTER = `${TIGHT}[database]\nmax_rows = 10\n`;
const LOOSE = "[chain]\nenabled = false\n";
const MIXED = `${LOOSE}[chain.options.path_allowlist]\noutside = "deny"\n`;

type Options = { trusted?: boolean; env?: Record<string, string>; user?: object; locked?: readonly string[] };
const resolve = (options: Options = {}): Promise<Resolved> =>
  resolveWorkspace({ root, trusted: true, user: {}, locked: [], env: {}, store, ...options });

async function accept(options: Options = {}): Promise<void> {
  const { pending } = await resolve(options);
  if (pending === undefined) throw new Error("nothing waits");
  expect(await acceptChange({ store, root }, pending)).toEqual([]);
}

/** The parts that rows compare. */
async function now(options: Options = {}) {
  const found = await resolve(options);
  return {
    state: found.state,
    enabled: found.config.chain.enabled,
    outside: found.config.chain.options.path_allowlist.outside,
    asks: found.askAllButReads,
    waits: found.pending !== undefined,
    codes: found.problems.map((problem) => problem.code),
  };
}

const defaults = { state: "defaults", enabled: true, outside: "ask", asks: false, waits: false, codes: [] };
const tightened = { ...defaults, state: "tightened", outside: "deny" };
const accepted = { ...defaults, state: "accepted", enabled: false };

describe("which configuration is in force", () => {
  test("no file: the defaults", async () => {
    expect(await now()).toEqual(defaults);
    expect(await readdir(join(base, "home"))).toEqual([]);
  });

  test("a file that tightens applies by itself, also after a reload", async () => {
    await put(TIGHT);
    expect(await now()).toEqual(tightened);
    store = newStore();
    expect(await now()).toEqual(tightened);
    await put(TIGHTER);
    expect((await resolve()).config.database.max_rows).toBe(10);
  });

  test("a file without effect is in force and asks nobody", async () => {
    await put("# nothing yet\n");
    expect(await now()).toEqual({ ...defaults, state: "tightened" });
    await unlink(toml());
    expect(await now()).toEqual(defaults);
  });

  test("a file that loosens waits: its tightening part applies, all but reads asks", async () => {
    await put(MIXED);
    const expected = { ...defaults, state: "waiting", outside: "deny", asks: true, waits: true };
    expect(await now()).toMatchObject({ ...expected, codes: expect.arrayContaining(["config.waiting"]) });
    store = newStore();
    const found = await resolve();
    expect(found.askAllButReads).toBe(true);
    expect(found.pending?.lines).toEqual(["Loosens: chain.enabled: true → false"]);
    expect(found.pending?.loosening).toEqual(["chain.enabled"]);
    expect(found.problems[0]?.message).toContain("chain.enabled");
  });

  test("once accepted it is in force, across reloads", async () => {
    await put(MIXED);
    await accept();
    expect(await now()).toEqual({ ...accepted, outside: "deny" });
    store = newStore();
    expect(await now()).toEqual({ ...accepted, outside: "deny" });
  });

  test("a comment or another order of an accepted file changes nothing", async () => {
    await put(LOOSE);
    await accept();
    await put(`# why\n${LOOSE}`);
    expect(await now()).toEqual(accepted);
  });

  test("what was accepted and then tightened does not come back by itself", async () => {
    await put(LOOSE);
    await accept();
    await put("[chain]\nenabled = true\n");
    expect(await now()).toEqual({ ...defaults, state: "tightened" });
    await put(LOOSE);
    const found = await now();
    expect(found).toMatchObject({ state: "waiting", enabled: true, waits: true, asks: false });
  });

  test("a change of an accepted file that loosens keeps the snapshot as a whole", async () => {
    await put("[database]\nmax_rows = 5000\n");
    await accept();
    await put(`[chain]\nenabled = false\n[database]\nmax_rows = 10\n`);
    const found = await resolve();
    expect(found.state).toBe("waiting");
    expect(found.askAllButReads).toBe(false);
    expect(found.config.database.max_rows).toBe(5000);
    expect(found.config.chain.enabled).toBe(true);
  });

  test.each([
    ["broken TOML", "[chain", "config.syntax"],
    ["an unknown key", "[chain]\nenabeld = true", "config.unknown_key"],
    ["a wrong type", '[chain]\nenabled = "no"', "config.type"],
    ["bytes that are no text", Buffer.from([0x23, 0xff, 0xfe]), "config.syntax"],
  ])("%s keeps what is in force; with nothing in force all but reads asks", async (_, text, code) => {
    await writeFile(toml(), text);
    expect(await now()).toEqual({ ...defaults, state: "broken", asks: true, codes: [code] });
    await put(TIGHT);
    expect(await now()).toEqual(tightened);
    await writeFile(toml(), text);
    expect(await now()).toEqual({ ...tightened, state: "broken", codes: [code] });
  });

  test("a file that is gone keeps the snapshot, until a person accepts that", async () => {
    await put(MIXED);
    await accept();
    await unlink(toml());
    const gone = await now();
    expect(gone).toMatchObject({
      state: "waiting",
      enabled: false,
      outside: "deny",
      asks: false,
      waits: true,
    });
    expect(gone.codes).toContain("config.missing");
    await accept();
    expect(await now()).toEqual(defaults);
  });

  test("deleting a file that tightened does not loosen", async () => {
    await put(TIGHT);
    await resolve();
    await unlink(toml());
    expect(await now()).toMatchObject({ state: "waiting", outside: "deny", asks: false, waits: true });
  });

  test("a file that only loosened and was never accepted is forgotten once it is gone", async () => {
    await put(LOOSE);
    expect(await now()).toMatchObject({ asks: true, enabled: true });
    await unlink(toml());
    expect(await now()).toEqual(defaults);
    expect(await now()).toEqual(defaults);
  });

  test("a second file beside the first is read by nobody", async () => {
    await put(TIGHT);
    await resolve();
    await writeFile(json(), '{"chain": {"enabled": false}}');
    expect(await now()).toEqual({ ...tightened, state: "broken", codes: ["config.doubled"] });
    await unlink(toml());
    expect(await now()).toMatchObject({ state: "waiting", enabled: true, outside: "deny" });
  });

  test("JSON is taken like TOML", async () => {
    await writeFile(json(), '{"chain": {"options": {"path_allowlist": {"outside": "deny"}}}}');
    expect(await now()).toEqual(tightened);
  });

  test("links, folders and unreadable files in its place are broken, never missing", async () => {
    await symlink(join(base, "nowhere"), toml());
    expect(await now()).toMatchObject({ state: "broken", codes: ["config.unreadable"] });
    await unlink(toml());
    await mkdir(toml());
    expect(await now()).toMatchObject({ state: "broken", codes: ["config.unreadable"] });
    await rm(toml(), { recursive: true });
    execFileSync("mkfifo", [toml()]);
    expect(await now()).toMatchObject({ state: "broken", codes: ["config.unreadable"] });
    await unlink(toml());
    await writeFile(toml(), `#${"x".repeat(1_048_576)}`);
    expect(await now()).toMatchObject({ state: "broken", codes: ["config.unreadable"] });
  });
});

describe("trust, locks, user settings, environment", () => {
  test("in an untrusted workspace only what tightens applies, whatever was accepted", async () => {
    await put(MIXED);
    await accept();
    expect(await now({ trusted: false })).toMatchObject({
      state: "tightened",
      enabled: true,
      outside: "deny",
      asks: false,
    });
    expect(await now()).toEqual({ ...accepted, outside: "deny" });
    await put(`${MIXED}[database]\nmax_rows = 9999\n`);
    expect(await now({ trusted: false })).toMatchObject({
      state: "waiting",
      enabled: true,
      outside: "deny",
      asks: true,
    });
    expect((await resolve()).config.database.max_rows).toBe(1000);
  });

  test("an untrusted clone's loosening file asks", async () => {
    await put(MIXED);
    expect(await now({ trusted: false })).toMatchObject({
      state: "waiting",
      enabled: true,
      outside: "deny",
      asks: true,
    });
  });

  test("what tightened in an untrusted workspace stays when the file goes", async () => {
    await put(TIGHT);
    await resolve({ trusted: false });
    await unlink(toml());
    expect(await now({ trusted: false })).toMatchObject({ outside: "deny", state: "waiting" });
  });

  test("a lock holds against an accepted file", async () => {
    await put(LOOSE);
    await accept();
    expect(await now({ locked: ["chain.enabled"] })).toMatchObject({ enabled: true });
  });

  test("a stricter user setting is not undone by a file that once tightened", async () => {
    await put("[database]\nmax_rows = 500\n");
    expect((await resolve()).config.database.max_rows).toBe(500);
    const found = await resolve({ user: { database: { max_rows: 100 } } });
    expect(found.config.database.max_rows).toBe(100);
    expect(found.state).toBe("waiting");
  });

  test("the environment tightens only, and one that cannot be read turns every guard on", async () => {
    const user = { chain: { enabled: false, destructive_sql: false } };
    expect(await now({ env: { COUNTERSIGN__HOOKS__ENABLED: "false" } })).toMatchObject({ enabled: true });
    expect(await now({ user, env: { DATAMIND__HOOKS__ENABLED: "true" } })).toMatchObject({ enabled: true });
    const found = await resolve({ user, env: { COUNTERSIGN__HOOKS__ENABLED: "flase" } });
    expect(found.config.chain).toMatchObject({ enabled: true, destructive_sql: true });
    expect(found.problems[0]?.file).toBe("COUNTERSIGN__HOOKS__ENABLED");
  });

  test("the policy digest follows the effective configuration and nothing else", async () => {
    const before = (await resolve()).policyDigest;
    await put("# a comment\n");
    expect((await resolve()).policyDigest).toBe(before);
    await put(TIGHT);
    expect((await resolve()).policyDigest).not.toBe(before);
    expect(before).toMatch(/^[0-9a-f]{64}$/u);
  });
});

describe("the store outside the workspace", () => {
  const folder = () => join(base, "home", ".countersign", "accepted");
  const only = async () => join(folder(), (await readdir(folder()))[0] ?? "");

  test("holds digest, text, time and what went before, closed to others", async () => {
    await put(MIXED);
    await accept();
    await put(`${MIXED}[database]\nmax_rows = 10\n`);
    await resolve();
    const file = await only();
    const kept = JSON.parse(await readFile(file, "utf8"));
    expect(kept).toMatchObject({
      version: 1,
      by: "tightening",
      undecided: false,
      acceptedAt: "2023-11-14T22:13:20.000Z",
    });
    expect(kept.text).toBe(`${MIXED}[database]\nmax_rows = 10\n`);
    expect(kept.previous).toEqual({
      digest: expect.stringMatching(/^[0-9a-f]{64}$/u),
      acceptedAt: kept.acceptedAt,
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder())).mode & 0o777).toBe(0o700);
    expect((await readdir(folder())).length).toBe(1);
  });

  test.each([
    ["cut short", async (file: string) => writeFile(file, '{"version": 1')],
    [
      "not a layer",
      async (file: string) =>
        writeFile(file, (await readFile(file, "utf8")).replaceAll('"enabled": false', '"enabled": 3')),
    ],
    ["readable by others", async (file: string) => chmod(file, 0o644)],
    [
      "a link",
      async (file: string) => {
        await writeFile(`${file}.real`, await readFile(file), { mode: 0o600 });
        await unlink(file);
        await symlink(`${file}.real`, file);
      },
    ],
  ])("a record that is %s is not believed: all but reads asks, until accepted anew", async (_, damage) => {
    await put(LOOSE);
    await accept();
    await damage(await only());
    expect(await now()).toMatchObject({ state: "waiting", enabled: true, asks: true, waits: true });
    await unlink(toml());
    expect(await now()).toMatchObject({ state: "waiting", asks: true, waits: true });
    await put(LOOSE);
    await accept();
    expect(await now()).toEqual(accepted);
  });

  test("a record of another folder is not believed", async () => {
    await put(LOOSE);
    await accept();
    const file = await only();
    const kept = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...kept, root: "/elsewhere" }));
    expect(await now()).toMatchObject({ enabled: true, asks: true });
  });

  test("a store that cannot be written is told; what tightens applies all the same", async () => {
    await rm(join(base, "home"), { recursive: true });
    await put(TIGHT);
    expect(await now()).toEqual({ ...tightened, codes: ["folder.unsafe"] });
    await put(MIXED);
    expect(await now()).toMatchObject({ state: "waiting", enabled: true, outside: "deny", asks: true });
  });

  test("a store that cannot be read is told, and all but reads asks", async () => {
    await writeFile(join(base, "home", ".countersign"), "in the way");
    await put(TIGHT);
    expect(await now()).toMatchObject({
      state: "waiting",
      outside: "deny",
      asks: true,
      codes: ["folder.unsafe"],
    });
  });

  test("a store that is a link is refused", async () => {
    await mkdir(join(base, "trap"));
    await symlink(join(base, "trap"), join(base, "home", ".countersign"));
    await put(TIGHT);
    expect(await now()).toMatchObject({ outside: "deny", codes: ["folder.unsafe"] });
    expect(await readdir(join(base, "trap"))).toEqual([]);
  });

  test("twenty resolutions at once leave one whole record", async () => {
    await put(TIGHT);
    await Promise.all(Array.from({ length: 20 }, () => resolve()));
    expect((await readdir(folder())).length).toBe(1);
    expect(await now()).toEqual(tightened);
  });
});
