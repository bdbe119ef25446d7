/** Appends to the audit log: one writer on a short and on a very long log, several processes in turns and flat out, each record on the disk. Goals are on the p99. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const name = "audit log, appends";

const own = fileURLToPath(import.meta.url);
const root = dirname(dirname(dirname(own)));
const LONG = 1_000_000;
const body = (i) => ({
  event: "call",
  call_id: `c-${i}`,
  trace_id: `t-${i}`,
  session_id: "session-1",
  agent: "bench",
  profile: "default",
  tool: "run_in_terminal",
  args: { command: `npm test -- --run ${"x".repeat(200)}` },
  decision: "allow",
  error: null,
});

function open(file, more = {}) {
  const { openAuditLog } = createRequire(import.meta.url)(join(root, "dist/library.js"));
  // One segment, however long: what is measured is the length of the file.
  const segments = { bytes: 1e12, records: 1e12 };
  return openAuditLog({ path: file, role: "library", version: "0.0.0", segments, ...more });
}

export async function bench() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-audit-"));
  try {
    const short = await oneWriter(join(folder, "short"), { count: 3000 });
    const long = await oneWriter(join(folder, "long"), { count: 3000, before: LONG });
    const always = await oneWriter(join(folder, "always"), { count: 1000, durability: "always" });
    const paced = await many(join(folder, "paced"), { processes: 8, count: 100, everyMs: 50 });
    const flat = await many(join(folder, "flat"), { processes: 8, count: 1500, everyMs: 0 });
    const synced = await many(join(folder, "synced"), {
      processes: 8,
      count: 60,
      everyMs: 50,
      durability: "always",
    });
    const measures = {
      ...shown("one writer, new log", short),
      ...shown(`one writer, ${LONG} records before`, long),
      ...shown("one writer, each on the disk", always),
      ...shown("8 processes at 20/s", paced),
      ...shown("8 processes flat out", flat),
      "8 processes flat out (records/s)": flat.perSecond,
      ...shown("8 processes at 20/s, each on the disk", synced),
    };
    const ratios = {
      "one writer p99 to 0.5 ms": { value: short.p99 / 0.5, goal: 1 },
      "p50 on the long log to the short": { value: long.p50 / short.p50, goal: 1.25 },
      "8 processes at 20/s p99 to 10 ms": { value: paced.p99 / 10, goal: 1 },
      "5,000/s to 8 processes flat out": { value: 5000 / flat.perSecond, goal: 1 },
      "8 processes at 20/s, each on the disk, p99 to 40 ms": { value: synced.p99 / 40, goal: 1 },
      "records lost": { value: flat.lost + paced.lost + synced.lost, goal: 0 },
    };
    return { measures, ratios };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function oneWriter(folder, { count, before = 0, durability }) {
  const file = join(folder, "audit.jsonl");
  const first = await open(file);
  const { log_id } = await first.append(body(0));
  await first.close();
  if (before > 0) lengthen(file, { log_id, count: before });
  const log = await open(file, durability === undefined ? {} : { durability });
  const times = [];
  for (let i = 0; i < count + 200; i += 1) {
    const began = performance.now();
    await log.append(body(i));
    if (i >= 200) times.push(performance.now() - began);
  }
  await log.close();
  return quantiles(times);
}

/** Writes the records that were there before: the same chain, without the writer. */
function lengthen(file, { log_id, count }) {
  const fd = openSync(file, "w", 0o600);
  let prev_hash = null;
  let lines = [];
  for (let seq = 1; seq <= count; seq += 1) {
    const record = {
      error: null,
      event: "call",
      log_id,
      prev_hash,
      seq,
      ts: "2026-01-01T00:00:00.000Z",
      v: 1,
    };
    const text = JSON.stringify({ ...record, writer: { pid: 1, role: "library", version: "0.0.0" } });
    prev_hash = createHash("sha256").update(text).digest("hex");
    lines.push(`${text.slice(0, -1)},"record_hash":"${prev_hash}"}\n`);
    if (lines.length < 4096 && seq < count) continue;
    writeSync(fd, lines.join(""));
    lines = [];
  }
  closeSync(fd);
}

async function many(folder, { processes, count, everyMs, durability = "group" }) {
  const file = join(folder, "audit.jsonl");
  await (await open(file)).close();
  const children = Array.from({ length: processes }, () =>
    work([file, count, everyMs, durability].map(String)),
  );
  await Promise.all(children.map(({ ready }) => ready));
  const began = performance.now();
  for (const { go } of children) go();
  const times = (await Promise.all(children.map(({ done }) => done))).flat();
  const seconds = (performance.now() - began) / 1000;
  const { verifyAuditLog } = createRequire(import.meta.url)(join(root, "dist/library.js"));
  const { ok, count: kept } = await verifyAuditLog(file);
  return {
    ...quantiles(times),
    perSecond: times.length / seconds,
    lost: ok ? processes * count - kept : Infinity,
  };
}

function work(args) {
  const child = spawn(process.execPath, [own, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  let isReady = () => {};
  const ready = new Promise((resolve) => {
    isReady = resolve;
  });
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
    if (said.startsWith("ready\n")) isReady();
  });
  const done = new Promise((resolve, reject) => {
    child.on("close", (code) =>
      code === 0
        ? resolve(JSON.parse(said.slice("ready\n".length)))
        : reject(new Error(`a writer ended with ${code}`)),
    );
  });
  return { ready, done, go: () => child.stdin.end("go\n") };
}

/** In a process of its own. */
async function worker([file, count, everyMs, durability]) {
  const log = await open(file, { durability, lockMs: 60_000 });
  process.stdout.write("ready\n");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  const times = [];
  const start = performance.now() + Math.random() * Number(everyMs);
  for (let i = 0; i < Number(count); i += 1) {
    const due = start + i * Number(everyMs) - performance.now();
    if (Number(everyMs) > 0 && due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    const began = performance.now();
    await log.append(body(i));
    times.push(performance.now() - began);
  }
  await log.close();
  process.stdout.write(JSON.stringify(times));
}

const shown = (what, { p50, p99, max }) => ({
  [`${what}: p50 (ms)`]: p50,
  [`${what}: p99 (ms)`]: p99,
  [`${what}: max (ms)`]: max,
});

function quantiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) };
}

if (process.argv[1] === own && existsSync(own)) await worker(process.argv.slice(2));
