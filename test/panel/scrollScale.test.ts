/** A list taller than a browser's tallest element. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { scrollFor, scrollScale, TALLEST } from "../../webview-ui/scrollScale";

test("a list that fits is scrolled as it is", () => {
  const scale = scrollScale(13_000_000, 800);
  expect([scale.height, scale.toList(1234), scale.toScroll(1234)]).toEqual([13_000_000, 1234, 1234]);
});

test("both ends are reached and places come back, however tall", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4_000_000_000 }),
      fc.integer({ min: 100, max: 2000 }),
      (rows, view) => {
        const list = Math.max(view, rows * 26);
        const scale = scrollScale(list, view);
        expect(scale.height).toBeLessThanOrEqual(TALLEST);
        expect(scale.toList(0)).toBe(0);
        expect(Math.abs(scale.toList(scale.height - view) - (list - view))).toBeLessThan(1);
        expect(Math.abs(scale.toList(scale.toScroll(list / 3)) - list / 3)).toBeLessThan(1);
      },
    ),
  );
});

test("a row that is revealed is in view whole", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 3_000_000 }),
      fc.integer({ min: 200, max: 2000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom("center" as const, "nearest" as const),
      (rows, view, from, at, where) => {
        const list = Math.max(view, rows * 26);
        const scale = scrollScale(list, view);
        const start = Math.floor(at * (rows - 1)) * 26;
        const far = scale.height - view;
        const wanted = scrollFor(scale, { start, size: 26, scrollTop: Math.round(from * far), view, where });
        const top = scale.toList(Math.max(0, Math.min(far, wanted)));
        expect(start).toBeGreaterThanOrEqual(top - 0.01);
        expect(start + 26).toBeLessThanOrEqual(top + view + 0.01);
      },
    ),
  );
});
