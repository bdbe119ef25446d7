/** Looks at a page for faults of accessibility. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

let source: Promise<string> | undefined;

/** Each fault in words; none where the page is clean. */
export async function violations(page: Page): Promise<string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(await source);
  return page.evaluate(async () => {
    const { axe: engine } = window as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[];
        }>;
      };
    };
    const found = await engine.run();
    return found.violations.flatMap((one) =>
      one.nodes.map((node) => `${one.id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`),
    );
  });
}
