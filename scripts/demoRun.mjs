/** Plays the demo without a person: answers each dialog as a careful one would, and checks what really happened. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./setup.mjs";

const pictures = join(root, "out/demo");

/** What the dialogs ask, in order, and the button that is pressed. */
const ANSWERS = [
  { text: /DELETE FROM orders/, button: "Allow once", picture: "modal-delete" },
  { text: /DROP DATABASE/, button: "Deny", picture: "modal-drop-database" },
  { text: /notes\.txt/, button: "Deny", picture: "modal-outside" },
  { text: /DROP TABLE users/, button: "Deny", picture: "modal" },
];

async function until(look, what, timeoutMs = 60_000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
    await sleep(100);
  }
}

function transcriptOf({ transcript }) {
  if (!existsSync(transcript)) return [];
  const text = readFileSync(transcript, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const endOf = (demo) => transcriptOf(demo).find((entry) => entry.kind === "end");

/** Answers dialogs until the agent has made its last call; gives the names of those that came. */
async function answerDialogs(demo, page) {
  const dialog = demo.host.dialogOf(page).first();
  const seen = [];
  for (;;) {
    await until(
      async () => endOf(demo) || (await dialog.count()) > 0,
      "the next dialog or the agent's last answer",
    );
    if ((await dialog.count()) === 0) return seen;
    const text = await demo.host.dialogText(dialog);
    const answer = ANSWERS.find((candidate) => candidate.text.test(text));
    if (answer === undefined) throw new Error(`an unexpected dialog: ${text}`);
    await sleep(1200); // a person reads; faster clicks are void by design
    await page.screenshot({ path: join(pictures, `${answer.picture}.png`) });
    const shown = await dialog.elementHandle();
    await dialog.getByRole("button", { name: answer.button, exact: true }).click();
    await until(async () => !(await shown.evaluate((node) => node.isConnected)), "the dialog closes", 10_000);
    console.log(`demo: ${answer.button} – ${text.split("\n").find((line) => answer.text.test(line))}`);
    seen.push(answer.picture);
  }
}

function database({ workspace }, sql) {
  const db = new DatabaseSync(join(workspace, ".countersign/data.db"), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

function verifyLog(log) {
  const done = spawnSync(process.execPath, [join(root, "dist/cli.js"), "verify", log, "--json"], {
    encoding: "utf8",
  });
  return { code: done.status, ...JSON.parse(done.stdout || "{}"), stderr: done.stderr };
}

function readRecords(log) {
  return readFileSync(log, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function openPanel(demo, page) {
  await demo.host.runCommand(page, "Countersign: Open Audit Panel");
  const panel = demo.host.webviewOf(page);
  await panel.getByRole("grid").waitFor();
  return panel;
}

async function pressVerify(panel, expected) {
  await panel.getByRole("button", { name: "Verify", exact: true }).click();
  await panel.getByText(expected).first().waitFor();
}

/** Changes one byte of the third record, shows that the panel names it, and puts the byte back. */
async function tamperAndRestore(log, panel, page) {
  const good = readFileSync(log);
  const lines = good.toString("utf8").split("\n");
  const at = Buffer.byteLength(`${lines.slice(0, 2).join("\n")}\n`) + lines[2].indexOf('"ts":"') + 6;
  const bad = Buffer.from(good);
  bad[at] = bad[at] === 0x32 ? 0x33 : 0x32;
  writeFileSync(log, bad);
  await pressVerify(panel, /broken at line 3\b/);
  await page.screenshot({ path: join(pictures, "panel-tampered.png") });
  const found = verifyLog(log);
  writeFileSync(log, good);
  return found;
}

function checkAll(demo, { seen, results, records, tampered, verified }) {
  const orders = database(demo, "SELECT id FROM orders ORDER BY id").map((row) => row.id);
  const users = database(demo, "SELECT count(*) AS n FROM users")[0].n;
  const [select, remove, drop, read, terminal] = results.map((result) => result.text);
  const mentions = (record, text) => JSON.stringify(record.args ?? {}).includes(text);
  return [
    ["the SELECT ran without a dialog", /fountain pen/.test(select)],
    [
      "the DELETE was asked and ran once",
      seen.includes("modal-delete") && /2/.test(remove) && orders.join() === "1,3,5",
    ],
    ["DROP DATABASE was refused, and the agent knows", /DROP DATABASE/.test(drop) || /denied/i.test(drop)],
    [
      "that refusal is in the log",
      records.some((record) => mentions(record, "DROP DATABASE") && record.decision === "denied"),
    ],
    [
      "the read outside the workspace was asked and refused",
      seen.includes("modal-outside") && !read.includes(demo.secret),
    ],
    ["DROP TABLE in the terminal was asked, denied, and did not run", seen.includes("modal") && users === 3],
    ["the agent was told the reason", /denied/i.test(terminal)],
    [
      "the denial is in the log",
      records.some((record) => mentions(record, "DROP TABLE") && record.decision === "denied"),
    ],
    ["the changed byte was found at its record", tampered.code === 1 && tampered.firstBad === 3],
    ["countersign verify says the log is whole", verified.code === 0 && verified.ok === true],
  ];
}

/** True when everything happened as it should. */
export async function playDemo(demo) {
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const browser = await demo.host.launchBrowser();
  let page;
  try {
    page = await demo.host.openWorkbench(browser, demo.server, {
      folder: demo.workspace,
      viewport: { width: 1500, height: 900 },
    });
    const seen = await answerDialogs(demo, page);
    const { results } = endOf(demo);
    await page.locator(".interactive-session", { hasText: "audit panel" }).first().waitFor();
    await page.screenshot({ path: join(pictures, "chat.png") });
    const log = join(demo.workspace, ".countersign/storage/default/audit.jsonl");
    const records = readRecords(log);
    await page.keyboard.press("Control+b"); // the file list is no part of the picture
    const panel = await openPanel(demo, page);
    await pressVerify(panel, /The chain is intact/);
    await page.screenshot({ path: join(pictures, "panel.png") });
    const tampered = await tamperAndRestore(log, panel, page);
    const verified = verifyLog(log);
    const checks = checkAll(demo, { seen, results, records, tampered, verified });
    for (const [what, ok] of checks) console.log(`demo: ${ok ? "ok  " : "BAD "} ${what}`);
    console.log(`demo: pictures are in ${pictures}`);
    console.log(
      `audit chain verified: ${verified.count} record(s)${verified.ok ? ", no tampering detected" : " – BROKEN"}`,
    );
    return checks.every(([, ok]) => ok);
  } catch (error) {
    await page?.screenshot({ path: join(pictures, "failed.png") }).catch(() => {});
    for (const entry of transcriptOf(demo).slice(-6)) console.error(JSON.stringify(entry).slice(0, 600));
    throw error;
  } finally {
    await browser.close();
  }
}
