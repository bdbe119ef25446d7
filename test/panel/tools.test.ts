/* biome-ignore-all lint/performance/useDomNodeTextContent: what a person sees is what is tested. */
/** What a person does with the panel beyond reading: jump, narrow down, verify with a way to stop, export; several files; other languages; a narrow panel. */
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyFile } from "../../src/node/auditVerify";
import { violations } from "./axe";
import { logWriter, writeDay } from "./sampleLog";
import { type Scene, type Stage, setStage } from "./stage";
import type { Theme } from "./themes";

const START = Date.UTC(2026, 10, 30, 9, 3, 27, 512);
const SHOTS = process.env.PANEL_SHOTS;

let stage: Stage;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "countersign-tools-"));
  stage = await setStage();
});
afterAll(async () => {
  await stage?.close();
  await rm(root, { recursive: true, force: true });
});

async function dayLog(rounds = 2): Promise<string> {
  const path = join(await mkdtemp(join(root, "log-")), "audit.jsonl");
  await writeFile(path, writeDay(logWriter(), START, rounds));
  return path;
}

async function open(options: Parameters<Stage["open"]>[0]): Promise<Scene> {
  const scene = await stage.open(options);
  await scene.page.locator(".rows .row:not([data-decision=loading])").first().waitFor();
  return scene;
}

const amount = (page: Page) => page.locator(".amount").innerText();
const selected = (page: Page) => page.locator(".rows .row.selected");

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

async function go(page: Page, text: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Go to a line, a time or a call id" });
  await field.fill(text);
  await field.press("Enter");
}

test("jumps to a line, a time and a call id, and says what is not there", async () => {
  const { page, complaints, close } = await open({ path: await dayLog() });
  const more = page.getByRole("button", { name: "More filters" });
  expect(await more.getAttribute("aria-expanded")).toBe("false");
  await more.click();
  await go(page, "4");
  await expect.poll(() => selected(page).innerText()).toContain("npm run test -- orders");
  await go(page, "call_3_1");
  await expect.poll(() => selected(page).innerText()).toContain("rg -n 'TODO'");
  await go(page, "2026-11-30T09:03:30");
  await expect.poll(() => selected(page).innerText()).toContain("npm run test -- orders");
  const said = page.locator("[role=status]");
  for (const [text, words] of [
    ["99999", "Line 99,999 holds no record"],
    ["call_none", "No record of call call_none"],
    ["2031-01-01", "No record at or after"],
  ] as const) {
    await go(page, text);
    await expect.poll(() => said.innerText()).toContain(words);
  }
  expect(complaints).toEqual([]);
  await close();
});

test("filters by event, session and time, and keeps them", async () => {
  const { page, close } = await open({ path: await dayLog() });
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByRole("combobox", { name: "Event" }).selectOption("log.open");
  await expect.poll(() => amount(page)).toBe("1 match");
  await page.getByRole("combobox", { name: "Event" }).selectOption("");
  await page.getByRole("combobox", { name: "Session" }).selectOption("ses_gemini_1");
  await expect.poll(() => amount(page)).toBe("2 match");
  await page.getByLabel("From").fill("2026-11-30T09:04:10");
  await page.getByLabel("From").press("Tab");
  await expect.poll(() => amount(page)).toBe("1 match");
  await page.reload();
  await expect.poll(() => amount(page)).toBe("1 match");
  expect(await page.getByLabel("From").inputValue()).toContain("2026-11-30T09:04:10");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(() => amount(page)).toBe("30 calls and events");
  await close();
});

test("counts over time: a sentence, and a bar each that tells its counts and narrows the list, by mouse and by keyboard", async () => {
  const { page, close } = await open({ path: await dayLog() });
  const chart = page.getByRole("group", { name: /^Calls over time: 30 records between / });
  await chart.waitFor();
  expect(await chart.getAttribute("aria-label")).toMatch(
    /in steps of \d+ seconds\. 10 were stopped or failed/,
  );
  const bars = chart.getByRole("button");
  const names = await bars.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
  const counts = names.map((name) => Number(/: (\d+) records/.exec(name)?.[1]));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30);
  await bars.first().click();
  await expect.poll(() => amount(page)).toBe(`${counts[0]} match`);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(() => amount(page)).toBe("30 calls and events");
  await expect.poll(() => bars.count()).toBe(counts.length);
  expect(await chart.locator("[tabindex='0']").count()).toBe(1);
  await chart.locator("[tabindex='0']").focus();
  await page.keyboard.press("End");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
    .toBe(names.at(-1));
  await page.keyboard.press("Enter");
  await expect.poll(() => amount(page)).toBe(`${counts.at(-1)} match`);
  await close();
});

test("verification tells how far it is, and can be stopped", async () => {
  const path = await dayLog();
  let proceed: () => void = () => undefined;
  const verify: Parameters<Stage["open"]>[0]["verify"] = async (log, watch) => {
    watch.onProgress({ done: 37, total: 100 });
    await new Promise<void>((resolve, reject) => {
      proceed = resolve;
      watch.signal.addEventListener("abort", () => reject(watch.signal.reason));
    });
    return verifyFile(log, watch);
  };
  const { page, close } = await open({ path, verify });
  const button = page.getByRole("button", { name: /^Verify/ });
  await button.click();
  await page.getByText("Verifying… 37 %").waitFor();
  expect(await page.getByRole("progressbar").getAttribute("aria-label")).toBe("Verifying… 37 %");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => page.locator(".notice").count()).toBe(0);
  await expect.poll(() => button.isEnabled()).toBe(true);
  await button.click();
  await page.getByText("Verifying… 37 %").waitFor();
  proceed();
  await page
    .getByText(/The chain is intact: \d+ records verified/)
    .first()
    .waitFor();
  await close();
});

describe("export", () => {
  test.each(["json", "csv"] as const)("the filtered records as %s", async (format) => {
    const path = await dayLog();
    const file = join(await mkdtemp(join(root, "out-")), `export.${format}`);
    const { page, close } = await open({ path, pickExport: async () => file });
    await page.getByRole("combobox", { name: "Tool" }).selectOption("apply_patch");
    await expect.poll(() => amount(page)).toBe("2 match");
    await page.locator("summary", { hasText: "Export" }).click();
    await page.getByRole("button", { name: `Export as ${format.toUpperCase()}…` }).click();
    await page.getByText(`4 records written to ${file}`).first().waitFor();
    const text = await readFile(file, "utf8");
    const own = (await readFile(path, "utf8")).split("\n").filter((line) => line.includes("apply_patch"));
    if (format === "json")
      expect(JSON.parse(text)).toMatchObject({
        export: { v: 1, filter: { tool: "apply_patch" }, left_out: { checkpoints_and_heartbeats: 0 } },
        records: own.map((line) => JSON.parse(line)),
        counts: { records: 4, damaged_lines: 0 },
      });
    else expect(text.split("\r\n").filter((line) => line.includes("apply_patch"))).toHaveLength(4);
    await close();
  });

  test("no file picked: nothing happens; a folder that is not there: it says so, and leaves nothing", async () => {
    const path = await dayLog();
    let picked: string | undefined;
    const { page, close } = await open({ path, pickExport: async () => picked });
    const start = async () => {
      await page.locator("summary", { hasText: "Export" }).click();
      await page.getByRole("button", { name: "Export as CSV…" }).click();
    };
    await start();
    await expect.poll(() => page.locator("details.menu[open]").count()).toBe(0);
    expect(await page.locator(".notice").count()).toBe(0);
    picked = join(root, "nowhere", "x.csv");
    await start();
    await page
      .getByText(/The export failed: ENOENT/)
      .first()
      .waitFor();
    expect(await readdir(root)).not.toContain("nowhere");
    await close();
  });
});

test("a panel that is shown again has what came meanwhile", async () => {
  const path = await dayLog(1);
  const { page, session, close } = await open({ path });
  await page.goto("about:blank");
  const writer = logWriter();
  const text = writeDay(writer, START, 1);
  expect(await readFile(path, "utf8")).toBe(text);
  const call = {
    call_id: "late",
    tool: "Bash",
    agent: "claude",
    args: { command: "echo late" },
    error: null,
  };
  await appendFile(path, writer.line({ ...call, event: "call", decision: "allow" }, START + 9e6));
  session.poke();
  await page.goBack();
  await expect.poll(() => amount(page)).toBe("16 calls and events");
  await page.locator(".rows .row", { hasText: "echo late" }).waitFor();
  await close();
});

test("a log of several files is one list, and damage is named by its file", async () => {
  const folder = await mkdtemp(join(root, "log-"));
  const first = writeDay(logWriter(), START, 1);
  await writeFile(join(folder, "audit-000001.jsonl"), first.replace('git","status', 'git","stat'));
  await writeFile(join(folder, "audit.jsonl"), writeDay(logWriter(), START + 3_600_000, 1));
  const { page, close } = await open({ path: join(folder, "audit.jsonl") });
  await expect.poll(() => amount(page)).toBe("30 calls and events");
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  const notice = page.locator(".notice[data-kind=error]");
  await notice.waitFor();
  const text = await notice.innerText();
  expect(text).toMatch(/audit-000001\.jsonl, line \d+: /);
  await notice
    .getByRole("button", { name: /^Go to audit-000001/ })
    .first()
    .click();
  await expect.poll(() => page.locator(".details-head").innerText()).toContain("audit-000001.jsonl, line");
  await expect.poll(() => selected(page).innerText()).toContain("Chain breaks here");
  await shoot(page, "files-dark");
  await close();
});

describe.each<Theme>(["dark", "light", "contrast"])("in the %s theme", (theme) => {
  test("narrow, with everything open, it is whole and accessible", async () => {
    const { page, close } = await open({ path: await dayLog(), theme, width: 300, height: 760 });
    await page.locator(".chart").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(300);
    await shoot(page, `w300-${theme}`);
    await page.getByRole("button", { name: "More filters" }).click();
    expect(await violations(page)).toEqual([]);
    const beyond = await page.evaluate(() =>
      [...document.querySelectorAll("button, select, input, summary")]
        .filter((one) => one.getBoundingClientRect().right > 301)
        .map((one) => one.outerHTML.slice(0, 80)),
    );
    expect(beyond).toEqual([]);
    await shoot(page, `w300-more-${theme}`);
    await close();
  });

  test("all tools open", async () => {
    const { page, close } = await open({ path: await dayLog(), theme });
    await page.locator(".chart").waitFor();
    await page.getByRole("button", { name: "More filters" }).click();
    await page.locator("summary", { hasText: "Export" }).click();
    expect(await violations(page)).toEqual([]);
    await shoot(page, `tools-${theme}`);
    await close();
  });
});

test("in Chinese", async () => {
  const bundle: Record<string, string> = JSON.parse(await readFile("l10n/bundle.l10n.zh-cn.json", "utf8"));
  const { PANEL_STRINGS } = await import("../../src/panel/strings");
  const strings = Object.fromEntries(
    Object.entries(PANEL_STRINGS).map(([key, sentence]) => [key, bundle[sentence] ?? `?${sentence}`]),
  );
  const { page, close } = await open({ path: await dayLog(), language: "zh-cn", strings });
  await page.getByText(/^30/).first().waitFor();
  await page.locator(".filters button").first().click();
  expect(await page.locator("body").innerText()).not.toContain("?");
  expect(await page.locator("html").getAttribute("lang")).toBe("zh-cn");
  expect(await violations(page)).toEqual([]);
  await shoot(page, "zh-dark");
  await close();
});
