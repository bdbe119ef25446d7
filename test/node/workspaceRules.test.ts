import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RuleRun } from "../../src/core/hookRules/ruleRun";
import { acceptChange, type Resolved, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { ruleSourceOf } from "../../src/node/ruleSource";
import { createTrustStore } from "../../src/node/trustStore";
import { createWorkspaceRules, type WorkspaceRules } from "../../src/node/workspaceRules";
import { call, quietLog } from "../core/fixtures";

let base = "";
let root = "";
let rules: WorkspaceRules;
const env = { PATH: process.env.PATH };
const never = new AbortController().signal;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "cs-reach-")));
  root = join(base, "ws");
  await mkdir(root);
  await mkdir(join(base, "home"));
  rules = createWorkspaceRules({ log: quietLog, env, onError: "ask" });
});
afterEach(async () => {
  await rules.close();
  await rm(base, { recursive: true, force: true });
});

const write = (text: string) => writeFile(join(root, "gateway-hooks.toml"), text);
async function script(name: string, text: string): Promise<void> {
  await writeFile(join(root, name), `#!/bin/sh\n${text}\n`);
  await chmod(join(root, name), 0o755);
}
const inputOf = (trusted = true) => ({
  root,
  trusted,
  user: {},
  locked: [],
  env,
  store: createTrustStore({ home: join(base, "home"), now: () => 0 }),
});

async function judged(resolved?: Resolved): Promise<RuleRun | undefined> {
  const now = resolved ?? (await resolveWorkspace(inputOf()));
  const { rules: found } = await rules.of([ruleSourceOf(now, root)]);
  return found?.pre(call("db_query_sql", { sql: "x" }), { sql: "x" }, never);
}

async function accept(): Promise<readonly string[]> {
  const { pending } = await resolveWorkspace(inputOf());
  if (pending === undefined) throw new Error("nothing waits");
  return (await acceptChange(inputOf(), pending)).map(({ message }) => message);
}

const mixed = `
[[hooks.pre_tool_call]]
name = "run"
handlers = [{ type = "command", command = ["./check.sh"] }, { type = "deny", reason = "from the same rule" }]

[[hooks.pre_tool_call]]
name = "no"
handlers = [{ type = "deny", reason = "closed" }]
`;
const command =
  '[[hooks.pre_tool_call]]\nname = "run"\nhandlers = [{ type = "command", command = ["./check.sh"] }]\n';

describe("a file that nobody has accepted", () => {
  test("its denials apply, its code does not run, and all but reads asks", async () => {
    await script("check.sh", "touch ran; exit 2");
    await write(mixed);
    const resolved = await resolveWorkspace(inputOf());
    expect(resolved).toMatchObject({ state: "waiting", askAllButReads: true });
    expect(
      resolved.config.hooks.pre_tool_call.map(({ handlers }) => handlers.map(({ type }) => type)),
    ).toEqual([["deny"], ["deny"]]);
    expect((await judged(resolved))?.deny).toMatchObject({
      reason: "from the same rule",
      by: "run",
      broken: false,
    });
    expect(resolved.pending?.reached?.files.has(join(root, "check.sh"))).toBe(true);
  });

  test("one that only denies is in force at once, and asks nothing", async () => {
    await write('[[hooks.pre_tool_call]]\nname = "no"\nhandlers = [{ type = "deny", reason = "closed" }]\n');
    const resolved = await resolveWorkspace(inputOf());
    expect(resolved).toMatchObject({ state: "tightened", askAllButReads: false });
    expect((await judged(resolved))?.deny?.reason).toBe("closed");
  });

  test("every other kind of handler waits", async () => {
    await script("check.sh", "exit 0");
    await writeFile(join(root, "x.ts"), "export const fn = () => ({});\n");
    for (const one of [
      '{ type = "command", command = ["./check.sh"] }',
      '{ type = "http", url = "https://a.example" }',
      '{ type = "callable", target = "./x.ts:fn" }',
    ]) {
      await write(`[[hooks.post_tool_call]]\nhandlers = [${one}]\n`);
      const resolved = await resolveWorkspace(inputOf());
      expect([one, resolved.state, resolved.config.hooks.post_tool_call]).toEqual([one, "waiting", []]);
    }
  });

  test("taking a denial away waits too", async () => {
    await write('[[hooks.pre_tool_call]]\nname = "no"\nhandlers = [{ type = "deny" }]\n');
    await resolveWorkspace(inputOf());
    await write("");
    const resolved = await resolveWorkspace(inputOf());
    expect(resolved.state).toBe("waiting");
    expect((await judged(resolved))?.deny?.by).toBe("no");
  });
});

describe("an accepted file", () => {
  test("runs, and a changed script denies until it is accepted again", async () => {
    await script("check.sh", "echo closed >&2; exit 2");
    await write(command);
    expect(await accept()).toEqual([]);
    const resolved = await resolveWorkspace(inputOf());
    expect(resolved).toMatchObject({
      state: "accepted",
      askAllButReads: false,
      reach: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
    expect((await judged(resolved))?.deny).toMatchObject({ reason: "closed", broken: false });

    await script("check.sh", "exit 0");
    expect((await judged())?.deny).toMatchObject({ by: "run", broken: true });
    // Built anew, as after a reload of the window, it is still another file.
    await rules.close();
    rules = createWorkspaceRules({ log: quietLog, env, onError: "ask" });
    expect((await judged())?.deny).toMatchObject({ by: "run", broken: true });

    await script("check.sh", "echo closed >&2; exit 2");
    expect((await judged())?.deny).toMatchObject({ reason: "closed", broken: false });
  });

  test("one that differs is not built anew with every call", async () => {
    await script("check.sh", "exit 2");
    await write(command);
    await accept();
    await script("check.sh", "exit 0");
    const source = ruleSourceOf(await resolveWorkspace(inputOf()), root);
    const first = await rules.of([source]);
    expect(await rules.of([source])).toBe(first);
    await script("check.sh", "exit 2");
    expect(await rules.of([source])).not.toBe(first);
  });

  test("in a workspace that is not trusted its code does not run", async () => {
    await script("check.sh", "exit 2");
    await write(mixed);
    await accept();
    const resolved = await resolveWorkspace(inputOf(false));
    expect(resolved.reach).toBeUndefined();
    expect((await judged(resolved))?.deny).toMatchObject({ reason: "from the same rule" });
  });

  test("a tightening change beside it keeps what was accepted, and its files", async () => {
    await script("check.sh", "exit 0");
    await write(command);
    await accept();
    const before = await resolveWorkspace(inputOf());
    await write(
      `${command}\n[[hooks.pre_tool_call]]\nname = "no"\nhandlers = [{ type = "deny", reason = "closed" }]\n`,
    );
    const after = await resolveWorkspace(inputOf());
    expect(after).toMatchObject({ askAllButReads: false, reach: before.reach });
    expect((await judged(after))?.trail.map(({ by, decision }) => [by, decision])).toEqual([
      ["run", "allow"],
      ["no", "deny"],
    ]);
    expect((await judged(await resolveWorkspace(inputOf())))?.deny?.reason).toBe("closed");
  });

  test("with a snapshot of before this kept no digest of files, code denies", async () => {
    await script("check.sh", "exit 0");
    await write(command);
    await accept();
    const { reach: _, ...resolved } = await resolveWorkspace(inputOf());
    expect((await judged(resolved))?.deny).toMatchObject({ broken: true });
  });

  test("a handler that cannot be built keeps the file from being accepted, and says where", async () => {
    await write(command);
    const { problems, pending } = await resolveWorkspace(inputOf());
    expect(pending?.unbuilt?.[0]).toMatchObject({ line: 3, file: join(root, "gateway-hooks.toml") });
    expect(problems).toContainEqual(pending?.unbuilt?.[0]);
    expect(await accept()).toHaveLength(1);
    expect((await resolveWorkspace(inputOf())).state).toBe("waiting");
  });
});

test("what is judged twice under one configuration is judged by the same rules; a change makes others", async () => {
  await write('[[hooks.pre_tool_call]]\nhandlers = [{ type = "deny" }]\n');
  const [a, b] = [await resolveWorkspace(inputOf()), await resolveWorkspace(inputOf())];
  const first = await rules.of([ruleSourceOf(a, root)]);
  expect(await rules.of([ruleSourceOf(b, root)])).toBe(first);
  await write('[[hooks.pre_tool_call]]\nhandlers = [{ type = "deny" }]\n[chain]\nquota = true\n');
  expect(await rules.of([ruleSourceOf(await resolveWorkspace(inputOf()), root)])).not.toBe(first);
  expect((await rules.of([])).rules).toBeUndefined();
});
