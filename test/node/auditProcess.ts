/** Bundles and starts the writer of auditChild.ts as a real process. */
import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

export function newFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), "countersign-audit-"));
}

export async function bundleChild(folder: string): Promise<string> {
  const outfile = path.join(folder, "auditChild.mjs");
  await esbuild.build({
    entryPoints: [fileURLToPath(new URL("./auditChild.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    outfile,
    logLevel: "silent",
  });
  return outfile;
}

export interface Child {
  readonly process: ChildProcess;
  /** Lines said so far. */
  readonly lines: string[];
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
  /** Resolves when a line starts like this. */
  said(start: string): Promise<void>;
}

/** None outlives whoever started it, nor writes once its folder is gone. */
const living = new Set<ChildProcess>();
process.prependListener("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

export function startChild(
  bundle: string,
  args: readonly string[],
  options: { readonly limitKib?: number } = {},
): Child {
  const command = [process.execPath, bundle, ...args];
  const limited = [
    "bash",
    "-c",
    `trap '' XFSZ; ulimit -f ${options.limitKib}; exec "$@"`,
    "bash",
    ...command,
  ];
  const [program = "", ...words] = options.limitKib === undefined ? command : limited;
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  living.add(child);
  child.on("exit", () => living.delete(child));
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  let rest = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const watch of watchers) watch();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, stderr }));
  });
  return {
    process: child,
    lines,
    ended,
    said: (start) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          if (!lines.some((line) => line.startsWith(start))) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
        void ended.then(() => reject(new Error(`the child ended before it said ${start}: ${stderr}`)));
      }),
  };
}

export function acknowledged(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith("ack ")).map((line) => line.split(" ")[1] ?? "");
}
