/**
 * Puts the launcher into `~/.countersign/bin`, so that what agents' settings name never moves: the shell programs, the plugin file
 * for OpenCode, and the way out that works without the extension. Knows nothing of agents' settings.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { launcherText, programText } from "../agents/install/launcher";
import { openCodePluginText } from "../agents/install/openCodePlugin";
import { writePrivately, writeProgram, writeRuntime } from "./locator";

export interface Installation {
  readonly home: string;
  /** Absolute path of a Node, or of the editor's program, which is one with `ELECTRON_RUN_AS_NODE=1`. */
  readonly runtime: string;
  /** The folder with cli.js of the version that is installed. */
  readonly dist: string;
}

export const binFolder = (home: string): string => join(home, ".countersign", "bin");
export const hookProgram = (home: string): string => join(binFolder(home), "hook");

/** Writes what differs. Throws where `~/.countersign` is not ours. */
export function writeLauncher({ home, runtime, dist }: Installation): void {
  writeRuntime(home, runtime);
  writeProgram(home, join(dist, "cli.js"));
  const put = (name: string, text: string, mode: number): void => {
    const file = join(binFolder(home), name);
    if (existsSync(file) && readFileSync(file, "utf8") === text) return;
    writePrivately(home, file, text, { mode });
  };
  put("hook", launcherText(), 0o700);
  put("countersign", programText(), 0o700);
  put("opencode.mjs", openCodePluginText(), 0o600);
  const wayOut = join(dist, "uninstall.js");
  if (existsSync(wayOut)) put("uninstall.js", readFileSync(wayOut, "utf8"), 0o600);
}
