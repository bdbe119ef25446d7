/** What the tables of the documents say of keys is what holds of them. */
import { expect, test } from "vitest";
import { configTable } from "../../../src/core/rules/reference";
import { type Config, defaultConfig } from "../../../src/core/rules/schema";
import { tightens } from "../../../src/core/rules/tightens";

const withRedact = (redact: readonly string[]): Config => ({
  ...defaultConfig,
  audit: { ...defaultConfig.audit, redact: [...redact] },
});

test("names to redact apply by themselves, but for those by which calls are judged", () => {
  const row = configTable()
    .split("\n")
    .find((line) => line.startsWith("| `audit.redact` |"));
  const stricter = row?.split("|")[4]?.trim() ?? "";
  expect(stricter).toMatch(/^entries added, but for names by which calls are judged \(/u);
  const judged = [...stricter.matchAll(/`(\w+)`/gu)].map(([, name = ""]) => name);
  expect(judged.length).toBeGreaterThan(1);
  for (const name of judged) expect(tightens(defaultConfig, withRedact([name])).pure, name).toBe(false);
  expect(tightens(defaultConfig, withRedact(["pin_code"])).pure).toBe(true);
});
