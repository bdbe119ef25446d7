/**
 * `node scripts/fuzzShell.mjs [--n N] [--seed S] [--show]`: seeded texts that hide a destructive command are run by a real bash in
 * a throw-away folder, in which harmless stand-ins write down how they were called. Exits 1 when one ran that the guard had
 * not asked for. Knows no rule.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DESTRUCTIVE, HARMLESS, randomFrom, shellText } from "../test/engines/shellTexts.mjs";

const root = join(import.meta.dirname, "..");
/** Real programs that wrap, print or decode. Nothing here removes or overwrites anything by name. */
const REAL =
  "bash sh env nice timeout nohup setsid stdbuf xargs find cat base64 rev tr printf tee perl python3 awk sed sleep true false head".split(
    " ",
  );
/** Nobody: no rights on this machine. */
const NOBODY = 65534;

function makeStage() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-shell-"));
  const programs = join(folder, "programs");
  const work = join(folder, "work");
  for (const path of [programs, work, join(work, "src")]) mkdirSync(path);
  const log = join(folder, "log");
  writeFileSync(log, "");
  for (const name of REAL) {
    const path = ["/usr/bin", "/bin"].map((place) => join(place, name)).find(existsSync);
    if (path !== undefined) symlinkSync(path, join(programs, name));
  }
  const standIn = join(folder, "stand-in");
  writeFileSync(standIn, `#!/bin/sh\n{ printf '%s\\037' "\${0##*/}" "$@"; printf '\\036'; } >> ${log}\n`);
  chmodSync(standIn, 0o755);
  const names = new Set([...DESTRUCTIVE, ...HARMLESS].map(([name]) => name));
  for (const name of names)
    if (!REAL.includes(name) && name !== "echo") symlinkSync(standIn, join(programs, name));
  writeFileSync(join(work, "src/a.txt"), "a\n");
  const mine = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if ("uid" in mine)
    for (const path of [folder, work, join(work, "src"), log]) chownSync(path, NOBODY, NOBODY);
  return { folder, programs, work, log, mine };
}

/** @returns {Promise<readonly (readonly string[])[]>} What was called. */
function run(stage, text) {
  writeFileSync(stage.log, "");
  return new Promise((resolve) => {
    const child = spawn("/bin/bash", ["-c", text], {
      cwd: stage.work,
      env: { PATH: stage.programs, HOME: stage.work, LANG: "C" },
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
      ...stage.mine,
    });
    const end = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {}
    };
    const timer = setTimeout(end, 3000);
    child.once("close", () => {
      clearTimeout(timer);
      end();
      const calls = readFileSync(stage.log, "latin1").split("\x1e").slice(0, -1);
      resolve(calls.map((call) => call.split("\x1f").slice(0, -1)));
    });
  });
}

const isDone = (words, calls) => calls.some((call) => words.every((word, at) => call[at] === word));

/**
 * @param {{ n: number, seed: number, judge: (text: string) => string }} options `judge` answers allow, ask or deny.
 * @returns {Promise<{ texts: number, ran: number, unasked: string[], harmless: number, harmlessAsked: string[] }>}
 */
export async function fuzz({ n, seed, judge }) {
  const random = randomFrom(seed);
  const stage = makeStage();
  const out = { texts: n, ran: 0, unasked: [], harmless: 0, harmlessAsked: [] };
  try {
    for (let i = 0; i < n; i += 1) {
      const { words, text } = shellText(random, DESTRUCTIVE);
      const verdict = judge(text);
      // What is asked for is run now and then: it shows that such texts do what they are made for.
      if (verdict !== "allow" && i % 8 !== 0) continue;
      const done = isDone(words, await run(stage, text));
      if (done && verdict !== "allow") out.ran += 1;
      if (done && verdict === "allow") out.unasked.push(text);
    }
    for (let i = 0; i < n; i += 1) {
      const { text } = shellText(random, HARMLESS);
      out.harmless += 1;
      if (judge(text) !== "allow") out.harmlessAsked.push(text);
    }
  } finally {
    rmSync(stage.folder, { recursive: true, force: true });
  }
  return out;
}

/** The guard is TypeScript: bundled in memory and loaded from there. */
async function loadJudge() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/core/shellRules/judgeShell.ts")],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error",
  });
  const encoded = Buffer.from(outputFiles[0].contents).toString("base64");
  const { judgeShell } = await import(`data:text/javascript;base64,${encoded}`);
  return (text) => {
    const { findings } = judgeShell(text, "bash", "/work");
    return findings.length === 0 ? "allow" : (findings[0].rule.verdict ?? "ask");
  };
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      n: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      show: { type: "boolean" },
    },
  });
  const found = await fuzz({ n: Number(values.n), seed: Number(values.seed), judge: await loadJudge() });
  for (const text of found.unasked.slice(0, 40)) console.log(`ran unasked: ${JSON.stringify(text)}`);
  if (values.show)
    for (const text of found.harmlessAsked.slice(0, 40))
      console.log(`asked, harmless: ${JSON.stringify(text)}`);
  console.log(
    `${found.texts} texts, of those sampled ${found.ran} ran and were asked for, ${found.unasked.length} ran unasked; ${found.harmlessAsked.length} of ${found.harmless} harmless ones asked`,
  );
  process.exitCode = found.unasked.length === 0 ? 0 : 1;
}
