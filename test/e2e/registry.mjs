/** A real npm registry on this machine for one test, empty at its start. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import "../../scripts/cardRegistry.mjs";
import { freePort } from "../../scripts/serverProcess.mjs";
import { root } from "../../scripts/setup.mjs";
import { until } from "./harness.mjs";

/** Anybody may push, as on a team's own machine; nothing is asked of another registry. */
const CONFIG = `storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
packages:
  "@*/*":
    access: $all
    publish: $all
  "**":
    access: $all
    publish: $all
log: { type: file, path: ./registry.log, level: warn }
`;

export async function startRegistry(dir) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "config.yaml"), CONFIG);
  const port = await freePort();
  const program = join(root, ".card-registry/node_modules/verdaccio/bin/verdaccio");
  const args = [program, "--config", join(dir, "config.yaml"), "--listen", `127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, { cwd: dir, stdio: "ignore" });
  const url = `http://127.0.0.1:${port}/`;
  await until(async () => (await fetch(`${url}-/ping`)).ok, "the registry answers", 60_000);
  return { url, port, stop: () => child.kill("SIGKILL") };
}
