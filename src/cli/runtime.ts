/** Finds a runtime with built-in SQLite where this one has none, and runs the same command line there. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { CountersignError } from "../core/errors";

interface Candidate {
  readonly path: string;
  readonly env?: Readonly<Record<string, string>>;
}

const AGAIN = "COUNTERSIGN_REEXECUTED";

/** The exit code of the run elsewhere; undefined when this runtime will do. Throws `runtime.missing` when none is found. */
export function reexecuteWhereNeeded(): number | undefined {
  if (hasSqlite()) return undefined;
  if (process.env[AGAIN] === undefined) {
    const found = candidates().find(worksWithSqlite);
    if (found !== undefined) {
      const env = { ...process.env, ...found.env, [AGAIN]: "1" };
      const run = spawnSync(found.path, process.argv.slice(1), { stdio: "inherit", env });
      return run.status ?? 2;
    }
  }
  throw new CountersignError(
    "runtime.missing",
    `Node ${process.versions.node} has no built-in SQLite, which the audit log's lock needs`,
    {
      hint: "Use Node 22.13 or newer, or name one in COUNTERSIGN_NODE.",
    },
  );
}

function hasSqlite(): boolean {
  try {
    return process.getBuiltinModule?.("node:sqlite") !== undefined;
  } catch {
    return false;
  }
}

function candidates(): Candidate[] {
  const found: Candidate[] = [];
  if (process.env.COUNTERSIGN_NODE)
    found.push({ path: process.env.COUNTERSIGN_NODE, env: { ELECTRON_RUN_AS_NODE: "1" } });
  const npm = npmBinary();
  if (npm !== undefined) found.push({ path: npm });
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const name of ["code", "code-insiders", "codium", "cursor"]) {
    const path = folders.map((folder) => join(folder, name)).find(existsSync);
    if (path !== undefined) found.push({ path, env: { ELECTRON_RUN_AS_NODE: "1" } });
  }
  const exe = process.platform === "win32" ? "node.exe" : "node";
  for (const folder of folders) {
    const path = join(folder, exe);
    if (existsSync(path) && path !== process.execPath) found.push({ path });
  }
  return found;
}

function npmBinary(): string | undefined {
  try {
    const manifest = createRequire(__filename).resolve(`node-linux-${process.arch}/package.json`);
    return join(manifest, "..", "bin", "node");
  } catch {
    return undefined;
  }
}

function worksWithSqlite(candidate: Candidate): boolean {
  const probe = spawnSync(
    candidate.path,
    ["-e", "require('node:sqlite'); process.stdout.write('CS-SQLITE')"],
    {
      env: { ...process.env, ...candidate.env },
      encoding: "utf8",
      timeout: 10_000,
    },
  );
  return probe.status === 0 && probe.stdout.endsWith("CS-SQLITE");
}
