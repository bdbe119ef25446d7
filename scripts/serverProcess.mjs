/** The plain parts of running a server: a port, files, a clean environment, an end without leftovers. Knows nothing of VS Code. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export function freePort() {
  return new Promise((found, failed) => {
    const probe = createServer();
    probe.once("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => found(port));
    });
  });
}

export function putFiles(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
}

/** Ours, without what belongs to the process that started us: its editor, its npm, its test runner, its Countersign. */
export function cleanEnvironment(extra) {
  const foreign =
    /^(VSCODE_|ELECTRON_|COUNTERSIGN|DATAMIND|npm_|NODE_OPTIONS$|NODE_TEST_CONTEXT$|NODE_ENV$|VITEST|XDG_)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(kept), ...extra };
}

/** Ends the server's whole process group, and does so too when this process exits. */
export function stopper(child, tmp) {
  const signal = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      /* already gone */
    }
  };
  const onExit = () => {
    signal("SIGKILL");
    rmSync(tmp, { recursive: true, force: true });
  };
  process.once("exit", onExit);
  return async () => {
    const ended =
      child.exitCode !== null || child.signalCode !== null
        ? undefined
        : new Promise((done) => child.once("exit", done));
    signal("SIGTERM");
    await Promise.race([ended, sleep(4000, undefined, { ref: false })]);
    process.off("exit", onExit);
    onExit();
  };
}
