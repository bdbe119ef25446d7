import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseCardSpec } from "../../../src/core/cards/cardVersion";
import type { TrustPrompt, TrustRequest } from "../../../src/core/cards/trustRequest";
import { createCardConsents } from "../../../src/node/cards/cardConsents";
import { digestOfFiles, hashesOf } from "../../../src/node/cards/cardContent";
import { pushToFolder } from "../../../src/node/cards/folderRegistry";
import { installCard, installLocked } from "../../../src/node/cards/installCard";
import { installedPolicies } from "../../../src/node/cards/installedPolicies";
import { readCardFolder } from "../../../src/node/cards/readCardFolder";
import { createTrustDoor, type TrustRecord } from "../../../src/node/cards/trustDoor";
import { createTrustStore } from "../../../src/node/trustStore";
import { cardFiles, DENIES, type Folder, manifest, newFolder, packedBy, put, text } from "./cardBench";

const CARD = "@acme/backend";
let base: Folder;
let root = "";
let registry = "";
let home = "";
beforeEach(() => {
  base = newFolder();
  [root, registry, home] = ["workspace", "registry", "home"].map((name) => join(base.path, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, registry]) mkdirSync(folder);
  mkdirSync(home, { mode: 0o700 });
});
afterEach(() => base.remove());

const consents = () => createCardConsents({ home });
const dataFolder = () => join(root, ".countersign");
const installedAt = (version = "1.0.0") => join(dataFolder(), "cards", CARD, version);

async function publish(
  extra: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { name = CARD, version = "1.0.0" } = extra as { name?: string; version?: string };
  const bytes = packedBy({ ...cardFiles(extra), ...more });
  expect(await pushToFolder(registry, { name, version, bytes })).toMatchObject({ ok: true });
}

function install(spec = CARD, lower: "refuse" | "allow" = "refuse") {
  const parsed = parseCardSpec(spec);
  if (parsed === undefined) throw new Error(spec);
  return installCard(parsed, { root, origin: { kind: "folder", folder: registry }, lower });
}

interface Decided {
  readonly answer: unknown;
  readonly prompts: readonly TrustPrompt[];
  readonly records: readonly TrustRecord[];
}

async function decide(
  to: "trust" | "untrust",
  given: Partial<TrustRequest> & {
    agree?: (prompt: TrustPrompt) => boolean | Promise<boolean>;
    unwritable?: true;
  } = {},
): Promise<Decided> {
  const { agree = () => true, unwritable, ...rest } = given;
  const prompts: TrustPrompt[] = [];
  const records: TrustRecord[] = [];
  const door = createTrustDoor({
    dataFolderOf: async (asked) => (asked === root ? dataFolder() : undefined),
    consents: consents(),
    confirm: async (prompt) => {
      prompts.push(prompt);
      return agree(prompt);
    },
    record: async (record) => {
      if (unwritable) throw new Error("the log cannot be written");
      records.push(record);
    },
    onChanged: () => undefined,
    now: () => Date.UTC(2026, 0, 1),
  });
  const request = { kind: "card.trust", root, card: CARD, to, ...rest };
  const { stdout } = await door(
    { event: "pre", agent: "countersign", observer: "cards", payload: JSON.stringify(request), cwd: root },
    { signal: new AbortController().signal },
  );
  return { answer: JSON.parse(stdout), prompts, records };
}

async function inForce(policies: Readonly<Record<string, unknown>> = {}, trusted = true) {
  const found = await installedPolicies({
    root,
    dataFolder: dataFolder(),
    trust: createTrustStore({ home, now: Date.now }),
    consents: consents(),
    inForce: {
      policies: { cards: [CARD], exclude: [], default_timeout_ms: 25_000, strict: false, ...policies },
      trusted,
    },
  });
  return {
    active: found.active.map(({ name }) => name),
    pending: found.pending.map(({ name }) => name),
    issues: found.issues.map(({ severity, code }) => `${severity} ${code}`),
    broken: found.broken.map(({ code }) => code),
    sources: found.active,
  };
}

const QUIET = { active: [], pending: [], issues: [], broken: [] };
const NAME = `${CARD}/no-root`;

test("installed it does nothing; trusted it is in force; untrusted it is not", async () => {
  await publish();
  expect(await inForce()).toMatchObject({ ...QUIET, issues: ["error card.not_installed"] });
  expect(await install()).toMatchObject({
    ok: true,
    value: { version: "1.0.0", policies: ["no-root"], folder: installedAt() },
  });
  expect(await inForce()).toMatchObject({
    ...QUIET,
    pending: [NAME],
    issues: ["warning card.hooks_pending"],
  });

  const trust = await decide("trust");
  expect(trust.answer).toEqual({ kind: "done", digest: trust.prompts[0]?.digest });
  expect(trust.prompts).toMatchObject([
    {
      to: "trust",
      version: "1.0.0",
      range: "^1.0.0",
      policies: [{ name: "no-root", kind: "enforcement" }],
      files: [
        { path: "card.json", absolute: join(installedAt(), "card.json") },
        { path: "hooks/no-root/policy.ts", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
      gone: [],
      unconfined: false,
    },
  ]);
  expect(trust.records).toEqual([
    { root, card: CARD, to: "trust", version: "1.0.0", range: "^1.0.0", digest: trust.prompts[0]?.digest },
  ]);
  const now = await inForce();
  expect(now).toMatchObject({ ...QUIET, active: [NAME] });
  expect(now.sources).toEqual([
    {
      name: NAME,
      card: CARD,
      folder: installedAt(),
      entry: join(installedAt(), "hooks/no-root/policy.ts"),
      files: trust.prompts[0]?.files.map(({ path, sha256 }) => ({ path, sha256 })),
      digest: trust.prompts[0]?.digest,
    },
  ]);

  const kept = join(home, ".countersign/cards");
  expect(readdirSync(kept).map((file) => statSync(join(kept, file)).mode & 0o777)).toEqual([0o600]);
  expect(existsSync(join(root, "trust.json"))).toBe(false);

  expect((await decide("untrust")).records).toEqual([{ root, card: CARD, to: "untrust" }]);
  expect(await inForce()).toMatchObject({
    ...QUIET,
    pending: [NAME],
    issues: ["warning card.hooks_pending"],
  });
});

describe("nothing but a person's yes makes trust", () => {
  beforeEach(async () => {
    await publish();
    await install();
  });
  const inert = { active: [], pending: [NAME] };
  test.each<[string, Parameters<typeof decide>[1], unknown]>([
    ["a no", { agree: () => false }, { kind: "declined" }],
    [
      "a workspace that is not open or not trusted",
      { root: "/elsewhere" },
      { kind: "refused", why: "this folder is not open in the window, or not trusted" },
    ],
    [
      "a card that is not installed",
      { card: "@acme/other" },
      { kind: "refused", why: "card.lock does not name it" },
    ],
    ["a name that climbs", { card: "../../x" }, { kind: "refused", why: "that is no name of a card" }],
    ["a range that is none", { range: "file:.." }, { kind: "refused", why: "that is no range of versions" }],
    [
      "a range without this version",
      { range: "^2.0.0" },
      { kind: "refused", why: "version 1.0.0 is outside of ^2.0.0" },
    ],
    [
      "a log that cannot be written",
      { unwritable: true },
      { kind: "refused", why: "the log cannot be written" },
    ],
    [
      "a field that says yes",
      { agreed: true } as never,
      { kind: "refused", why: "the request cannot be read" },
    ],
  ])("%s", async (_name, given, answer) => {
    expect((await decide("trust", given)).answer).toEqual(answer);
    expect(await inForce()).toMatchObject(inert);
  });
  test("files that are swapped while the dialog is open", async () => {
    const agree = () => {
      appendFileSync(join(installedAt(), "hooks/no-root/policy.ts"), "// evil\n");
      return true;
    };
    const { answer, records } = await decide("trust", { agree });
    expect(answer).toEqual({ kind: "refused", why: "its files changed while the dialog was open" });
    expect(records).toEqual([]);
    expect((await inForce()).active).toEqual([]);
  });
  test("a second dialog while one is open", async () => {
    let answer: unknown;
    const door = createTrustDoor({
      dataFolderOf: async () => dataFolder(),
      consents: consents(),
      confirm: async () => {
        answer = JSON.parse((await ask()).stdout);
        return false;
      },
      record: async () => undefined,
      onChanged: () => undefined,
      now: () => 0,
    });
    const request = { kind: "card.trust", root, card: CARD, to: "trust" };
    const ask = () =>
      door(
        {
          event: "pre",
          agent: "countersign",
          observer: "cards",
          payload: JSON.stringify(request),
          cwd: root,
        },
        { signal: new AbortController().signal },
      );
    await ask();
    expect(answer).toEqual({ kind: "refused", why: "a dialog about a card is open already" });
  });
  test("an untrusted workspace", async () => {
    await decide("trust");
    expect(await inForce({}, false)).toMatchObject({
      ...inert,
      issues: ["warning card.workspace_untrusted"],
    });
  });
  test("a card that no configuration names, and one that it excludes", async () => {
    await decide("trust");
    expect(await inForce({ cards: [] })).toMatchObject(QUIET);
    expect(await inForce({ exclude: [CARD] })).toMatchObject(QUIET);
    expect(await inForce({ exclude: [NAME] })).toMatchObject(QUIET);
  });
});

describe("what was trusted and is no longer that does not run, is told, and is broken", () => {
  beforeEach(async () => {
    await publish();
    await install();
    await decide("trust");
    expect((await inForce()).active).toEqual([NAME]);
  });
  const policyAt = () => join(installedAt(), "hooks/no-root/policy.ts");
  const lock = () => join(root, "card.lock");
  const rows: readonly (readonly [string, () => void, string])[] = [
    ["one byte more", () => appendFileSync(policyAt(), " "), "card.integrity"],
    ["a file more", () => writeFileSync(join(installedAt(), "extra.ts"), ""), "card.integrity"],
    ["a file less", () => rmSync(policyAt()), "card.damaged"],
    [
      "a link in the place of a file",
      () => {
        renameSync(policyAt(), join(base.path, "p.ts"));
        symlinkSync(join(base.path, "p.ts"), policyAt());
      },
      "card.damaged",
    ],
    [
      "a link in the place of its folder",
      () => {
        renameSync(installedAt(), join(base.path, "moved"));
        symlinkSync(join(base.path, "moved"), installedAt());
      },
      "card.damaged",
    ],
    [
      "a link in the place of a folder above",
      () => {
        const above = join(dataFolder(), "cards/@acme");
        renameSync(above, join(base.path, "moved"));
        symlinkSync(join(base.path, "moved"), above);
      },
      "card.damaged",
    ],
    ["the card gone", () => rmSync(installedAt(), { recursive: true }), "card.not_installed"],
    ["the lock gone", () => rmSync(lock()), "card.lock_downgraded"],
    [
      "the lock of version 2",
      () => writeFileSync(lock(), '{ "lockfileVersion": 2, "cards": {} }'),
      "card.lock_downgraded",
    ],
    ["the lock of version 1", () => writeFileSync(lock(), '{ "lockfileVersion": 1 }'), "card.lock_broken"],
    ["the lock damaged", () => writeFileSync(lock(), "{"), "card.lock_broken"],
    [
      "the lock without it",
      () => writeFileSync(lock(), '{ "lockfileVersion": 3, "cards": {} }'),
      "card.not_installed",
    ],
    [
      "the lock's version lowered",
      () => writeFileSync(lock(), text(root, "card.lock").replace('"1.0.0"', '"0.9.0"')),
      "card.lock_downgraded",
    ],
    [
      "the lock a link",
      () => {
        renameSync(lock(), join(base.path, "lock"));
        symlinkSync(join(base.path, "lock"), lock());
      },
      "card.lock_broken",
    ],
    [
      "the record of trust damaged",
      () => {
        const [file = ""] = readdirSync(join(home, ".countersign/cards"));
        writeFileSync(join(home, ".countersign/cards", file), "{");
      },
      "card.trust_unknown",
    ],
  ];
  test.each(rows)("%s", async (_name, change, code) => {
    change();
    expect(await inForce()).toMatchObject({ active: [], issues: [`error ${code}`], broken: [code] });
  });
  test("changed files under a lock that was changed with them", async () => {
    await install();
    appendFileSync(policyAt(), "// evil\n");
    const read = await readCardFolder(installedAt());
    if (read.kind !== "read") throw new Error(read.kind);
    const content = `sha256-${digestOfFiles(hashesOf(read.files))}`;
    writeFileSync(lock(), text(root, "card.lock").replace(/sha256-[0-9a-f]{64}/, content));
    expect(await inForce()).toMatchObject({
      active: [],
      pending: [NAME],
      issues: ["error card.hooks_lost"],
      broken: ["card.hooks_lost"],
    });
  });
  test("a newer version within the range: trust is lost, and given again with what changed", async () => {
    await publish(
      { version: "1.1.0" },
      { "lib/a.ts": "export const a = 1;\n", "hooks/no-root/policy.ts": `${DENIES}// more\n` },
    );
    expect(await install()).toMatchObject({ ok: true, value: { version: "1.1.0", before: "1.0.0" } });
    expect(await inForce()).toMatchObject({
      active: [],
      pending: [NAME],
      issues: ["error card.hooks_lost"],
      broken: ["card.hooks_lost"],
    });
    const { prompts } = await decide("trust");
    expect(prompts[0]?.files.map(({ path, change }) => [path, change])).toEqual([
      ["card.json", "changed"],
      ["hooks/no-root/policy.ts", "changed"],
      ["lib/a.ts", "new"],
    ]);
    expect(await inForce()).toMatchObject({ ...QUIET, active: [NAME] });
  });
  test("an observer that changed stops nothing that it could have stopped", async () => {
    const observer = DENIES.replace("enforcement", "observer");
    await publish({ version: "1.1.0" }, { "hooks/no-root/policy.ts": observer });
    await install();
    await decide("trust");
    appendFileSync(join(installedAt("1.1.0"), "hooks/no-root/policy.ts"), " ");
    expect(await inForce()).toMatchObject({ active: [], issues: ["error card.integrity"], broken: [] });
    expect((await inForce({ strict: true })).broken).toEqual(["card.integrity"]);
  });
  test("trust in one workspace is none in another", async () => {
    root = join(base.path, "other");
    mkdirSync(root);
    await install();
    expect(await inForce()).toMatchObject({ active: [], pending: [NAME], broken: [] });
  });
});

test("what is remembered is forgotten with the first change", async () => {
  await publish();
  await install();
  await decide("trust");
  const consentsNow = consents();
  const ask = () =>
    installedPolicies({
      root,
      dataFolder: dataFolder(),
      trust: createTrustStore({ home, now: Date.now }),
      consents: consentsNow,
      inForce: {
        policies: { cards: [CARD], exclude: [], default_timeout_ms: 25_000, strict: false },
        trusted: true,
      },
    });
  await setTimeout(2700);
  const first = await ask();
  expect(first.active).toHaveLength(1);
  expect(await ask()).toBe(first);
  appendFileSync(join(installedAt(), "hooks/no-root/policy.ts"), " ");
  expect(await ask()).toMatchObject({ active: [], broken: [{ code: "card.integrity" }] });
});

test("under strict a named card that nobody trusted is broken too", async () => {
  expect((await inForce({ strict: true })).broken).toEqual(["card.not_installed"]);
  await publish();
  await install();
  expect((await inForce({ strict: true })).broken).toEqual(["card.hooks_pending"]);
});

test("an old lock has no hooks", async () => {
  writeFileSync(join(root, "card.lock"), '{ "lockfileVersion": 2, "cards": { "@acme/backend": {} } }');
  expect(await inForce()).toMatchObject({ ...QUIET, issues: ["warning card.lock_old"] });
});

describe("installing", () => {
  test("the highest version in the range", async () => {
    for (const version of ["1.0.0", "1.2.0", "2.0.0", "3.0.0-beta.1"]) await publish({ version });
    expect(await install(`${CARD}@^1.0.0`)).toMatchObject({ ok: true, value: { version: "1.2.0" } });
    expect(await install()).toMatchObject({ ok: true, value: { version: "2.0.0", before: "1.2.0" } });
    expect(existsSync(installedAt("1.2.0"))).toBe(false);
    expect(await install(`${CARD}@^1.0.0`)).toMatchObject({
      ok: false,
      why: "card.lock names 2.0.0, and 1.2.0 is lower; --allow-lower takes it all the same",
    });
    expect(await install(`${CARD}@^1.0.0`, "allow")).toMatchObject({
      ok: true,
      value: { version: "1.2.0", before: "2.0.0" },
    });
    expect(await install(`${CARD}@^9`)).toMatchObject({
      ok: false,
      why: expect.stringContaining("no version of @acme/backend there is in ^9"),
    });
  });
  test("a version whose bytes are not those of the lock is refused, and what is there stays", async () => {
    await publish();
    await install();
    writeFileSync(
      join(registry, CARD, "1.0.0.tgz"),
      packedBy({ ...cardFiles(), "hooks/no-root/policy.ts": "evil" }),
    );
    expect(await install()).toMatchObject({
      ok: false,
      why: expect.stringContaining("version 1.0.0 is not what card.lock names"),
    });
    expect(
      await installLocked(CARD, { root, origin: { kind: "folder", folder: registry }, lower: "refuse" }),
    ).toMatchObject({ ok: false });
    expect(text(installedAt(), "hooks/no-root/policy.ts")).toBe(DENIES);
  });
  test("exactly what the lock names, on another machine", async () => {
    for (const version of ["1.0.0", "1.1.0"]) await publish({ version });
    await install(`${CARD}@1.0.0`);
    rmSync(dataFolder(), { recursive: true });
    const before = text(root, "card.lock");
    expect(
      await installLocked(CARD, { root, origin: { kind: "folder", folder: registry }, lower: "refuse" }),
    ).toMatchObject({ ok: true, value: { version: "1.0.0" } });
    expect(text(root, "card.lock")).toBe(before);
    expect(statSync(join(installedAt(), "card.json")).mode & 0o777).toBe(0o600);
    expect(text(dataFolder(), ".gitignore")).toBe("*\n");
  });
  test("a card's own source is packed as it would be pushed", async () => {
    const source = join(base.path, "source");
    put(source, { ...cardFiles(), "package.json": "{}", ".env": "SECRET=1", "node_modules/a/index.js": "" });
    const spec = parseCardSpec(CARD);
    if (spec === undefined) throw new Error();
    expect(
      await installCard(spec, { root, origin: { kind: "folder", folder: source }, lower: "refuse" }),
    ).toMatchObject({ ok: true });
    expect(readdirSync(installedAt()).sort()).toEqual(["card.json", "hooks", "package.json"]);
    put(source, { "hooks/no-root/policy.ts": "export const a = 1;" });
    expect(
      await installCard(spec, { root, origin: { kind: "folder", folder: source }, lower: "refuse" }),
    ).toMatchObject({ ok: false, why: "it has no default export" });
  });
  test("a data folder that is a link is not written through", async () => {
    await publish();
    mkdirSync(join(base.path, "elsewhere"));
    symlinkSync(join(base.path, "elsewhere"), dataFolder());
    expect(await install()).toMatchObject({ ok: false, why: expect.stringContaining("it is a link") });
    expect(readdirSync(join(base.path, "elsewhere"))).toEqual([]);
    rmSync(dataFolder());
    mkdirSync(dataFolder(), { mode: 0o700 });
    symlinkSync(join(base.path, "elsewhere"), join(dataFolder(), "cards"));
    expect(await install()).toMatchObject({ ok: false, why: expect.stringContaining("it is a link") });
    expect(readdirSync(join(base.path, "elsewhere"))).toEqual([]);
  });
  test("a refused card leaves nothing behind", async () => {
    await publish();
    writeFileSync(
      join(registry, CARD, "1.0.0.tgz"),
      packedBy({ "card.json": manifest(), "../../evil": "x" }),
    );
    expect(await install()).toMatchObject({
      ok: false,
      why: expect.stringContaining("the packed card is refused"),
    });
    expect(existsSync(dataFolder())).toBe(false);
    expect(existsSync(join(root, "card.lock"))).toBe(false);
  });
  test("a pushed version stays as it is", async () => {
    await publish();
    expect(await pushToFolder(registry, { name: CARD, version: "1.0.0", bytes: Buffer.from("x") })).toEqual({
      ok: false,
      why: "version 1.0.0 is there already: raise the version in card.json",
    });
  });
});
