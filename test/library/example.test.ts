/** The example of a run, as a person would start it: Node runs it against the built package. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { folderWith } from "./runs";

const run = promisify(execFile);
const example = resolve("test/examples/hookRun");

/** The example's one import from us leads to the package that people install. */
async function bundled(folder: string): Promise<string> {
  await run(process.execPath, [resolve("esbuild.mjs"), join(folder, "dist")]);
  const outfile = join(folder, "agent.mjs");
  await build({
    entryPoints: [join(example, "agent.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    logLevel: "error",
    plugins: [
      {
        name: "the built package",
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/src\/library$/ }, () => ({ path: "./dist/library.js", external: true })),
      },
    ],
  });
  return outfile;
}

describe("The example", () => {
  test("it seeds, wraps a program and an API, and ends with a verdict", async () => {
    const program = await bundled(await folderWith());
    expect(await readFile(program, "utf8")).toContain('from "./dist/library.js"');
    const { stdout, stderr } = await run(process.execPath, [program, example], { timeout: 30_000 });
    expect(stdout.trimEnd().split("\n")).toEqual([
      "search: conference.txt",
      'lookup: {"rows":["m@example.com: breach 1","m@example.com: breach 2","m@example.com: breach 3"],"hook_context":["[hook cap-rows] showing 3 of 5 rows"]}',
      'request: 200 {"path":"/people","limit":"2"}',
      'request: 404 {"path":"/places","limit":"500"}',
      "denied: this run only reads by read-only",
      'verdict: true ["[hook grade] graded together with graph.json"]',
      'summary: {"calls":3,"requests":2,"asks":0,"rewrites":2,"denials":1,"hook_errors":0,"findings":0,"substitutions":0,"leaks":0}',
    ]);
    expect(stderr).toMatch(/^warning: seeded entities are kept, but nothing is replaced/);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  }, 60_000);
});
