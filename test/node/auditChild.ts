/** A writer in a process of its own, for the tests: `append FILE COUNT NAME MS`. Says each acknowledged record on stdout. */
import * as fs from "node:fs";
import * as path from "node:path";
import { fileHeadStore } from "../../src/node/auditHead";
import { openAuditLock } from "../../src/node/auditLock";
import { auditPlace } from "../../src/node/auditPlace";
import { verifyFile } from "../../src/node/auditVerify";
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

/** Every kind of writing in turn, like a window at work: allowed, denied, run by us between an intent and its record, large. */
async function work(file: string, count: number, name: string): Promise<void> {
  const nth = Number(name.replace(/\D/g, "")) || 0;
  const log = await openAuditLog({
    path: file,
    role: (["extension", "mcp", "hook", "cli"] as const)[nth % 4] ?? "library",
    version: "0.0.0",
    durability: nth % 3 === 0 ? "always" : "group",
    // Short: while another holds the lock, records go to the spool.
    lockMs: nth % 2 === 0 ? 10 : 60_000,
    head: fileHeadStore(headFolder(file), file),
  });
  for (let i = 0; i < count; i += 1) {
    const call_id = `${name}-${i}`;
    const text = "x".repeat(i % 50 === 49 ? 50_000 : 300);
    const body = { event: "call", call_id, tool: "t", args: { text }, error: null } as const;
    const isRunByUs = i % 5 === 4;
    if (isRunByUs) {
      await log.intend({ ...body, decision: "allow" });
      say(`intended ${call_id}`);
    }
    const decision = i % 7 === 6 ? "denied" : "allow";
    const seq = await log.append({ ...body, decision }).then((record) => record.seq, codeOf);
    // Refused is an answer too, while nothing elsewhere knows the log yet.
    say(seq === "audit.locked" ? `refused ${call_id}` : `ack ${call_id} ${seq}`);
  }
  await log.close();
  say("done");
}

function codeOf(error: { code?: string }): string {
  if (error.code !== "audit.locked") throw error;
  return error.code;
}

function headFolder(file: string): string {
  return path.join(path.dirname(path.dirname(file)), "heads");
}

/** Takes the lock and keeps it, `count` times, each for as long as `ms`; `gap` between. */
async function hold(file: string, count: number, times: { ms: number; gap: number }): Promise<void> {
  const lock = openAuditLock(auditPlace(file).lock);
  for (let i = 0; i < count; i += 1) {
    if (!(await lock.acquire(60_000))) throw new Error("the lock was not to be had");
    say("holding");
    await new Promise((resolve) => setTimeout(resolve, times.ms));
    lock.release();
    await new Promise((resolve) => setTimeout(resolve, times.gap));
  }
  lock.close();
}

/** A real full disk: `file` stands on a small one; room is made by removing a file, and the same log goes on. */
async function fillDisk(file: string): Promise<void> {
  const ballast = path.join(path.dirname(file), "ballast");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(ballast, Buffer.alloc(64 * 1024));
  const log = await open(file);
  const refusals: string[] = [];
  let written = 0;
  for (let i = 0; i < 2000 && refusals.length < 3; i += 1) {
    try {
      await log.append({ event: "call", args: { text: "x".repeat(3000) }, decision: "denied", error: null });
      written += 1;
    } catch (error) {
      refusals.push(String((error as { code?: string }).code));
    }
  }
  const intent = await log.intend({ event: "call", call_id: "i", error: null }).then(
    () => "kept",
    (error: { code?: string }) => String(error.code),
  );
  const full = await verifyFile(file);
  fs.rmSync(ballast);
  await log.append({ event: "call", error: null });
  await log.close();
  const after = await verifyFile(file);
  say(JSON.stringify({ written, refusals, intent, full: pick(full), after: pick(after) }));
}

function pick({ ok, count }: { ok: boolean; count: number }): { ok: boolean; count: number } {
  return { ok, count };
}

/** What a kill between a record and the end of its intent leaves: both. And one call of the same id that began after it. */
async function leaveBoth(file: string): Promise<void> {
  const log = await open(file);
  const body = { event: "call", call_id: "c", tool: "t", decision: "allow", error: null } as const;
  const { intents } = auditPlace(file);
  await log.intend(body);
  const [name = ""] = fs.readdirSync(intents);
  const text = fs.readFileSync(path.join(intents, name));
  await log.append(body);
  // The intent goes in the background.
  while (fs.readdirSync(intents).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  fs.writeFileSync(path.join(intents, name), text);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await log.intend({ ...body, tool: "second" });
  say("left");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** Says how opening and writing end. */
async function tryOne(file: string): Promise<void> {
  try {
    const log = await open(file);
    await log.append({ event: "call", error: null });
    await log.close();
    say("written");
  } catch (error) {
    const { code, hint } = error as { code?: string; hint?: string };
    say(`refused ${code} ${hint === undefined ? "" : "hint"}`);
  }
}

const [, , command, file = "", count = "0", name = "w", pause = "0"] = process.argv;
if (command === "append") await append(file, Number(count), name, Number(pause));
else if (command === "fill") await fill(file);
else if (command === "intend") await intend(file, name);
else if (command === "work") await work(file, Number(count), name);
else if (command === "hold") await hold(file, Number(count), { ms: Number(name), gap: Number(pause) });
else if (command === "fillDisk") await fillDisk(file);
else if (command === "leaveBoth") await leaveBoth(file);
else if (command === "tryOne") await tryOne(file);
