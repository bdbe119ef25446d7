/* biome-ignore-all lint/performance/useDomNodeTextContent: what a person sees is what is tested. */
/** The audit panel's page in a browser, fed by the real host session from real logs. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe";
import { type Frames, framesWhile, threadClock, type Way } from "./frames";
import { type LogWriter, logWriter, writeBigLog, writeDay } from "./sampleLog";
import { type Scene, type Stage, setStage } from "./stage";
import type { Theme } from "./themes";

const MILLION = 1_000_000;
const START = Date.UTC(2026, 10, 30, 9, 3, 27, 512);
/** Pictures of every state go here when it is set. */
const SHOTS = process.env.PANEL_SHOTS;

let stage: Stage;
let folder: string;
let n = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-panel-log-"));
  stage = await setStage();
});

afterAll(async () => {
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});

async function dayLog(rounds = 3): Promise<{ path: string; writer: LogWriter }> {
  n += 1;
  const path = join(folder, `day${n}.jsonl`);
  const writer = logWriter();
  await writeFile(path, writeDay(writer, START, rounds));
  return { path, writer };
}

const listed = (page: Page) => page.locator(".rows .row:not([data-decision=loading])");
const withText = (page: Page, text: string) => listed(page).filter({ hasText: text });

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

async function open(options: Parameters<Stage["open"]>[0]): Promise<Scene> {
  const scene = await stage.open(options);
  await scene.page.locator("[role=grid][aria-busy=false]").waitFor();
  return scene;
}

describe.each<Theme>(["dark", "light", "contrast"])("in the %s theme", (theme) => {
  test("every state is accessible and the policy is kept", async () => {
    const { path } = await dayLog();
    const scene = await open({ path, theme, pending: () => [PENDING] });
    const { page } = scene;
    await listed(page).first().waitFor();
    await shoot(page, `pending-${theme}`);
    expect(await violations(page)).toEqual([]);
    await scene.close();

    const plain = await open({ path, theme });
    await listed(plain.page).first().waitFor();
    await shoot(plain.page, `list-${theme}`);
    expect(await violations(plain.page)).toEqual([]);
    await withText(plain.page, "DELETE FROM users").first().click();
    await plain.page.locator(".trail").waitFor();
    await shoot(plain.page, `details-${theme}`);
    expect(await violations(plain.page)).toEqual([]);
    await plain.page.getByRole("button", { name: "Verify" }).click();
    await plain.page.locator(".notice").waitFor();
    await shoot(plain.page, `verified-${theme}`);
    expect(await violations(plain.page)).toEqual([]);
    expect([...scene.complaints, ...plain.complaints]).toEqual([]);
    await plain.close();
  });

  test("empty, nothing matches, and broken are accessible", async () => {
    const empty = await open({ path: join(folder, "none.jsonl"), theme });
    await empty.page.getByText("No calls yet").waitFor();
    await shoot(empty.page, `empty-${theme}`);
    expect(await violations(empty.page)).toEqual([]);
    await empty.close();

    const { path } = await dayLog();
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace("DROP DATABASE shop", "DROP DATABASE shup"));
    const { page, close } = await open({ path, theme });
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".notice").waitFor();
    await shoot(page, `broken-${theme}`);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("searchbox").fill("no such words");
    await page.getByText("Nothing matches").waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  });
});

const PENDING = {
  askId: "ask_9",
  title: "Agent “VS Code” wants to run: DROP TABLE invoices",
  agent: "vscode",
  tool: "run_in_terminal",
  prompt: "DROP removes the table and all its rows",
  by: ["destructive_sql"],
  folder: "/home/ada/shop",
  args: [{ name: "command", value: "psql shop <<'SQL'\nSELECT 1;\nDROP TABLE invoices;\u202e\nSQL" }],
};

test("a narrow panel keeps what matters", async () => {
  const { path } = await dayLog();
  const { page, close } = await open({ path, width: 620, height: 760 });
  await withText(page, "DELETE FROM users").first().click();
  await page.locator(".trail").waitFor();
  await shoot(page, "narrow-dark");
  expect(await violations(page)).toEqual([]);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(620);
  await close();
});

test("a call is one row with its whole course", async () => {
  const { path } = await dayLog(1);
  const { page, close } = await open({ path });
  const row = withText(page, "UPDATE orders");
  expect(await row.count()).toBe(1);
  expect(await row.locator(".c-by").innerText()).toBe("Person · destructive_sql");
  expect(await withText(page, "rg -n").locator(".c-by").innerText()).not.toContain("Person");
  await row.click();
  const details = page.locator(".details");
  await details.locator(".trail").waitFor();
  const text = (await details.innerText()).replace(/\s+/g, " ");
  for (const part of [
    "Question recorded",
    "Allowed by a person",
    "Asked by: destructive_sql",
    "Decision recorded",
    "Result recorded",
    "record_hash",
    "every row of the table",
    "Allowed by a person",
  ]) {
    expect(text).toContain(part);
  }
  expect(text).toContain(`sqlite3 .countersign/data.db 'UPDATE orders SET status = "paid" WHERE id = 4711'`);
  const stored = (await readFile(path, "utf8")).split("\n").filter((line) => line.includes("UPDATE orders"));
  await details.getByText("As stored").click();
  expect(await details.locator(".raw pre").first().textContent()).toBe(stored[0]);
  await close();
});

test("what an agent wrote is text, and what hides is shown", async () => {
  const { path } = await dayLog(1);
  const { page, complaints, close } = await open({ path });
  await withText(page, "Orders: wrong total").first().click();
  await page.locator(".details pre").first().waitFor();
  expect(await page.locator("img").count()).toBe(0);
  expect(await page.locator(".details").innerText()).toContain("<img src=x onerror=alert(1)>");
  expect(await withText(page, "\\u{202E}").count()).toBe(1);
  expect(complaints).toEqual([]);
  await close();
});

test("filters by decision, agent, tool and text, and says how many", async () => {
  const { path } = await dayLog(3);
  const { page, sent, close } = await open({ path });
  const amount = page.locator(".amount");
  await expect.poll(() => amount.innerText()).toBe("45 calls and events");
  await page.getByRole("combobox", { name: "Decision" }).selectOption({ label: "Denied" });
  await expect.poll(() => amount.innerText()).toBe("12 match");
  await page.getByRole("combobox", { name: "Agent" }).selectOption({ label: "VS Code" });
  await expect.poll(() => amount.innerText()).toBe("6 match");
  await page.getByRole("combobox", { name: "Tool" }).selectOption("db_query_sql");
  await page.getByRole("searchbox").fill("drop DATABASE");
  await expect.poll(() => amount.innerText()).toBe("3 match");
  expect(await withText(page, "DROP DATABASE shop").count()).toBe(3);
  await expect.poll(() => page.locator("[role=status]").innerText()).toBe("3 match");
  await page.reload();
  await expect.poll(() => amount.innerText()).toBe("3 match");
  expect(await page.getByRole("searchbox").inputValue()).toBe("drop DATABASE");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(() => amount.innerText()).toBe("45 calls and events");
  expect(sent.length).toBeGreaterThan(0);
  await close();
});

test("verify says ok with the count", async () => {
  const { path } = await dayLog(1);
  const { page, close } = await open({ path });
  const lines = (await readFile(path, "utf8")).split("\n").length - 1;
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText(`The chain is intact: ${lines} records verified`).first().waitFor();
  expect(await page.locator("[role=status]").innerText()).toContain(`${lines} records verified`);
  expect(await page.locator(".notice").innerText()).toMatch(/ · assurance level 1: chain only/);
  expect(await page.locator(".notice .explained").getAttribute("title")).toContain(
    "from the end would not show",
  );
  expect(await page.locator(".rows .row.broken").count()).toBe(0);
  await close();
});

test.each<[string, (lines: string[]) => string[], RegExp]>([
  [
    "a changed byte",
    (lines) => lines.map((line, at) => (at === 20 ? line.replace('"event":"', '"event":"x') : line)),
    /line 21: its content was changed/,
  ],
  ["a deleted record", (lines) => lines.filter((_, at) => at !== 10), /line 11: records before it are gone/],
  ["a line that is no record", (lines) => lines.map((line, at) => (at === 5 ? "{{{" : line)), /line 6: /],
])("verify names the first bad record and jumps to it, through a filter: %s", async (_name, damage, said) => {
  const { path } = await dayLog(3);
  await writeFile(path, damage((await readFile(path, "utf8")).split("\n")).join("\n"));
  const { page, close } = await open({ path });
  await page.getByRole("combobox", { name: "Agent" }).selectOption({ label: "Gemini CLI" });
  await page.getByRole("button", { name: "Verify" }).click();
  const notice = page.locator(".notice[data-kind=error]");
  await notice.waitFor();
  expect(await notice.innerText()).toMatch(said);
  expect(await notice.innerText()).toMatch(
    /\d+ records read · (1 damaged place|2 damaged places) · \d\d:\d\d:\d\d/,
  );
  const line = Number(/line (\d+)/.exec(await notice.innerText())?.[1]);
  await page.getByRole("button", { name: `Go to line ${line}` }).click();
  await page.locator(".rows .row.selected").waitFor();
  const row = await page.locator(".rows .row.selected.broken").innerText();
  const why = /: (.*)$/m.exec(await notice.locator("strong").innerText())?.[1] ?? "";
  expect(row).toContain(`Chain breaks here: ${why}`);
  await expect
    .poll(() => page.locator(".details .callout").first().innerText())
    .toMatch(new RegExp(`^Line ${line}: ${why}\\s+Do not rely on`));
  await shoot(page, `marked-${line}`);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.classList.contains("selected")))
    .toBe(true);
  await expect
    .poll(() => page.locator(".details-head").innerText())
    .toMatch(new RegExp(`Lines? (\\d+, )*${line}\\b`));
  await close();
});

test("new records come in at the top; who reads further down stays there", async () => {
  const { path, writer } = await dayLog(20);
  const { page, session, close } = await open({ path });
  await expect.poll(() => page.locator(".amount").innerText()).toBe("300 calls and events");
  await appendFile(
    path,
    writeDay(writer, START + 3_600_000, 1)
      .split("\n")
      .slice(0, 3)
      .join("\n")
      .concat("\n"),
  );
  session.poke();
  await expect.poll(() => page.locator(".amount").innerText()).toBe("302 calls and events");
  await expect.poll(() => listed(page).first().innerText()).toContain("/home/ada/shop/src/orders.ts");
  await page.locator(".rows").evaluate((rows) => rows.scrollTo(0, 26 * 100));
  const seen = async () =>
    page.locator(".rows").evaluate((rows) => {
      const top = rows.getBoundingClientRect().top;
      const row = [...rows.querySelectorAll(".row")].find(
        (one) => Math.abs(one.getBoundingClientRect().top - top) < 13,
      );
      return row?.textContent?.replace(/\s+/g, " ").trim();
    });
  await expect.poll(seen).toMatch(/\d\d:\d\d/);
  const before = await seen();
  await appendFile(
    path,
    writer.line(
      {
        event: "call",
        call_id: "late",
        tool: "Bash",
        agent: "claude",
        decision: "allow",
        args: { command: "echo late" },
        error: null,
      },
      START + 7_200_000,
    ),
  );
  session.poke();
  const pill = page.getByRole("button", { name: "1 new" });
  await pill.waitFor();
  await expect.poll(seen).toBe(before);
  await pill.click();
  await expect.poll(() => withText(page, "echo late").count()).toBe(1);
  await close();
});

test("an open question becomes its answer in place", async () => {
  const { path, writer } = await dayLog(1);
  const ask = {
    call_id: "q",
    session_id: "s",
    agent: "claude",
    tool: "Bash",
    args: { command: "echo question" },
    ask_id: "k",
    error: null,
  } as const;
  await appendFile(path, writer.line({ ...ask, event: "call", decision: "asks_user" }, START + 1000));
  const { page, session, close } = await open({ path });
  const row = withText(page, "echo question");
  await row.click();
  expect(await row.getAttribute("data-decision")).toBe("asks_user");
  await appendFile(
    path,
    writer.line({ ...ask, event: "call", decision: "denied", reason: "No." }, START + 9000),
  );
  session.poke();
  await expect.poll(() => row.getAttribute("data-decision")).toBe("denied");
  await expect.poll(() => page.locator(".details").innerText()).toContain("No.");
  expect(await row.count()).toBe(1);
  await close();
});

test("by keyboard alone", async () => {
  const { path } = await dayLog(20);
  const { page, close } = await open({ path });
  await listed(page).first().waitFor();
  const at = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute("aria-rowindex") ?? document.activeElement?.tagName,
    );
  const stops: string[] = [];
  for (let i = 0; i < 14; i += 1) {
    await page.keyboard.press("Tab");
    stops.push(String(await at()));
    if (stops.at(-1) === "2") break;
  }
  expect(stops.at(-1)).toBe("2");
  expect(await page.locator(".rows .row[tabindex='0']").count()).toBe(1);
  await page.keyboard.press("ArrowDown");
  await expect.poll(at).toBe("3");
  await page.keyboard.press("End");
  await expect.poll(at).toBe("301");
  await page.keyboard.press("Home");
  await expect.poll(at).toBe("2");
  await page.keyboard.press("PageDown");
  await expect.poll(async () => Number(await at())).toBeGreaterThan(15);
  const outline = await page.evaluate(
    () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
  );
  expect(outline).toBe("solid");
  await page.keyboard.press("Enter");
  await page.locator(".details-head").waitFor();
  await page.locator(".details-head button").last().focus();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(".details-head").count()).toBe(0);
  await expect.poll(async () => Number(await at())).toBeGreaterThan(15);
  await close();
});

test("the page can change nothing: it only reads, and brings a dialog back", async () => {
  const { path } = await dayLog(1);
  const answered: string[] = [];
  const before = await readFile(path);
  const { page, sent, log, close } = await open({
    path,
    pending: () => [PENDING],
    answer: (id) => answered.push(id),
  });
  await page.getByRole("button", { name: "Answer…" }).click();
  await expect.poll(() => answered).toEqual(["ask_9"]);
  const forged = [
    { type: "allow", askId: "ask_9" },
    { type: "answer", askId: "ask_9", choice: "allow" },
    { type: "query" },
    "ready",
    null,
    { type: "details", line: 1e300 },
  ];
  await page.evaluate((messages) => {
    for (const message of messages)
      (window as unknown as { sendToHost(message: unknown): void }).sendToHost(message);
  }, forged);
  await expect.poll(() => log.length).toBe(forged.length);
  expect(answered).toEqual(["ask_9"]);
  expect(await readFile(path)).toEqual(before);
  expect(new Set(sent.map((one) => (one as { type?: string } | null)?.type))).not.toContain("write");
  await close();
});

test("only the editor's own colours", async () => {
  const sheet = await readFile("webview-ui/panel.css", "utf8");
  const colours =
    sheet.match(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(|:\s*(white|black|red|green|blue|gray|grey)\b/gi) ??
    [];
  expect(colours).toEqual([]);
});

describe("a million records", () => {
  let big: string;
  beforeAll(async () => {
    big = join(folder, "big.jsonl");
    await writeBigLog(big, MILLION);
  });

  test("the newest show at once, and the oldest can be reached", async () => {
    const scene = await stage.open({ path: big });
    const { page } = scene;
    await withText(page, `echo step ${MILLION}`).first().waitFor();
    await expect
      .poll(() => page.locator(".amount").innerText(), { timeout: 120_000 })
      .toBe("1,000,000 calls and events");
    await shoot(page, "million-dark");
    expect(await page.locator("[role=grid]").getAttribute("aria-rowcount")).toBe(String(MILLION + 1));
    await listed(page).first().click();
    await page.keyboard.press("End");
    await expect.poll(() => listed(page).last().innerText()).toMatch(/echo step 1\b/);
    expect(await listed(page).last().getAttribute("aria-rowindex")).toBe(String(MILLION + 1));
    await expect.poll(() => page.locator(".details").innerText()).toMatch(/echo step 1\n/);
    expect(await page.locator("*").count()).toBeLessThan(3000);
    expect(await gaps(page)).toEqual([26]);
    await shoot(page, "million-end-dark");
    await page.locator(".rows").evaluate((rows) => rows.scrollTo(0, rows.scrollHeight / 2));
    await expect.poll(() => listed(page).count()).toBeGreaterThan(10);
    await expect.poll(() => gaps(page)).toEqual([26]);
    await page.getByRole("combobox", { name: "Decision" }).selectOption({ label: "Denied" });
    await expect.poll(() => page.locator(".amount").innerText()).toBe("20,000 match");
    await page.getByRole("searchbox").fill("step 777777");
    await expect.poll(() => page.locator(".amount").innerText(), { timeout: 120_000 }).toBe("0 match");
    await page.getByRole("combobox", { name: "Decision" }).selectOption({ label: "All decisions" });
    await expect.poll(() => page.locator(".amount").innerText(), { timeout: 120_000 }).toBe("1 match");
    expect(scene.complaints).toEqual([]);
    await scene.close();
  }, 240_000);

  test("scrolls from end to end at the cost of a short list, and opens as fast", async () => {
    const short = join(folder, "short.jsonl");
    await writeBigLog(short, 3000);
    const kept = (log: string) => `${log}.index`;
    const seen = { short: await scrolled(short, kept), long: await scrolled(big, kept) };
    for (const way of ["wheel", "bar"] as const) {
      const [usual, long] = [seen.short[way], seen.long[way]];
      console.log(
        `${way}: ${long.work.toFixed(1)} ms of work per frame, ${usual.work.toFixed(1)} ms in a short list`,
      );
      expect(long.work).toBeLessThan(usual.work * 2.5 + 1);
    }
    expect(seen.long.opening).toBeLessThan(seen.short.opening * 2.5);
  }, 240_000);
});

/** Processor time of the page until its first rows, and of each frame while it is scrolled from end to end; the better of two. */
async function scrolled(path: string, indexFile: (log: string) => string) {
  const scene = await open({ path, indexFile });
  const { page } = scene;
  await page.locator(".amount", { hasText: "calls and events" }).waitFor({ timeout: 120_000 });
  const worked = await threadClock(page);
  const openings: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    // The clock of a page starts again with each load of it.
    await page.reload();
    await listed(page).first().waitFor();
    openings.push(await worked());
  }
  const better = async (way: Way): Promise<Frames> => {
    const [one, two] = [await framesWhile(page, way), await framesWhile(page, way)];
    return one.work < two.work ? one : two;
  };
  const found = { opening: Math.min(...openings), wheel: await better("wheel"), bar: await better("bar") };
  await scene.close();
  return found;
}

/** The distances between neighbouring rows, each once. */
async function gaps(page: Page): Promise<number[]> {
  return page.locator(".rows").evaluate((rows) => {
    const tops = [...rows.querySelectorAll(".row:not(.away)")]
      .map((row) => row.getBoundingClientRect().top)
      .sort((a, b) => a - b);
    return [...new Set(tops.slice(1).map((top, at) => top - (tops[at] ?? 0)))];
  });
}
