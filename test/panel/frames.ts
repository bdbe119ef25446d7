/** Frames of a page while its list is scrolled from end to end. */
import type { Page } from "playwright-core";

export interface Frames {
  /** Milliseconds from frame to frame. */
  readonly median: number;
  readonly p95: number;
  /** Milliseconds of processor time that the page's thread took per frame: over 16 and frames are dropped. */
  readonly work: number;
  /** Share of frames that took more than one and a half times as long as the page's idle frames. */
  readonly dropped: number;
}

/** How the list is moved: as a wheel does, or with the scroll bar from one end to the other. */
export type Way = "wheel" | "bar";

const FRAMES = 120;

/** Milliseconds of processor time that the page's thread has taken: what else runs on the machine does not count. */
export async function threadClock(page: Page): Promise<() => Promise<number>> {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
  };
}

/** Begins at the newest row. */
export async function framesWhile(page: Page, way: Way): Promise<Frames> {
  const worked = await threadClock(page);
  const rows = page.locator(".rows");
  const idle = await rows.evaluate(runFrames, { way: "idle", count: 30 } as const);
  const before = await worked();
  const taken = await rows.evaluate(runFrames, { way, count: FRAMES } as const);
  const work = (await worked()) - before;
  const usual = idle[15] ?? 0;
  return {
    median: taken[Math.floor(taken.length / 2)] ?? 0,
    p95: taken[Math.floor(taken.length * 0.95)] ?? 0,
    work: work / FRAMES,
    dropped: taken.filter((ms) => ms > usual * 1.5).length / taken.length,
  };
}

/** Runs in the page; gives the frames' lengths, ascending. */
export async function runFrames(
  rows: Element,
  { way, count }: { way: Way | "idle"; count: number },
): Promise<number[]> {
  const taken: number[] = [];
  const far = rows.scrollHeight - rows.clientHeight;
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  if (way !== "idle") rows.scrollTop = 0;
  await frame();
  let last = await frame();
  for (let at = 1; at <= count; at += 1) {
    if (way === "wheel") rows.scrollTop += 120;
    if (way === "bar") rows.scrollTop = (far * at) / count;
    const now = await frame();
    taken.push(now - last);
    last = now;
  }
  return taken.sort((a, b) => a - b);
}
