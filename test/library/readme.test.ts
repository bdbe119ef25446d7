/** The README's example is compiled by its types and run by its bundle. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHooks, verifyAuditLog } from "../../src/library";

const run = promisify(execFile);
let folder = "";
let example = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-readme-"));
  const readme = await readFile("README.md", "utf8");
  example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  await writeFile(join(folder, "example.ts"), example);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("it compiles under strict settings", async () => {
  const compilerOptions = {
    target: "ES2023",
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitReturns: false,
    noEmit: true,
    skipLibCheck: true,
    resolveJsonModule: true,
    types: [resolve("node_modules/@types/node")],
    paths: { countersign: [resolve("src/library.ts")] },
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["example.ts"] }));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const ran = await run(process.execPath, [tsc, "-p", folder]).catch((error: { stdout: string }) => error);
  expect(ran.stdout).toBe("");
});

test("it runs, and its log verifies", async () => {
  const outfile = join(folder, "example.mjs");
  await build({
    entryPoints: [join(folder, "example.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    alias: { countersign: resolve("src/library.ts") },
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
  });
  const { stdout } = await run(process.execPath, [outfile], { cwd: folder });
  expect(stdout).toBe("run ran SELECT 1\n");
  expect(await verifyAuditLog(join(folder, "audit.jsonl"))).toEqual({ ok: true, firstBad: null, count: 1 });
});

test.each<[string, object, RegExp]>([
  ["a misspelt option", { auditpath: "x" }, /no option "auditpath"/],
  [
    "a misspelt key",
    { config: { chain: { path_alowlist: false } } },
    /path_alowlist.*did you mean `?path_allowlist/s,
  ],
  ["a wrong type", { config: { chain: { quota: "yes" } } }, /chain\.quota/],
])("%s is an error", async (_name, options, message) => {
  await expect(createHooks({ env: {}, ...options })).rejects.toThrow(message);
});
