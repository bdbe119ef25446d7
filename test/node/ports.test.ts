import { expect, test } from "vitest";
import { nodeIds } from "../../src/node/ports";

test("an id is its prefix and a ULID: sortable by time, never the same twice", async () => {
  const before = Date.now();
  const ids = Array.from({ length: 5000 }, () => nodeIds("call"));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^call_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const timeOf = (id: string) =>
    [...id.slice(5, 15)].reduce((ms, sign) => ms * 32 + alphabet.indexOf(sign), 0);
  expect(timeOf(ids[0] ?? "")).toBeGreaterThanOrEqual(before);
  expect(timeOf(ids.at(-1) ?? "")).toBeLessThanOrEqual(Date.now());
  // Every one of the 80 random bits takes both values.
  for (let at = 15; at < 31; at += 1)
    for (let bit = 1; bit < 32; bit *= 2) {
      const values = new Set(ids.map((id) => alphabet.indexOf(id[at] ?? "") & bit));
      expect(values.size).toBe(2);
    }
});
