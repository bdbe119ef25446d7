/** Runs for tests: silent, in a folder of their own. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { HookRun, type HookRunOptions } from "../../src/library";
import { quietLog } from "../core/fixtures";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** An empty folder, or one that holds `files`; gone after the test. */
export async function folderWith(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-run-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** A run of the file's text, with the folder it lies in. */
export async function runOf(
  toml: string,
  more: { files?: Readonly<Record<string, string>>; options?: HookRunOptions } = {},
): Promise<{ run: HookRun; folder: string }> {
  const folder = await folderWith({ "gateway-hooks.toml": toml, ...more.files });
  const options = { cwd: folder, log: quietLog, ...more.options };
  return { run: await HookRun.fromConfig(join(folder, "gateway-hooks.toml"), options), folder };
}

export const bareRun = (options: HookRunOptions = {}): HookRun =>
  new HookRun(undefined, { log: quietLog, ...options });

/** What a promise is rejected with; fails the test when it is not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const nothing = Symbol("resolved");
  const got = await promise.then(
    () => nothing,
    (error: unknown) => error,
  );
  if (got === nothing) throw new Error("it was expected to reject, and resolved");
  return got;
}
