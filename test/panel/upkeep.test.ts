/* biome-ignore-all lint/performance/useDomNodeTextContent: what a person sees is what is tested. */
/** The log's own checkpoints and heartbeats in the panel: out of the way, one key away, and never hiding damage. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe";
import { type LogWriter, logWriter, writeDay } from "./sampleLog";
import { type Scene, type Stage, setStage } from "./stage";

const START = Date.UTC(2026, 10, 30, 9, 3, 27, 512);
/** Rows of the log but its upkeep. */
const ROWS = 31;

let stage: Stage;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "countersign-upkeep-"));
  stage = await setStage();
});
afterAll(async () => {
  await stage?.close();
  await rm(root, { recursive: true, force: true });
});

const beat = (writer: LogWriter, at: number): string =>
  writer.line({ event: "log.heartbeat", data: { segment: 1 }, error: null }, at);
const checkpoint = (writer: LogWriter, at: number, size: number): string =>
  writer.line({ event: "log.checkpoint", data: { segment: 1, size, root: "c2FtcGxl" }, error: null }, at);

const call = (writer: LogWriter, n: number, at: number): string =>
  writer.line(
    {
      event: "call",
      call_id: `x${n}`,
      tool: "Bash",
      agent: "claude",
      decision: "allow",
      args: { command: `echo ${n}` },
      error: null,
    },
    at,
  );

/** A day, then a checkpoint and `beats` heartbeats, then one more call. */
async function quietLog(beats = 6): Promise<{ path: string; writer: LogWriter; dayLines: number }> {
  const path = join(await mkdtemp(join(root, "log-")), "audit.jsonl");
  const writer = logWriter();
  const day = writeDay(writer, START, 2);
  const dayLines = day.split("\n").length - 1;
  const sealed = checkpoint(writer, START + 300_000, dayLines);
  const between = Array.from({ length: beats }, (_, n) => beat(writer, START + 600_000 + n * 900_000));
  await writeFile(path, [day, sealed, ...between, call(writer, 0, START + 7_200_000)].join(""));
  return { path, writer, dayLines };
}

async function open(options: Parameters<Stage["open"]>[0]): Promise<Scene> {
  const scene = await stage.open(options);
  await scene.page.locator(".rows .row:not([data-decision=loading])").first().waitFor();
  return scene;
}

const amount = (page: Page) => page.locator(".amount").innerText();
const toggle = (page: Page) => page.getByRole("button", { name: /^Show checkpoints and heartbeats/ });
const listed = (page: Page, text: string) => page.locator(".rows .row", { hasText: text });
const selected = (page: Page) => page.locator(".rows .row.selected");

async function go(page: Page, text: string): Promise<void> {
  const more = page.getByRole("button", { name: "More filters" });
  if ((await more.getAttribute("aria-expanded")) === "false") await more.click();
  const field = page.getByRole("textbox", { name: "Go to a line, a time or a call id" });
  await field.fill(text);
  await field.press("Enter");
}

test("not listed until asked for; list, counts, chart and search change together", async () => {
  const { path } = await quietLog();
  const { page, complaints, close } = await open({ path });
  await expect.poll(() => amount(page)).toBe(`${ROWS} calls and events`);
  expect(await toggle(page).innerText()).toBe("Show checkpoints and heartbeats (7)");
  expect(await toggle(page).getAttribute("aria-pressed")).toBe("false");
  expect(await page.locator("[role=grid]").getAttribute("aria-rowcount")).toBe(String(ROWS + 1));
  const picture = page.locator(".bars");
  await expect.poll(() => picture.getAttribute("aria-label")).toContain(`${ROWS} records`);
  expect(await violations(page)).toEqual([]);

  await toggle(page).focus();
  await page.keyboard.press("Space");
  await expect.poll(() => amount(page)).toBe(`${ROWS + 7} calls and events`);
  expect(await toggle(page).getAttribute("aria-pressed")).toBe("true");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Show checkpoints");
  await expect.poll(() => listed(page, "log.heartbeat").count()).toBe(6);
  await expect.poll(() => picture.getAttribute("aria-label")).toContain(`${ROWS + 7} records`);
  expect(await violations(page)).toEqual([]);

  await page.getByRole("searchbox").fill("segment");
  await expect.poll(() => amount(page)).toBe("8 match");
  await page.reload();
  await expect.poll(() => amount(page)).toBe("8 match");
  await toggle(page).click();
  await expect.poll(() => amount(page)).toBe("1 match");
  expect(await toggle(page).innerText()).toBe("Show checkpoints and heartbeats (7)");
  await page.getByRole("searchbox").fill("c2FtcGxl");
  await page.getByText("Only checkpoints and heartbeats pass").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.locator(".empty").getByRole("button", { name: "Show checkpoints and heartbeats (1)" }).click();
  await expect.poll(() => listed(page, "log.checkpoint").count()).toBe(1);
  expect(complaints).toEqual([]);
  await close();
});

test("an event asked for by name is listed; the switch fits the narrowest panel", async () => {
  const { path } = await quietLog();
  const { page, close } = await open({ path, width: 260, height: 760 });
  const box = await toggle(page).boundingBox();
  expect((box?.x ?? 999) + (box?.width ?? 999)).toBeLessThanOrEqual(260);
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByRole("combobox", { name: "Event" }).selectOption("log.heartbeat");
  await expect.poll(() => amount(page)).toBe("6 match");
  expect(await toggle(page).innerText()).toContain("(0)");
  await close();
});

test.each<[string, (page: Page, dayLines: number) => Promise<void>, number]>([
  ["a line", (page, dayLines) => go(page, String(dayLines + 3)), 3],
  [
    "the record before, from the details",
    async (page, dayLines) => {
      await go(page, String(dayLines + 8));
      await expect.poll(() => page.locator(".details-head").innerText()).toContain(`Line ${dayLines + 8}`);
      await page
        .locator(".details .hashes")
        .getByRole("button", { name: `Go to line ${dayLines + 7}` })
        .click();
    },
    7,
  ],
  [
    "a line, through a filter",
    async (page, dayLines) => {
      await page.getByRole("combobox", { name: "Agent" }).selectOption({ label: "Gemini CLI" });
      await expect.poll(() => amount(page)).toBe("2 match");
      await go(page, String(dayLines + 4));
    },
    4,
  ],
])("a jump reveals: %s", async (_name, jump, at) => {
  const { path, dayLines } = await quietLog();
  const { page, close } = await open({ path });
  expect(await toggle(page).getAttribute("aria-pressed")).toBe("false");
  await jump(page, dayLines);
  await expect.poll(() => page.locator(".details-head").innerText()).toContain(`Line ${dayLines + at}`);
  await selected(page).waitFor();
  await expect.poll(() => selected(page).innerText()).toContain("log.heartbeat");
  expect(await toggle(page).getAttribute("aria-pressed")).toBe("true");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.classList.contains("selected")))
    .toBe(true);
  await close();
});

test("hiding them again keeps the selected record in view", async () => {
  const { path, dayLines } = await quietLog(400);
  const { page, close } = await open({ path });
  await go(page, String(dayLines - 2));
  await selected(page).waitFor();
  const isInView = () =>
    selected(page).evaluate((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      const list = row.closest(".rows")?.getBoundingClientRect();
      return list !== undefined && top >= list.top && bottom <= list.bottom;
    });
  for (const pressed of ["true", "false"]) {
    await toggle(page).click();
    await expect.poll(() => toggle(page).getAttribute("aria-pressed")).toBe(pressed);
    await expect.poll(isInView).toBe(true);
  }
  await close();
});

test("damage is listed, whoever hides the rest", async () => {
  const { path, dayLines, writer } = await quietLog();
  const lines = (await readFile(path, "utf8")).split("\n");
  const hurt = dayLines + 3;
  lines[hurt - 1] = lines[hurt - 1]?.replace('"segment":1', '"segment":7') ?? "";
  await writeFile(path, lines.join("\n"));
  const { page, session, close } = await open({ path });
  expect(await listed(page, "log.heartbeat").count()).toBe(0);
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  await page.locator(".notice[data-kind=error]").waitFor();
  await expect.poll(() => listed(page, "Chain breaks here").count()).toBe(1);
  expect(await listed(page, "Chain breaks here").innerText()).toContain("log.heartbeat");
  expect(await toggle(page).innerText()).toContain("(6)");
  expect(await toggle(page).getAttribute("aria-pressed")).toBe("false");
  await appendFile(path, beat(writer, START + 9e7) + checkpoint(writer, START + 9e7, 1));
  session.poke();
  await expect.poll(() => toggle(page).innerText()).toContain("(8)");
  expect(await listed(page, "Chain breaks here").count()).toBe(1);
  await page.getByRole("button", { name: `Go to line ${hurt}` }).click();
  await expect.poll(() => selected(page).innerText()).toContain("Chain breaks here");
  expect(await toggle(page).getAttribute("aria-pressed")).toBe("false");
  await close();
});

test("what only passes for upkeep is listed", async () => {
  const { path, writer } = await quietLog();
  const forged = {
    event: "log.heartbeat",
    tool: "Bash",
    args: { command: "rm -rf /" },
    error: null,
  } as const;
  await appendFile(path, writer.line(forged, START + 9e7));
  const { page, close } = await open({ path });
  await expect.poll(() => listed(page, "rm -rf /").count()).toBe(1);
  await close();
});

test.each(["json", "csv"] as const)(
  "an export as %s says that hidden upkeep is not in it, and has it where it is listed",
  async (format) => {
    const { path } = await quietLog();
    const file = join(await mkdtemp(join(root, "out-")), `export.${format}`);
    const { page, close } = await open({ path, pickExport: async () => file });
    const exported = async (): Promise<{ notice: string; text: string }> => {
      await page.locator("summary", { hasText: "Export" }).click();
      await page.getByRole("button", { name: `Export as ${format.toUpperCase()}…` }).click();
      await page.locator(".notice", { hasText: file }).waitFor();
      const notice = await page.locator(".notice").innerText();
      await page.getByRole("button", { name: "Dismiss" }).click();
      return { notice, text: await readFile(file, "utf8") };
    };
    const leftOut = "checkpoints and heartbeats were left out, as they are hidden here: 7";
    const hidden = await exported();
    expect(hidden.notice).toContain(leftOut);
    expect(hidden.text).not.toContain("log.heartbeat");
    await toggle(page).click();
    await expect.poll(() => amount(page)).toBe(`${ROWS + 7} calls and events`);
    const shown = await exported();
    expect(shown.notice).not.toContain("left out");
    expect(shown.text.match(/log\.heartbeat|log\.checkpoint/g)).toHaveLength(7);
    if (format === "json")
      expect([hidden, shown].map(({ text }) => JSON.parse(text).export.left_out)).toEqual([
        { checkpoints_and_heartbeats: 7 },
        { checkpoints_and_heartbeats: 0 },
      ]);
    await close();
  },
);

test("a big log that ends in upkeep shows calls at once", async () => {
  const { path, writer } = await quietLog(0);
  const calls = Array.from({ length: 900 }, (_, n) => call(writer, n + 1, START + 8e6 + n * 1000));
  const beats = Array.from({ length: 300 }, (_, n) => beat(writer, START + 9e7 + n * 1000));
  await appendFile(path, [...calls, ...beats].join(""));
  const { page, close } = await open({ path });
  await expect.poll(() => listed(page, "echo 900").count()).toBe(1);
  await expect.poll(() => amount(page)).toBe(`${ROWS + 900} calls and events`);
  expect(await toggle(page).innerText()).toContain("(301)");
  await close();
});
