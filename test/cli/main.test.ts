/** The entry as a process: it picks the command, or says which was meant. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import * as esbuild from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newFolder } from "../node/auditProcess";

let folder: string;
let entry: string;
beforeAll(async () => {
  folder = newFolder();
  entry = path.join(folder, "cli.js");
  await esbuild.build({
    entryPoints: ["src/cli/main.ts"],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["pg", "mysql2", "csv-parse", "node-sql-parser"],
    outfile: entry,
    logLevel: "silent",
  });
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function countersign(...argv: string[]): { code: number | null; out: string; err: string } {
  const run = spawnSync(process.execPath, [entry, ...argv], { input: "", encoding: "utf8", cwd: folder });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

test.each<[string[], string]>([
  [[], "name a command"],
  [["explan"], 'there is no command "explan", did you mean explain?'],
  [["hellohooks"], 'there is no command "hellohooks", did you mean hello-hooks?'],
  [["frobnicate"], 'there is no command "frobnicate"'],
  [["constructor"], 'there is no command "constructor"'],
  [["--verison"], "unknown option --verison, did you mean --version?"],
])("%j: exit 2, what is wrong, the usage", (argv, why) => {
  const { code, out, err } = countersign(...argv);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err.startsWith(`countersign: ${why}\n\nusage: countersign <command>`), err).toBe(true);
});

test.each<[string[], string]>([
  [["--help"], "<command>"],
  [["judge", "--help"], "judge"],
  [["explain", "-h"], "explain"],
  [["verify", "--help"], "verify"],
  [["hello-hooks", "-h"], "hello-hooks"],
  [["config", "--help"], "config"],
  [["init", "--help"], "init"],
  [["hook", "--help"], "hook"],
])("%j: the usage on standard output, exit 0", (argv, name) => {
  const { code, out, err } = countersign(...argv);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.startsWith(`usage: countersign ${name} `), out).toBe(true);
});
