/** A server that is a child process and speaks on its standard input and output; its standard error is ours. Knows no protocol. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRawLineCutter } from "./rawLines";
import type { StartUpstream } from "./upstream";

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Milliseconds between asking a server to end, telling it, and making it. */
const PATIENCE_MS = 3_000;
/** The way to the window's dialogs is for programs of ours alone; the last is how the launcher runs us. */
const OURS = ["COUNTERSIGN_SOCKET", "COUNTERSIGN_NONCE", "COUNTERSIGN_HTTP", "ELECTRON_RUN_AS_NODE"];

export function stdioUpstream({ command, args, cwd, env }: StdioServer): StartUpstream {
  return ({ onLine, onEnd }) => {
    const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !OURS.includes(name)));
    const child = spawn(command, args, {
      cwd,
      env: kept,
      stdio: ["pipe", "pipe", "inherit"],
      windowsHide: true,
    });
    const timers: NodeJS.Timeout[] = [];
    let over = false;
    const end = (why: string, code: number): void => {
      if (over) return;
      over = true;
      for (const timer of timers) clearTimeout(timer);
      onEnd({ why, code });
    };
    const cutter = createRawLineCutter(onLine);
    let deaf = false;
    child.stdout.on("data", (chunk: Uint8Array) => {
      if (!deaf) cutter.push(chunk);
    });
    child.stdout.on("end", cutter.end);
    // A server that has gone resets the pipe: `close` tells.
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => end(`The server could not be started: ${error.message}`, 2));
    child.on("close", (code, signal) =>
      end(`The server ended (${signal ?? `exit code ${code}`})`, code ?? 1),
    );
    const kill = (): void => {
      if (over) return;
      // Its end is told only once all that it said was read.
      deaf = true;
      child.stdout.resume();
      child.kill("SIGTERM");
      timers.push(setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS));
    };
    return {
      send: (line) => over || !child.stdin.writable || child.stdin.write(line),
      async drained() {
        if (over || !child.stdin.writableNeedDrain) return;
        await Promise.race([once(child.stdin, "drain"), once(child, "close")]);
      },
      pause() {
        if (!deaf) child.stdout.pause();
      },
      resume: () => void child.stdout.resume(),
      finish() {
        child.stdin.end();
        timers.push(setTimeout(kill, PATIENCE_MS));
      },
      kill,
    };
  };
}
