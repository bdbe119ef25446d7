import { chmod, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { strictUserLayer } from "../../src/core/rules/strict";
import { createTrustStore, mirroredUserLayer, type TrustStore } from "../../src/node/trustStore";

let home: string;
let store: TrustStore;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "cs-store-")));
  store = createTrustStore({ home, now: () => 0 });
});
afterEach(() => rm(home, { recursive: true, force: true }));
const file = () => join(home, ".countersign", "state.json");

describe("the mirror of the user's settings", () => {
  const state = { user: { chain: { quota: true } }, locked: ["audit"], trusted: ["/a"] };

  test("absent means strictest, everything locked, nothing trusted", async () => {
    expect(await mirroredUserLayer(store, home)).toEqual({
      user: strictUserLayer,
      locked: ["*"],
      trusted: false,
    });
  });

  test("written 0600 and read back", async () => {
    await store.writeState({ ...state, trusted: [home] });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await mirroredUserLayer(store, home)).toEqual({
      user: state.user,
      locked: ["audit"],
      trusted: true,
    });
    expect(await mirroredUserLayer(store, "/b")).toMatchObject({ trusted: false });
    expect(await readdir(join(home, ".countersign"))).toEqual(["state.json"]);
  });

  test.each([
    ["not JSON", () => writeFile(file(), "{")],
    [
      "not a configuration",
      () => writeFile(file(), JSON.stringify({ version: 1, ...state, user: { chain: { enabled: 0 } } })),
    ],
    ["of another version", () => writeFile(file(), JSON.stringify({ version: 2, ...state }))],
    ["open to others", () => chmod(file(), 0o640)],
  ])("one that is %s counts as absent", async (_, damage) => {
    await store.writeState(state);
    await damage();
    expect(await mirroredUserLayer(store, "/a")).toEqual({
      user: strictUserLayer,
      locked: ["*"],
      trusted: false,
    });
  });

  test("a link in its place is not followed, when read or written", async () => {
    await mkdir(join(home, ".countersign"), { mode: 0o700 });
    const target = join(home, "target");
    await writeFile(target, JSON.stringify({ version: 1, ...state }), { mode: 0o600 });
    await symlink(target, file());
    expect((await store.readState()).kind).toBe("damaged");
    await store.writeState({ ...state, trusted: [] });
    expect(await store.readState()).toMatchObject({ kind: "kept", value: { trusted: [] } });
  });

  test("many writers at once leave one whole file", async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => store.writeState({ ...state, trusted: [`/${i}`] })),
    );
    expect((await store.readState()).kind).toBe("kept");
    expect(await readdir(join(home, ".countersign"))).toEqual(["state.json"]);
  });
});
