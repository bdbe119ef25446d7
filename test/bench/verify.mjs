/**
 * Verification beside a plain Python verifier and the hash's own limit, all on one file and in CPU time. Each figure is the best of three.
 * 1,000,000 records, or `--records=N`; `--large` adds a file of 10,000,000 for the memory.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";

export const name = "verify";

const ROUNDS = 3;
const HASHED = 600;
const RECORDS = Number(/^--records=(\d+)$/m.exec(process.argv.join("\n"))?.[1] ?? 1_000_000);

const PLAIN = `
import sys, json, hashlib, resource
prev = None
for line in open(sys.argv[1], encoding="utf8"):
    record = json.loads(line)
    stated = record.pop("record_hash")
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert record["prev_hash"] == prev and hashlib.sha256(text.encode()).hexdigest() == stated
    prev = stated
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime)`;

/** What the command itself took, told as it ends. */
const USAGE = `
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write(JSON.stringify({ seconds: (userCPUTime + systemCPUTime) / 1e6, rss: maxRSS / 1024 }));
});`;

export async function bench({ root }) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  try {
    const file = join(folder, "audit.jsonl");
    writeLog(file, RECORDS);
    const bytes = statSync(file).size;
    const ours = best(() => verify(root, file), "seconds");
    const python = best(
      () => ({ seconds: Number(execFileSync("python3", ["-c", PLAIN, file], { encoding: "utf8" })) }),
      "seconds",
    );
    const limit = hashLimit();
    const closed = best(await digest(root, folder, file), "seconds");
    const measures = {
      records: ours.count,
      "bytes per record": bytes / ours.count,
      "CPU per record (µs)": (ours.seconds / ours.count) * 1e6,
      "MB/s": bytes / ours.seconds / 1e6,
      "Python, CPU per record (µs)": (python.seconds / ours.count) * 1e6,
      "openssl sha256 at 600 B (MB/s)": limit,
      "digest of a closed file (MB/s)": bytes / closed.seconds / 1e6,
      "peak memory (MB)": ours.rss,
      "times faster than Python": python.seconds / ours.seconds,
      "part of openssl": bytes / ours.seconds / 1e6 / limit,
    };
    const ratios = {
      "8 times our time to Python's": { value: (8 * ours.seconds) / python.seconds, goal: 1 },
      "0.30 of openssl to our MB/s": { value: (0.3 * limit) / (bytes / ours.seconds / 1e6), goal: 1 },
      "600 MB/s to the digest of a closed file": { value: (600 * closed.seconds) / (bytes / 1e6), goal: 1 },
      "peak memory to 100 MB": { value: ours.rss / 100, goal: 1 },
    };
    if (process.argv.includes("--large")) {
      rmSync(file);
      writeLog(file, 10_000_000);
      const large = verify(root, file);
      measures["10,000,000 records, CPU (s)"] = large.seconds;
      measures["10,000,000 records, peak memory (MB)"] = large.rss;
      ratios["peak memory at 10,000,000 to 100 MB"] = { value: large.rss / 100, goal: 1 };
    }
    return { measures, ratios };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As an auditor does: the command, from its start to its end. */
function verify(root, file) {
  const home = dirname(file);
  const usage = join(home, "usage.cjs");
  writeFileSync(usage, USAGE);
  const words = ["--require", usage, join(root, "dist/cli.js"), "verify", file, "--json"];
  const run = spawnSync(process.execPath, words, { encoding: "utf8", env: { ...process.env, HOME: home } });
  const { ok, count } = JSON.parse(run.stdout || "{}");
  if (ok !== true) throw new Error(`the log was not found whole: ${run.stdout}${run.stderr}`);
  return { count, ...JSON.parse(run.stderr) };
}

const DIGEST = `
const { fileDigest } = require(process.argv[1]);
const before = process.cpuUsage();
fileDigest(process.argv[2]).then(() => {
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1e6);
});`;

/** What a closed file costs where only its digest is compared, without the start of the process. */
async function digest(root, folder, file) {
  const outfile = join(folder, "digest.cjs");
  const entry = join(root, "src/node/auditVerifyRead.ts");
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "cjs" });
  return () => ({
    seconds: Number(execFileSync(process.execPath, ["-e", DIGEST, outfile, file], { encoding: "utf8" })),
  });
}

/** The hash's own limit in MB/s, as openssl measures it; node's where there is no openssl. */
function hashLimit() {
  const run = spawnSync("openssl", ["speed", "-seconds", "1", "-bytes", String(HASHED), "sha256"], {
    encoding: "utf8",
  });
  const found = /^sha256\s+([\d.]+)k/m.exec(run.stdout ?? "");
  if (found) return Number(found[1]) / 1000;
  const bytes = Buffer.alloc(HASHED, 97);
  const before = process.cpuUsage();
  for (let i = 0; i < 500_000; i += 1) createHash("sha256").update(bytes).digest();
  const { user, system } = process.cpuUsage(before);
  return (500_000 * HASHED) / (user + system);
}

function best(run, by) {
  return Array.from({ length: ROUNDS }, run).sort((a, b) => a[by] - b[by])[0];
}

/** As the writer writes them, without its locks and flushes. */
function writeLog(file, count) {
  const fd = openSync(file, "w");
  let prev = "null";
  let lines = [];
  for (let seq = 1; seq <= count; seq += 1) {
    const kind = KINDS[seq % KINDS.length](seq);
    const body = `${kind},"prev_hash":${prev},"result":{"hash":"4ecbb3222264a341","size":${seq % 1000}},"seq":${seq},"session_id":"session-0001","tool":"db_query_sql","ts":"2026-01-02T03:04:05.${String(seq % 1000).padStart(3, "0")}Z","v":1,"writer":{"pid":4242,"role":"extension","version":"0.1.0"}}`;
    const hash = createHash("sha256").update(body).digest("hex");
    prev = `"${hash}"`;
    lines.push(`${body.slice(0, -1)},"record_hash":"${hash}"}\n`);
    if (lines.length === 2000 || seq === count) {
      writeSync(fd, lines.join(""));
      lines = [];
    }
  }
  closeSync(fd);
}

const rest = (seq, args, decision) =>
  `{"agent":"copilot","args":${args},"by":"destructive_sql","call_id":"call_${seq}","decision":"${decision}","duration_ms":${seq % 50},"error":null,"event":"call","findings":[],"log_id":"log_bench","policy_digest":"sha256:0f343b0931126a20"`;

const KINDS = [
  (seq) =>
    rest(
      seq,
      `{"sql":"SELECT u.id, count(*) FROM users u JOIN orders o ON o.user_id = u.id WHERE o.id > ${seq} GROUP BY u.id ORDER BY 2 DESC LIMIT 100"}`,
      "allow",
    ),
  (seq) =>
    rest(seq, `{"command":"npm test && git commit -m \\"step ${seq}\\"","cwd":"/home/me/project"}`, "allow"),
  (seq) =>
    rest(
      seq,
      `{"path":"src/naïve/${seq}.ts","content":"export const a = ${seq};\\nexport const b = 2;\\n"}`.replace(
        /("path":"[^"]*"),("content":"[^"]*")/,
        "$2,$1",
      ),
      "allow",
    ),
  (seq) => rest(seq, `{"connection":"main","sql":"DELETE FROM orders"}`, "denied"),
];
