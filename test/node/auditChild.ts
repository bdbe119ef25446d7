/** A writer in a process of its own, for the tests: `append FILE COUNT NAME MS`. Says each acknowledged record on stdout. */
import * as fs from "node:fs";
import { type AuditLog, openAuditLog } from "../../src/node/auditWriter";

async function open(file: string): Promise<AuditLog> {
  return openAuditLog({ path: file, role: "library", version: "0.0.0", lockMs: 60_000 });
}

function say(text: string): void {
  // At once: what is said must not be lost with the process.
  fs.writeSync(1, `${text}\n`);
}

async function append(file: string, count: number, name: string, pauseMs: number): Promise<void> {
  const log = await open(file);
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const started = performance.now();
    const body = {
      event: "call" as const,
      call_id: `${name}-${i}`,
      tool: "t",
      args: { text: "x".repeat(300) },
      error: null,
    };
    const record = await log.append(body);
    times.push(performance.now() - started);
    say(`ack ${name}-${i} ${record.seq}`);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  await log.close();
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(3);
  say(`times p50 ${at(0.5)} p99 ${at(0.99)} max ${at(0.9999)}`);
}

async function intend(file: string, name: string): Promise<void> {
  const log = await open(file);
  await log.intend({
    event: "call",
    call_id: name,
    tool: "t",
    args: { password: "hunter2" },
    decision: "allow",
    error: null,
  });
  say("intended");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** Appends until it is refused. */
async function fill(file: string): Promise<void> {
  const log = await open(file);
  let count = 0;
  try {
    for (; ; count += 1)
      await log.append({
        event: "call",
        call_id: `f-${count}`,
        args: { text: "x".repeat(3000) },
        error: null,
      });
  } catch (error) {
    const { code, hint } = error as { code?: string; hint?: string };
    say(`refused ${count} ${code} ${hint === undefined ? "" : "hint"}`);
  }
  await log.close();
}

const [, , command, file = "", count = "0", name = "w", pause = "0"] = process.argv;
if (command === "append") await append(file, Number(count), name, Number(pause));
else if (command === "fill") await fill(file);
else if (command === "intend") await intend(file, name);
