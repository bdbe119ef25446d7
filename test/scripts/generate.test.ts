import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const project = resolve(import.meta.dirname, "../..");
let root: string;
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(project, "scripts/generate.mjs"), ...args], { encoding: "utf8" });
const read = (name: string) => readFile(join(root, name), "utf8");
const README =
  "# Title\n\n<!-- settings:start -->\nold\n<!-- settings:end -->\n\ntext\n\n<!-- config:start -->\n<!-- config:end -->\n<!-- rules:start -->\n<!-- rules:end -->\nend\n";

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "cs-generate-"));
  await mkdir(join(root, "media"));
  await cp(join(project, "package.json"), join(root, "package.json"));
  const manifest = JSON.parse(await read("package.json"));
  const contributes = { commands: [{ command: "x", title: "X" }] };
  await writeFile(join(root, "package.json"), `${JSON.stringify({ ...manifest, contributes }, null, 2)}\n`);
  await writeFile(join(root, "README.md"), README);
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("generated files", () => {
  test("those of the repository are up to date", () => {
    const { status, stderr } = run("--check");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("drift is told and mended; only what is generated changes; a second run changes nothing", async () => {
    const before = JSON.parse(await read("package.json"));
    expect(run("--check", "--root", root)).toMatchObject({ status: 1 });
    expect(await read("README.md")).toBe(README);
    expect(run("--root", root)).toMatchObject({ status: 0 });
    expect(run("--check", "--root", root)).toMatchObject({ status: 0, stderr: "" });
    const { contributes, ...rest } = JSON.parse(await read("package.json"));
    const { contributes: old, ...restBefore } = before;
    expect(rest).toEqual(restBefore);
    expect({ ...contributes, configuration: undefined }).toEqual({ ...old, configuration: undefined });
    const readme = await read("README.md");
    expect(readme.replaceAll(/(:start -->\n)[\s\S]*?(<!-- \w+:end)/gu, "$1$2")).toBe(
      README.replace("old\n", ""),
    );
    const written = await read("package.json");
    run("--root", root);
    expect(await read("package.json")).toBe(written);
  });

  test("every setting is machine-scoped, typed, ordered and described", async () => {
    const { properties } = JSON.parse(await read("package.json")).contributes.configuration;
    const entries = Object.entries<Record<string, unknown>>(properties);
    expect(entries.length).toBeGreaterThan(20);
    for (const [name, setting] of entries) {
      expect([name, setting.scope, typeof setting.type, typeof setting.order]).toEqual([
        name,
        "machine",
        "string",
        "number",
      ]);
      expect(String(setting.markdownDescription).length).toBeGreaterThan(20);
    }
  });

  test("the JSON Schema closes every table", async () => {
    const schema = JSON.parse(await read("media/gateway-hooks.schema.json"));
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties.chain.properties.options.properties.quota.additionalProperties).toBe(false);
    expect(schema.required).toBeUndefined();
  });
});
