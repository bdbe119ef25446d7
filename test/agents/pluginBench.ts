/** Runs the plugin's real shell line with the real client against a real broker, and reads the answer as each harness does. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

/** Bundles the client as the product does; returns the plugin's folder. */
export async function buildPlugin(folder: string): Promise<string> {
  // A blank in its path: the line must quote.
  const root = join(folder, "agent plugin");
  mkdirSync(root, { recursive: true });
  await build({
    entryPoints: [new URL("../../src/agents/plugin/client.ts", import.meta.url).pathname],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    minify: true,
    outfile: join(root, "client.js"),
  });
  return root;
}

export function tempFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "cs-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

/** The lines as VS Code takes them from the file in the repository. */
export function shippedLine(event: "PreToolUse" | "PostToolUse" | "SessionStart" | "Stop"): string {
  const file = new URL("../../src/agents/plugin/hooks/hooks.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).hooks[event][0].hooks[0].command;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  /** Set when the host's write to the hook's stdin failed. */
  readonly writeError?: string;
}

export interface Start {
  readonly line: string;
  readonly input: string | Buffer;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly shell?: string;
  readonly cwd?: string;
  /** Leaves stdin open after the input. */
  readonly keepOpen?: "yes";
}

export function start(run: Start): { child: ChildProcess; ended: Promise<Ran> } {
  const began = performance.now();
  const child = spawn(run.shell ?? "/bin/sh", ["-c", run.line], {
    env: { PATH: process.env.PATH, ...run.env },
    cwd: run.cwd ?? tmpdir(),
    stdio: "pipe",
  });
  let stdout = "";
  let stderr = "";
  let writeError: string | undefined;
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", (error) => (writeError = String(error)));
  if (run.keepOpen === "yes") child.stdin.write(run.input);
  else child.stdin.end(run.input);
  const ended = new Promise<Ran>((resolve) => {
    child.on("close", (code) => {
      const ms = performance.now() - began;
      resolve({ code, stdout, stderr, ms, ...(writeError === undefined ? {} : { writeError }) });
    });
  });
  return { child, ended };
}

export const runLine = (run: Start): Promise<Ran> => start(run).ended;

type Verdict = {
  readonly decision: "allow" | "deny" | "none";
  readonly reason?: string;
  readonly input?: unknown;
};

/** VS Code's local agent mode: exit 2 denies, another failure or no JSON runs the tool, only `hookSpecificOutput` counts. */
export function asLocal(ran: Ran): Verdict {
  if (ran.code === 2) return { decision: "deny", reason: ran.stderr };
  const block = ran.code === 0 ? parse(ran.stdout)?.hookSpecificOutput : undefined;
  if (block?.hookEventName !== "PreToolUse") return { decision: "none" };
  return verdict(block.permissionDecision, block.permissionDecisionReason, block.updatedInput);
}

/** The Agent Host: any exit but 0 and anything but JSON runs the tool, only the top level counts. */
export function asAgentHost(ran: Ran): Verdict {
  const top = ran.code === 0 ? parse(ran.stdout) : undefined;
  if (top === undefined) return { decision: "none" };
  return verdict(top.permissionDecision, top.permissionDecisionReason, top.modifiedArgs);
}

function verdict(decision: unknown, reason: unknown, input: unknown): Verdict {
  return {
    decision: decision === "deny" || decision === "allow" ? decision : "none",
    ...(typeof reason === "string" ? { reason } : {}),
    ...(input === undefined ? {} : { input }),
  };
}

function parse(
  text: string,
): (Record<string, Record<string, unknown>> & Record<string, unknown>) | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
