/** Sends a call that no door can read through the very program an agent would start, to see that it is denied and by whom. Leaves no record. */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Probe {
  readonly id: string;
  /** Names no session and no tool: every door refuses it before anything is judged or recorded. */
  readonly payload: string;
}

export const newProbe = (id: string): Probe => ({ id, payload: JSON.stringify({ countersign_probe: id }) });

export interface Line {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** "denied" = as it must be; "silent" = the agent would have run the call; "failed" = the program could not be run. */
export type ProbeAnswer =
  | { readonly kind: "denied"; readonly ms: number }
  | { readonly kind: "silent"; readonly said: string }
  | { readonly kind: "failed"; readonly why: string };

const DEADLINE_MS = 20_000;
const DENIED = /guard broken/;

export function runProbe(line: Line, { payload }: Probe, cwd: string): Promise<ProbeAnswer> {
  return new Promise((done) => {
    const began = performance.now();
    const child = spawn(line.program, [...line.args], { cwd, env: { ...process.env, ...line.env } });
    let said = "";
    const hear = (chunk: Buffer): void => {
      if (said.length < 64_000) said += chunk.toString();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.stdin.on("error", () => undefined);
    child.stdin.end(payload);
    const timer = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
    child.on("error", (error) => {
      clearTimeout(timer);
      done({ kind: "failed", why: error.message });
    });
    child.on("close", () => {
      clearTimeout(timer);
      const ms = Math.round(performance.now() - began);
      done(DENIED.test(said) ? { kind: "denied", ms } : { kind: "silent", said: said.slice(0, 200) });
    });
  });
}

/** The line with which the editor starts our plugin's hook. */
export async function pluginLine(plugin: string): Promise<Line> {
  const text = await readFile(join(plugin, "hooks", "hooks.json"), "utf8");
  const command = commandIn(JSON.parse(text));
  if (command === undefined) throw new Error("the plugin names no hook");
  // The shell fills in the folder, as the editor does.
  return { program: "/bin/sh", args: ["-c", command], env: { CLAUDE_PLUGIN_ROOT: plugin } };
}

function commandIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (
    "hooks" in value &&
    typeof value.hooks === "object" &&
    value.hooks !== null &&
    "PreToolUse" in value.hooks
  )
    return commandIn(value.hooks.PreToolUse);
  if ("command" in value && typeof value.command === "string") return value.command;
  return Object.values(value)
    .map(commandIn)
    .find((found) => found !== undefined);
}
