/** A configuration that asks for a record gets one, also where the program names no file for it. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HookRun } from "../../src/node/hookRun";
import { createHooks } from "../../src/node/hooks";

const folderWith = (toml: string): { folder: string; file: string } => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-stated-"));
  const file = join(folder, "gateway-hooks.toml");
  writeFileSync(file, toml);
  return { folder, file };
};

const USUAL = ".countersign/storage/default/audit.jsonl";

test.each([
  ["[chain]\naudit_log = true\n", USUAL],
  ["[audit]\nrequired = true\n", USUAL],
  ["[chain]\naudit_log = true\n[audit]\nrequired = true\n", USUAL],
  ['[audit]\npath = "storage/mine/{profile}.jsonl"\n', ".countersign/storage/mine/default.jsonl"],
])("%j records at %s, in createHooks and in a run", async (toml, place) => {
  const own = folderWith(toml);
  const hooks = await createHooks({ config: own.file, env: {}, roots: [own.folder] });
  await hooks.govern("read_file", { filePath: "a" }, () => "ran");
  await hooks.close();
  expect(readFileSync(join(own.folder, place), "utf8")).toContain('"read_file"');

  const other = folderWith(toml);
  const run = await HookRun.fromConfig(other.file, { env: {}, cwd: other.folder });
  const { read_file } = run.wrap({ read_file: ({ filePath }: { filePath: string }) => filePath });
  await read_file({ filePath: "a" });
  await run.end("done");
  await expect.poll(() => readFileSync(join(other.folder, place), "utf8")).toContain('"read_file"');
});

test.each([
  "version = 1\n",
  "[chain]\nquota = true\n",
  "[chain]\naudit_log = false\n[audit]\nrequired = true\n",
])("%j asks for no record", async (toml) => {
  const { folder, file } = folderWith(toml);
  const hooks = await createHooks({ config: file, env: {}, roots: [folder] });
  await hooks.govern("read_file", { filePath: "a" }, () => "ran");
  await hooks.close();
  expect(existsSync(join(folder, ".countersign"))).toBe(false);
});

test("a file that asks for a record alone switches no guard on in a run", async () => {
  const { folder, file } = folderWith("[audit]\nrequired = true\n");
  const run = await HookRun.fromConfig(file, { env: {}, cwd: folder });
  const { db_query_sql } = run.wrap({ db_query_sql: ({ sql }: { sql: string }) => sql });
  expect(await db_query_sql({ sql: "DELETE FROM t" })).toBe("DELETE FROM t");
  await run.end("done");
});

test("a record that cannot be written fails where the run is made", async () => {
  const { folder, file } = folderWith("[audit]\nrequired = true\n");
  writeFileSync(join(folder, ".countersign"), "no folder");
  await expect(HookRun.fromConfig(file, { env: {}, cwd: folder })).rejects.toThrow();
});

test("a file that is not there is an error with the next step", async () => {
  const hint = { hint: "Name the file that is meant, or write one with `countersign init`." };
  await expect(createHooks({ config: "/nowhere/x.toml", env: {} })).rejects.toMatchObject(hint);
  expect(() => new HookRun("/nowhere/x.toml")).toThrow(expect.objectContaining(hint));
});

test("a tree from a program has no lines in its problems", async () => {
  const config = { chain: { quota: "yes" } } as never;
  const said = '`chain.quota` must be true or false, not the text "yes" (write true)';
  await expect(createHooks({ config, env: {} })).rejects.toMatchObject({ message: said });
  expect(() => new HookRun(config)).toThrow(expect.objectContaining({ message: said }));
});
