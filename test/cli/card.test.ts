import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runCard } from "../../src/cli/card";
import { trustCommand } from "../../src/cli/cardTrust";
import { runDoctor } from "../../src/cli/doctor";
import { runWrite } from "../../src/cli/write";
import { cardFiles, type Folder, newFolder, put, text } from "../node/cards/cardBench";
import { openWindow, say, type Window } from "./cardFixture";

const CARD = "@acme/backend";
let base: Folder;
let home = "";
let cwd = "";
let window: Window | undefined;
beforeEach(() => {
  base = newFolder();
  home = join(base.path, "home");
  cwd = join(base.path, "work");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(cwd);
  vi.stubEnv("HOME", home);
});
afterEach(async () => {
  await window?.close();
  window = undefined;
  vi.unstubAllEnvs();
  base.remove();
});

const card = (...argv: string[]) => say(runCard, argv, { cwd });
const json = async (...argv: string[]) => JSON.parse((await card(...argv, "--json")).out);

describe("making a card", () => {
  test("a new one, and never over one that is there", async () => {
    expect(await card("new", CARD, "--dir", "cards/mine")).toMatchObject({ code: 0 });
    expect(JSON.parse(text(cwd, "cards/mine/card.json"))).toMatchObject({
      name: CARD,
      version: "0.1.0",
      hooks: { include: [] },
    });
    expect(await card("new", CARD, "--dir", "cards/mine")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is there already"),
    });
  });
  test.each(["@acme/../evil", "@acme/..", "backend", "@ACME/b", "@acme/nul", "--dir"])(
    "not by the name %j",
    async (name) => {
      expect((await card("new", name)).code).toBe(2);
      expect(existsSync(join(base.path, "evil"))).toBe(false);
    },
  );
  test("a policy is added as an observer, found by the card's name from within and from outside", async () => {
    await card("new", CARD);
    expect(await json("source", "add-hook", CARD, "sees")).toEqual({
      ok: true,
      written: true,
      folder: join(cwd, "backend"),
      creates: ["hooks/sees/policy.ts"],
      removes: [],
    });
    expect(
      text(cwd, "backend/hooks/sees/policy.ts"),
    ).toBe(`import { defineToolPolicy } from "countersign/policy";

export default defineToolPolicy({
  policyKind: "observer",
  async afterToolCall(event) {
    // Observe tool results here; errors are swallowed.
  },
});
`);
    const inner = await say(runCard, ["source", "add-hook", CARD, "more"], {
      cwd: join(cwd, "backend/hooks/sees"),
    });
    expect(inner.code).toBe(0);
    expect(JSON.parse(text(cwd, "backend/card.json")).hooks.include).toEqual(["sees", "more"]);
  });
  test("a dry run shows the change and makes none", async () => {
    await card("new", CARD);
    const before = text(cwd, "backend/card.json");
    const { code, out } = await card("source", "add-hook", CARD, "sees", "--dry-run");
    expect([code, out]).toEqual([0, expect.stringContaining('+      "sees"')]);
    expect(out).toContain("+import { defineToolPolicy }");
    expect(text(cwd, "backend/card.json")).toBe(before);
    expect(existsSync(join(cwd, "backend/hooks"))).toBe(false);
  });
  test.each([
    ["sees", "card.duplicate"],
    ["..", "card.unsafe_name"],
    ["../../evil", "card.unsafe_name"],
    ["a/b", "card.unsafe_name"],
    ["Sees", "card.unsafe_name"],
    ["left", "card.duplicate"],
  ])("a policy cannot be called %j there: %s", async (name, code) => {
    await card("new", CARD);
    await card("source", "add-hook", CARD, "sees");
    mkdirSync(join(cwd, "backend/hooks/left"));
    expect(await json("source", "add-hook", CARD, name)).toMatchObject({ ok: false, code });
    expect((await card("source", "add-hook", CARD, name)).code).toBe(1);
    expect(JSON.parse(text(cwd, "backend/card.json")).hooks.include).toEqual(["sees"]);
  });
  test("a policy is taken out with its folder, or without", async () => {
    await card("new", CARD);
    for (const name of ["one", "two"]) await card("source", "add-hook", CARD, name);
    expect(await json("source", "remove-hook", CARD, "one")).toMatchObject({ removes: ["hooks/one"] });
    expect(await json("source", "remove-hook", CARD, "two", "--keep-files")).toMatchObject({ removes: [] });
    expect(JSON.parse(text(cwd, "backend/card.json")).hooks.include).toEqual([]);
    expect([existsSync(join(cwd, "backend/hooks/one")), existsSync(join(cwd, "backend/hooks/two"))]).toEqual([
      false,
      true,
    ]);
    expect(await json("source", "remove-hook", CARD, "two")).toMatchObject({
      ok: false,
      code: "policy.unknown",
    });
  });
  test("two sources of one name are not guessed between", async () => {
    for (const dir of ["a", "b"]) await card("new", CARD, "--dir", dir);
    expect(await card("source", "doctor", CARD)).toMatchObject({
      code: 1,
      err: expect.stringContaining("name one by --dir"),
    });
    expect(await card("source", "doctor", CARD, "--dir", "b")).toMatchObject({ code: 0 });
  });
});

describe("pushing", () => {
  beforeEach(() =>
    put(
      cwd,
      Object.fromEntries(Object.entries(cardFiles()).map(([path, content]) => [`backend/${path}`, content])),
    ),
  );
  test("to a folder, once per version", async () => {
    const first = await json("push", CARD, "--to", "registry");
    expect(first).toMatchObject({
      ok: true,
      pushed: true,
      policies: ["no-root"],
      files: ["card.json", "hooks/no-root/policy.ts", "package.json"],
    });
    expect(existsSync(join(cwd, "registry", CARD, "1.0.0.tgz"))).toBe(true);
    expect(await json("push", CARD, "--to", "registry")).toMatchObject({
      ok: false,
      message: "version 1.0.0 is there already: raise the version in card.json",
    });
    expect(await json("push", CARD, "--to", "registry", "--dry-run")).toMatchObject({
      pushed: false,
      integrity: first.integrity,
    });
  });
  test("not without the policy that it names", async () => {
    put(cwd, {
      "backend/card.json": text(cwd, "backend/card.json").replace('"no-root"', '"no-root", "gone"'),
    });
    expect(await card("push", CARD, "--to", "registry")).toMatchObject({
      code: 1,
      err: expect.stringContaining("hooks/gone/policy.ts is missing"),
    });
    expect(existsSync(join(cwd, "registry"))).toBe(false);
  });
  test("not under another name", async () => {
    expect(await card("push", "@acme/other", "--dir", "backend", "--to", "registry")).toMatchObject({
      code: 1,
      err: expect.stringContaining("the card there is @acme/backend, not @acme/other"),
    });
  });
});

describe("trust", () => {
  const trust = (to: "trust" | "untrust", ancestor: string | undefined, ...argv: string[]) =>
    say(
      trustCommand(to, () => ancestor),
      [CARD, "--hooks", ...argv],
      { cwd },
    );
  beforeEach(async () => {
    put(
      cwd,
      Object.fromEntries(Object.entries(cardFiles()).map(([path, content]) => [`backend/${path}`, content])),
    );
    expect(await card("install", CARD, "--from", "backend")).toMatchObject({ code: 0 });
  });
  test("is refused without a window", async () => {
    expect(await trust("trust", undefined)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no editor window with Countersign has this folder open"),
    });
  });
  test.each(["claude", "codex", "gemini", "unknown"])(
    "is refused under %s, and nobody is asked",
    async (agent) => {
      window = await openWindow({ home, root: cwd, folder: base.path, agrees: true });
      expect(await trust("trust", agent)).toMatchObject({
        code: 1,
        err: expect.stringContaining("only a person may ask for it"),
      });
      expect(window.prompts).toEqual([]);
    },
  );
  test("is asked for in the editor's own terminal", async () => {
    window = await openWindow({ home, root: cwd, folder: base.path, agrees: true });
    expect(await trust("trust", "code-server", "--range", "~1.0.0")).toMatchObject({ code: 0 });
    expect(window.prompts).toMatchObject([{ range: "~1.0.0" }]);
    expect(await trust("untrust", undefined)).toMatchObject({ code: 0 });
    expect(window.records.map(({ to }) => to)).toEqual(["trust", "untrust"]);
  });
  test("is refused where the window has another folder open", async () => {
    window = await openWindow({ home, root: join(base.path, "other"), folder: base.path, agrees: true });
    expect(await trust("trust", undefined)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no editor window"),
    });
  });
  test("is not given by a no", async () => {
    window = await openWindow({ home, root: cwd, folder: base.path, agrees: false });
    expect(await trust("trust", undefined)).toMatchObject({
      code: 1,
      err: expect.stringContaining("a person did not agree"),
    });
    expect(await card("list")).toMatchObject({ out: expect.stringContaining(`${CARD} 1.0.0 pending`) });
  });
  test.each([[["--yes"]], [["--range", "file:.."]]])(
    "no option stands in for the answer: %j",
    async (argv) => {
      expect((await trust("trust", undefined, ...argv)).code).toBe(2);
    },
  );
  test("says what it is about", async () => {
    expect(
      await say(
        trustCommand("trust", () => undefined),
        [CARD],
        { cwd },
      ),
    ).toMatchObject({ code: 2, err: expect.stringContaining("say --hooks") });
  });
});

describe("write", () => {
  beforeEach(async () => {
    const files = {
      ...cardFiles({ skills: { include: ["review"] } }),
      "skills/review/SKILL.md": "# Review\n",
    };
    put(
      cwd,
      Object.fromEntries(Object.entries(files).map(([path, content]) => [`backend/${path}`, content])),
    );
    await card("install", CARD, "--from", "backend");
  });
  const write = (...argv: string[]) => say(runWrite, argv, { cwd });
  test("skills go without trust, hooks do not; what was written comes out again", async () => {
    window = await openWindow({ home, root: cwd, folder: base.path, agrees: true });
    const done = await write("--agent", "claude");
    expect(done).toMatchObject({
      code: 0,
      out: `written ${join(cwd, ".claude/skills/review/SKILL.md")}\n`,
      err: expect.stringContaining(
        "its hooks are left out: 1 policy of version 1.0.0 is inert: nobody has trusted it here",
      ),
    });
    expect(window.changes[0]?.lines).toContain("+# Review");
    expect(existsSync(join(home, ".claude"))).toBe(false);
    expect(await write("--undo")).toMatchObject({
      code: 0,
      out: `removed ${join(cwd, ".claude/skills/review/SKILL.md")}\n`,
    });
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
  });
  test("nothing is written without a yes, under strict, or in a dry run", async () => {
    window = await openWindow({ home, root: cwd, folder: base.path, agrees: false });
    expect(await write("--agent", "claude")).toMatchObject({
      code: 1,
      err: expect.stringContaining("nothing was written: a person did not agree"),
    });
    expect(await write("--agent", "claude", "--strict")).toMatchObject({
      code: 1,
      err: expect.stringContaining("something would be left out"),
    });
    writeFileSync(join(cwd, "gateway-hooks.toml"), `[policies]\ncards = ["${CARD}"]\nstrict = true\n`);
    expect(await write("--agent", "claude")).toMatchObject({
      code: 1,
      err: expect.stringContaining("something would be left out"),
    });
    writeFileSync(join(cwd, "gateway-hooks.toml"), `[policies]\ncards = ["${CARD}"]\n`);
    expect(await write("--agent", "claude", "--dry-run")).toMatchObject({
      code: 0,
      out: expect.stringContaining("+# Review"),
    });
    expect(window.changes).toHaveLength(1);
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
  });
  test("an agent that is none", async () => {
    expect(await write("--agent", "vscode")).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no agent "vscode"'),
    });
  });
});

test("doctor tells what is wrong with the configuration and the lock, and changes nothing", async () => {
  writeFileSync(join(cwd, "gateway-hooks.toml"), '[policies]\ncards = ["backend"]\n');
  writeFileSync(join(cwd, "card.lock"), "{");
  const { code, out } = await say(runDoctor, ["--json"], { cwd });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    ok: false,
    configProblems: [{ line: 2, message: expect.stringContaining("must be the name of a card") }],
    hookIssues: [{ code: "card.lock_broken" }],
  });
  expect(readFileSync(join(cwd, "card.lock"), "utf8")).toBe("{");
});

test("installing and uninstalling leave the configuration as they found it", async () => {
  put(
    cwd,
    Object.fromEntries(Object.entries(cardFiles()).map(([path, content]) => [`backend/${path}`, content])),
  );
  writeFileSync(join(cwd, "gateway-hooks.toml"), "# ours\n[policies]\ncards = []\nstrict = true\n");
  await card("install", CARD, "--from", "backend");
  expect(text(cwd, "gateway-hooks.toml")).toBe(`# ours\n[policies]\ncards = ["${CARD}"]\nstrict = true\n`);
  expect(await card("uninstall", CARD)).toMatchObject({ code: 0 });
  expect(text(cwd, "gateway-hooks.toml")).toBe("# ours\n[policies]\ncards = []\nstrict = true\n");
  expect(JSON.parse(text(cwd, "card.lock"))).toEqual({ lockfileVersion: 3, cards: {} });
  expect(await card("uninstall", CARD)).toMatchObject({ code: 1 });
});
