/**
 * The audit panel in the real editor over a log of a million records: from the command to the first rows on the screen, beside
 * a bare webview of one line that the same editor opens; and frames while the list is scrolled. Medians of five.
 */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureHost } from "../../scripts/setup.mjs";
import { auditFile, closeSession, evaluate, openSession, until, webviewOf } from "../e2e/harness.mjs";
import { runFrames } from "../panel/frames.ts";

export const name = "panel";

const RECORDS = Number(process.env.PANEL_RECORDS ?? 1_000_000);
const ROUNDS = 5;

/** Lines of the shape and size that a writer makes; their hashes are made up, since the list does not look at them. */
async function writeLog(file) {
  await mkdir(dirname(file), { recursive: true });
  const out = createWriteStream(file);
  const hash = "0123456789abcdef".repeat(4);
  const agents = ["vscode", "claude", "codex"];
  for (let n = 1; n <= RECORDS; ) {
    let text = "";
    for (const last = Math.min(RECORDS, n + 4999); n <= last; n += 1) {
      const ts = new Date(1_790_000_000_000 + n * 10_000).toISOString();
      const decision = n % 50 === 0 ? "denied" : "allow";
      text += `{"agent":"${agents[n % 3]}","args":{"command":"echo step ${n}"},"call_id":"call_${n}","decision":"${decision}","error":null,"event":"call","log_id":"log_bench","policy_digest":"0123456789abcdef","prev_hash":"${hash}","profile":"default","seq":${n},"session_id":"ses_${n % 40}","tool":"Bash","trace_id":"tr_${n}","ts":"${ts}","v":1,"writer":{"pid":1,"role":"editor","version":"0.1.0"},"record_hash":"${hash}"}\n`;
    }
    if (!out.write(text)) await once(out, "drain");
  }
  out.end();
  await once(out, "close");
}

const openPanel = `const at = Date.now(); await vscode.commands.executeCommand("countersign.openAuditPanel"); return at;`;
const closePanel = `await vscode.commands.executeCommand("workbench.action.closeAllEditors"); return true;`;
const openBare = `const at = Date.now();
const panel = vscode.window.createWebviewPanel("bare", "bare", 1, { enableScripts: true, localResourceRoots: [] });
panel.webview.html = '<!doctype html><body><p id="bare">bare</p><script>requestAnimationFrame(() => performance.mark("first-rows"))</script></body>';
return at;`;

/** Milliseconds from the command to the mark that the page sets once it is drawn. */
async function timed(session, code, selector) {
  const at = await evaluate(session, code);
  const frame = webviewOf(session.page);
  await frame.locator(selector).first().waitFor({ timeout: 60_000 });
  const marked = await until(
    () =>
      frame.locator("body").evaluate(() => {
        const mark = performance.getEntriesByName("first-rows")[0];
        return mark === undefined ? 0 : performance.timeOrigin + mark.startTime;
      }),
    "the page is drawn",
  );
  return marked - at;
}

/** Lengths of frames, ascending, while the list is moved as a wheel does or by its scroll bar from end to end; or while nothing moves. */
function framesOf(session, way) {
  return webviewOf(session.page).locator(".rows").evaluate(runFrames, { way, count: 120 });
}

export async function bench({ root }) {
  spawnSync(process.execPath, [join(root, "scripts/package.mjs")], { stdio: "ignore" });
  await ensureHost();
  const session = await openSession({ name: "bench-panel" });
  const rows = ".rows .row:not([data-decision=loading])";
  try {
    await writeLog(auditFile(session));
    const cold = await timed(session, openPanel, rows);
    const began = performance.now();
    const amount = webviewOf(session.page).locator(".amount");
    await until(async () => !(await amount.textContent()).includes("%"), "the log is read through", 240_000);
    const indexed = performance.now() - began;
    await sleep(1500);
    const warm = [];
    const bare = [];
    const whole = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await evaluate(session, closePanel);
      bare.push(await timed(session, openBare, "#bare"));
      await evaluate(session, closePanel);
      warm.push(await timed(session, openPanel, rows));
      const from = performance.now();
      await until(
        async () => /\d{3}/.test(await amount.textContent()) && !(await amount.textContent()).includes("%"),
        "listed",
      );
      whole.push(performance.now() - from);
    }
    const idle = await framesOf(session, "idle");
    const wheel = await framesOf(session, "wheel");
    const bar = await framesOf(session, "bar");
    return {
      measures: {
        "first rows, never read before (ms)": cold,
        "the whole log indexed after (ms)": indexed,
        "first rows (ms)": median(warm),
        "all rows listed after that (ms)": median(whole),
        "bare webview (ms)": median(bare),
        "frame at rest, median (ms)": median(idle),
        "frame while the wheel turns, median (ms)": median(wheel),
        "frame while the wheel turns, 95 of 100 (ms)": wheel[Math.floor(wheel.length * 0.95)],
        "frame while the bar is dragged from end to end, median (ms)": median(bar),
        "frame while the bar is dragged, 95 of 100 (ms)": bar[Math.floor(bar.length * 0.95)],
      },
      ratios: {
        "first rows to 500 ms": { value: median(warm) / 500, goal: 1 },
        "first rows to a bare webview": { value: median(warm) / median(bare) },
        "frame while the wheel turns to one at rest": { value: median(wheel) / median(idle), goal: 1.1 },
      },
    };
  } finally {
    await closeSession(session);
  }
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
