/** The README's examples are compiled by the library's types and run by its bundle. */
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
/** Programs first, then policies. */
let examples: readonly string[] = [];
const isPolicy = (example: string): boolean => example.includes('from "countersign/policy"');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-readme-"));
  const readme = await readFile("README.md", "utf8");
  const found = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, example = ""]) => example);
  examples = [...found.filter((one) => !isPolicy(one)), ...found.filter(isPolicy)];
  for (const [at, example] of examples.entries()) await writeFile(join(folder, `example${at}.ts`), example);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("they compile under strict settings", async () => {
  const compilerOptions = {
    target: "ES2023",
    // Of our own source, which the path below names.
    lib: ["ES2024", "DOM"],
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
    paths: { countersign: [resolve("src/library.ts")], "countersign/policy": [resolve("src/policy.ts")] },
  };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: examples.map((_, at) => `example${at}.ts`) }),
  );
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const ran = await run(process.execPath, [tsc, "-p", folder]).catch((error: { stdout: string }) => error);
  expect(ran.stdout).toBe("");
});

/** The printed text of an example that is given `typed` as its input. */
async function printed(at: number, typed: string): Promise<string> {
  const outfile = join(folder, `example${at}.mjs`);
  await build({
    entryPoints: [join(folder, `example${at}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    alias: { countersign: resolve("src/library.ts") },
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
  });
  const running = run(process.execPath, [outfile], { cwd: folder });
  running.child.stdin?.end(typed);
  return (await running).stdout;
}

test("the first runs, and its log verifies", async () => {
  expect(examples.map(isPolicy)).toEqual([false, false, false, true]);
  expect(await printed(0, "")).toBe("run ran SELECT 1\n");
  expect(await verifyAuditLog(join(folder, "audit.jsonl"))).toEqual({ ok: true, firstBad: null, count: 1 });
});

test.each([
  ["y\n", "run"],
  ["n\n", "denied"],
  // Standard input is closed: nobody can answer.
  ["", "denied"],
])("the second asks: %j means %s", async (typed, kind) => {
  const stdout = await printed(1, typed);
  expect(stdout).toContain("Run it? (y/n)");
  expect(stdout.trimEnd().endsWith(kind)).toBe(true);
});

test("the third runs its tool through the rules", async () => {
  await writeFile(join(folder, "gateway-hooks.toml"), "version = 1\n");
  expect(await printed(2, "")).toMatch(/^true \{[\s\S]*calls/);
});

test.each<[string, object, RegExp]>([
  ["a misspelt option", { auditpath: "x" }, /no option "auditpath"/],
  [
    "a misspelt key",
    { config: { chain: { path_alowlist: false } } },
    /path_alowlist.*did you mean `?path_allowlist/s,
  ],
  [
    "a plain function as `ask`",
    { ask: async () => ({ kind: "allow", scope: "once" }) },
    /`ask` must be an object/,
  ],
  [
    "an `ask` that does not say whether somebody is there",
    { ask: { ask: async () => null } },
    /`ask` must be/,
  ],
  ["an `ask` without its function", { ask: { available: true } }, /`ask` must be an object/],
  ["a `log` without its functions", { log: console.log }, /`log` must be/],
  ["one folder for a list of them", { roots: "." }, /`roots` must be a list/],
  ["a path of the wrong type", { auditPath: 7 }, /`auditPath` must be a text/],
  ["a wrong type", { config: { chain: { quota: "yes" } } }, /chain\.quota/],
])("%s is an error", async (_name, options, message) => {
  await expect(createHooks({ env: {}, ...options })).rejects.toThrow(message);
});

test("what README links to is in the tarball", async () => {
  const readme = await readFile("README.md", "utf8");
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/gu)].map(([, path = ""]) => path);
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    maxBuffer: 1 << 24,
  });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const packed = new Set(files.map(({ path }) => path));
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((path) => !packed.has(path))).toEqual([]);
});
