/** Entry of the MCP server: a runtime that will do, standard output for messages alone, and the end of the process. Holds no logic. */
import { homedir } from "node:os";
import { reexecuteWhereNeeded } from "../cli/runtime";
import { hintOf, messageOf } from "../core/errors";

async function main(): Promise<number> {
  const elsewhere = reexecuteWhereNeeded();
  if (elsewhere !== undefined) return elsewhere;
  const write = takeStandardOutput();
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  process.stdout.on("error", () => stop.abort());
  const { serve } = await import("./server");
  const { stderrLog } = await import("../node/ports");
  const { redactedLog } = await import("../core/audit/redactedLog");
  await serve({
    stdin: process.stdin,
    write,
    stop: stop.signal,
    cwd: process.cwd(),
    home: homedir(),
    env: process.env,
    log: redactedLog(stderrLog),
  });
  return 0;
}

/** A library that prints would break the protocol: whatever is not one of our messages goes to standard error. */
function takeStandardOutput(): (line: string) => void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return (line) => void write(line);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`countersign: ${messageOf(error)}${hintOf(error)}\n`);
    process.exitCode = 2;
  },
);
