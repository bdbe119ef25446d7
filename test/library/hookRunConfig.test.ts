/** Where a run's rules come from, and what is told when they cannot be built. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HookError, HookRun, readHookConfig } from "../../src/library";
import { quietLog } from "../core/fixtures";
import { bareRun, folderWith, rejection, runOf } from "./runs";

const DENY_TOML = `[[hooks.pre_tool_call]]\nmatcher = "t"\nhandlers = [{ type = "deny", reason = "closed" }]\n`;
const denyTree = {
  hooks: { pre_tool_call: [{ matcher: "t", handlers: [{ type: "deny" as const, reason: "closed" }] }] },
};

const reasonOf = async (run: HookRun): Promise<unknown> => {
  const error = await rejection(run.wrap({ t: () => 1 }).t());
  return error instanceof Error ? error.message : error;
};

describe("The configuration of a run", () => {
  test("a run takes a path to TOML or JSON, a tree in the file's shape, a configuration read before, or nothing", async () => {
    const folder = await folderWith({
      "gateway-hooks.toml": DENY_TOML,
      "gateway-hooks.json": JSON.stringify(denyTree),
    });
    const options = { cwd: folder, log: quietLog };
    const read = readHookConfig("gateway-hooks.toml", folder);
    for (const config of ["gateway-hooks.toml", join(folder, "gateway-hooks.json"), denyTree, read]) {
      expect(await reasonOf(new HookRun(config, options))).toBe("closed");
    }
    expect(
      await bareRun()
        .wrap({ t: () => 1 })
        .t(),
    ).toBe(1);
  });

  test("the file is read once: what becomes of it later changes nothing of the run", async () => {
    const { run, folder } = await runOf(DENY_TOML);
    await writeFile(join(folder, "gateway-hooks.toml"), "");
    expect(await reasonOf(run)).toBe("closed");
    const later = await HookRun.fromConfig(join(folder, "gateway-hooks.toml"), { log: quietLog });
    expect(await later.wrap({ t: () => 1 }).t()).toBe(1);
  });

  test("a tree from a program is copied: what becomes of it later changes nothing of the run", async () => {
    const tree = structuredClone(denyTree);
    const run = new HookRun(tree, { log: quietLog });
    tree.hooks.pre_tool_call.length = 0;
    expect(await reasonOf(run)).toBe("closed");
  });

  test("a run without options has an id, a key and a folder of its own", () => {
    const [a, b] = [bareRun(), bareRun()];
    expect(a.runId).not.toBe(b.runId);
    expect(a.legend().run_key).not.toBe(b.legend().run_key);
    expect(a.runDir).toBe(join(process.cwd(), "runs", a.runId));
    expect(bareRun({ cwd: "/w", runId: "r", runDir: "out" }).runDir).toBe("/w/out");
    expect(existsSync(a.runDir)).toBe(false);
  });

  test("a run id that could not name a folder, and a misspelt option, are HookErrors", () => {
    for (const runId of ["", "../x", "a b", "x".repeat(200), ".hidden"]) {
      expect(() => bareRun({ runId })).toThrow(HookError);
    }
    // @ts-expect-error misspelt
    expect(() => bareRun({ rundir: "x" })).toThrow(/no option "rundir"/);
  });
});

describe("Failing at load", () => {
  test("every mistake of the file is told with its line when the run is made", async () => {
    const folder = await folderWith({
      "gateway-hooks.toml": `[[hooks.pre_tool_call]]\nmather = "t"\nhandlers = [{ type = "deny" }]\n\n[[hooks.pre_tool_call]]\nmatcher = "("\nhandlers = []\n`,
    });
    expect(() => new HookRun(join(folder, "gateway-hooks.toml"))).toThrow(HookError);
    expect(() => new HookRun(join(folder, "gateway-hooks.toml"))).toThrow(
      /gateway-hooks\.toml:2:1: .*mather.*matcher[\s\S]*:6:[\s\S]*:7:/,
    );
  });

  test("a mistake of the file hides nothing that is wrong with its handlers: fromConfig tells all of it", async () => {
    const folder = await folderWith({
      "gateway-hooks.toml": `[[hooks.pre_tool_call]]\nhandlers = [\n  { type = "command", command = "true", async = "yes", env = { T = "\${NOT_SET_ANYWHERE}" } },\n  { type = "callable", target = "./none.ts:check" },\n]\n`,
    });
    const error = await rejection(HookRun.fromConfig(join(folder, "gateway-hooks.toml"), { log: quietLog }));
    expect(error).toBeInstanceOf(HookError);
    expect(String(error)).toMatch(/:3:\d+: .*async` must be true or false/);
    expect(String(error)).toMatch(/:3:\d+: .*no variable NOT_SET_ANYWHERE/);
    expect(String(error)).toMatch(/:4:\d+: .*there is no file \.\/none\.ts/);
  });

  test("a file that is missing, or is no file, is a HookError that names it", async () => {
    const folder = await folderWith();
    expect(() => new HookRun(join(folder, "none.toml"))).toThrow(/none\.toml/);
    expect(() => new HookRun(folder)).toThrow(HookError);
    expect(await rejection(HookRun.fromConfig(join(folder, "none.toml")))).toBeInstanceOf(HookError);
  });

  test("a handler that cannot be built fails when the run is made, not on the first call that matches", async () => {
    const broken = [
      `{ type = "command", command = ["./none.sh"] }`,
      `{ type = "command", command = ["no-such-program-anywhere"] }`,
      `{ type = "callable", target = "./none.ts:check" }`,
      `{ type = "callable", target = "./guards.ts:other" }`,
      `{ type = "callable", target = "no_such_module.guards:check" }`,
      `{ type = "http", url = "https://example.com/", headers = { authorization = "\${NOT_SET_ANYWHERE}" } }`,
    ];
    for (const handler of broken) {
      const config = `[[hooks.pre_tool_call]]\nmatcher = "never"\nhandlers = [${handler}]\n`;
      const files = { "guards.ts": "export const check = () => null;\n" };
      const error = await rejection(runOf(config, { files }));
      expect(error, handler).toBeInstanceOf(HookError);
      expect(String(error), handler).toMatch(/gateway-hooks\.toml:3:\d+/);
    }
  });

  test("a run whose handlers cannot be built lets no call through, whether it matches or not", async () => {
    const folder = await folderWith({
      "gateway-hooks.toml": `[[hooks.pre_tool_call]]\nmatcher = "never"\nhandlers = [{ type = "callable", target = "./none.ts:check" }]\n`,
    });
    let ran = 0;
    const run = new HookRun(join(folder, "gateway-hooks.toml"), { log: quietLog });
    expect(await rejection(run.wrap({ t: () => (ran += 1) }).t())).toBeInstanceOf(HookError);
    expect(await rejection(run.end("report"))).toBeInstanceOf(HookError);
    expect(await rejection(run.ready)).toBeInstanceOf(HookError);
    expect(ran).toBe(0);
  });

  test("an alias handler is an error at load that says its door is not there yet", async () => {
    const error = await rejection(runOf(`[[hooks.pre_tool_call]]\nhandlers = [{ type = "alias" }]\n`));
    expect(error).toBeInstanceOf(HookError);
    expect(String(error)).toMatch(/gateway-hooks\.toml:2:.*alias/);
  });
});
