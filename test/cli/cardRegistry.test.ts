import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { runCard } from "../../src/cli/card";
import { trustCommand } from "../../src/cli/cardTrust";
import { runDoctor } from "../../src/cli/doctor";
import { runWrite } from "../../src/cli/write";
import { createCardConsents } from "../../src/node/cards/cardConsents";
import { installedPolicies } from "../../src/node/cards/installedPolicies";
import { nodeClock } from "../../src/node/ports";
import { createTrustStore } from "../../src/node/trustStore";
import { DENIES, type Folder, newFolder } from "../node/cards/cardBench";
import { openWindow, type Registry, say, startRegistry, type Window } from "./cardFixture";

const CARD = "@acme/backend";
let base: Folder;
let registry: Registry;
let home = "";
let window: Window | undefined;

beforeAll(async () => {
  base = newFolder();
  home = join(base.path, "home");
  mkdirSync(join(home, ".claude"), { recursive: true, mode: 0o700 });
  registry = await startRegistry(join(base.path, "registry"));
  writeFileSync(join(home, "npmrc"), registry.npmrc);
}, 240_000);
afterAll(() => {
  registry?.close();
  base.remove();
});
beforeEach(() => vi.stubEnv("HOME", home));
afterEach(async () => {
  vi.unstubAllEnvs();
  await window?.close();
  window = undefined;
});

const folder = (name: string): string => {
  mkdirSync(join(base.path, name), { recursive: true });
  return join(base.path, name);
};
const npm = () => ({
  npm_config_userconfig: join(home, "npmrc"),
  npm_config_cache: join(base.path, "cache"),
});
const card = (cwd: string, ...argv: string[]) => say(runCard, argv, { cwd, env: npm() });

const inForce = (root: string) =>
  installedPolicies({
    root,
    dataFolder: join(root, ".countersign"),
    trust: createTrustStore({ home, now: nodeClock.now }),
    consents: createCardConsents({ home }),
    inForce: {
      policies: { cards: [CARD], exclude: [], default_timeout_ms: 25_000, strict: false },
      trusted: true,
    },
  });

test("scaffold → doctor → push to a registry → install elsewhere → inert → trust → active", async () => {
  const author = folder("author");
  expect(await card(author, "new", CARD)).toMatchObject({
    code: 0,
    out: expect.stringContaining("backend/card.json is written"),
  });
  expect(await card(author, "source", "add-hook", CARD, "no-root")).toMatchObject({
    code: 0,
    out: "hooks/no-root/policy.ts is written\ncard.json is changed\n",
  });
  expect(await card(author, "source", "doctor", CARD)).toEqual({
    code: 0,
    out: `${CARD}: nothing is wrong\n`,
    err: "",
  });
  const policy = join(author, "backend/hooks/no-root/policy.ts");
  writeFileSync(policy, DENIES.replace('"deny"', '"denied"'));
  expect(await card(author, "source", "doctor", CARD)).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /^error policy\.decision backend\/hooks\/no-root\/policy\.ts:8:19: "denied" is no decision/,
    ),
  });
  expect(await card(author, "push", CARD)).toMatchObject({
    code: 1,
    err: expect.stringContaining("doctor found what must be mended first"),
  });
  writeFileSync(policy, DENIES);
  const pushed = await card(author, "push", CARD, "--json");
  expect(pushed).toMatchObject({ code: 0, err: "" });
  const { integrity } = JSON.parse(pushed.out);
  expect(await card(author, "push", CARD)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/E409|already present|cannot publish over/i),
  });

  // What the registry says of it is what package programs see.
  const told = (await (await fetch(`${registry.url}@acme%2fbackend`)).json()) as {
    versions: Record<string, { dist: { integrity: string }; scripts?: unknown; dependencies?: unknown }>;
  };
  expect(told.versions["0.1.0"]?.dist.integrity).toBe(integrity);
  expect([told.versions["0.1.0"]?.scripts, told.versions["0.1.0"]?.dependencies]).toEqual([
    undefined,
    undefined,
  ]);

  const user = folder("user");
  expect(await card(user, "install", CARD)).toMatchObject({
    code: 0,
    out: expect.stringContaining("0.1.0: installed, policies no-root"),
  });
  expect(JSON.parse(readFileSync(join(user, "card.lock"), "utf8"))).toMatchObject({
    lockfileVersion: 3,
    cards: { [CARD]: { version: "0.1.0", integrity } },
  });
  expect(readFileSync(join(user, "gateway-hooks.toml"), "utf8")).toBe(
    `version = 1\n\n[policies]\ncards = ["${CARD}"]\n`,
  );
  expect(await inForce(user)).toMatchObject({ active: [], pending: [{ name: `${CARD}/no-root` }] });
  expect(await say(runDoctor, [], { cwd: user })).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      `warning ${CARD}: 1 policy of version 0.1.0 is inert: nobody has trusted it here. Look at the files, then run \`countersign card trust ${CARD} --hooks\`.`,
    ),
  });

  window = await openWindow({ home, root: user, folder: base.path, agrees: true });
  expect(await say(runWrite, ["--agent", "claude", "--strict"], { cwd: user })).toMatchObject({
    code: 1,
    err: expect.stringContaining("its hooks are left out"),
  });
  expect(
    await say(
      trustCommand("trust", () => undefined),
      [CARD, "--hooks"],
      { cwd: user },
    ),
  ).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${CARD}: trusted, digest ${window.prompts[0]?.digest}`),
  });
  expect(window.prompts).toMatchObject([
    {
      card: CARD,
      root: user,
      range: "^0.1.0",
      files: [{ path: "card.json" }, { path: "hooks/no-root/policy.ts" }, { path: "package.json" }],
    },
  ]);
  expect((await inForce(user)).active).toMatchObject([
    {
      name: `${CARD}/no-root`,
      entry: join(user, ".countersign/cards", CARD, "0.1.0/hooks/no-root/policy.ts"),
    },
  ]);
  expect(await card(user, "list")).toMatchObject({ code: 0, out: `${CARD} 0.1.0 trusted no-root\n` });

  expect(await say(runWrite, ["--agent", "claude", "--strict"], { cwd: user })).toMatchObject({
    code: 0,
    out: "Claude Code: the hook is installed\n",
  });
  expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).toContain(".countersign/bin/hook");
  expect(await say(runWrite, ["--agent", "claude", "--strict"], { cwd: user })).toMatchObject({
    code: 0,
    out: "nothing to write\n",
  });
  expect(await say(runDoctor, [], { cwd: user })).toEqual({ code: 0, out: "nothing is wrong\n", err: "" });

  appendFileSync(join(user, ".countersign/cards", CARD, "0.1.0/hooks/no-root/policy.ts"), "// changed\n");
  expect(await inForce(user)).toMatchObject({ active: [], broken: [{ code: "card.integrity" }] });
  expect(await say(runDoctor, ["--json"], { cwd: user })).toMatchObject({
    code: 1,
    out: expect.stringContaining('"card.integrity"'),
  });
}, 300_000);

test("a card that the registry does not have, and a registry that is not there", async () => {
  const user = folder("nobody");
  expect(await card(user, "install", "@acme/nothing")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/E404|not found|no such package/i),
  });
  expect(await card(user, "install", CARD, "--registry", "http://127.0.0.1:9/")).toMatchObject({ code: 1 });
  expect(existsSync(join(user, "card.lock"))).toBe(false);
}, 120_000);

test("who may not publish does not", async () => {
  const author = folder("stranger");
  await card(author, "new", "@acme/other");
  await card(author, "source", "add-hook", "@acme/other", "sees");
  writeFileSync(join(base.path, "no-token"), `@acme:registry=${registry.url}\n`);
  const refused = await say(runCard, ["push", "@acme/other"], {
    cwd: author,
    env: { ...npm(), npm_config_userconfig: join(base.path, "no-token") },
  });
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/ENEEDAUTH|E401|auth/i) });
}, 120_000);
