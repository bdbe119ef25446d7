/** Which rows of the list are drawn, and by which names. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type RowWindow, rowNames, rowWindow } from "../../webview-ui/rowWindow";

const ROW = 26;
const indexes = ({ first, end }: RowWindow) => Array.from({ length: end - first }, (_, at) => first + at);

test("all that is in view is drawn, and never much more", () => {
  const place = fc.record({
    total: fc.nat(3000),
    view: fc.integer({ min: 0, max: 2000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(place, ({ total, view, share }) => {
      const top = Math.max(0, total * ROW - view) * share;
      const { first, end } = rowWindow({ top, view, row: ROW, total });
      const inView = Array.from({ length: total }, (_, at) => at).filter(
        (at) => (at + 1) * ROW > top && at * ROW < top + view,
      );
      expect(first).toBeLessThanOrEqual(inView[0] ?? first);
      expect(end).toBeGreaterThanOrEqual((inView.at(-1) ?? end - 1) + 1);
      expect(end - first).toBeLessThanOrEqual(view / ROW + 20);
      expect(end).toBeLessThanOrEqual(total);
    }),
  );
});

test("each drawn row has a name of its own; a row that stays keeps it, and a leap changes none", () => {
  const size = 40;
  fc.assert(
    fc.property(fc.array(fc.nat(2000), { minLength: 2, maxLength: 20 }), (firsts) => {
      const names = rowNames();
      let before: { window: RowWindow; names: Map<number, number> } | undefined;
      for (const first of firsts) {
        const window = { first, end: first + size };
        const nameOf = names.next(window);
        const taken = new Map(indexes(window).map((index) => [index, nameOf(index)]));
        expect(new Set(taken.values()).size).toBe(size);
        for (const [index, name] of before?.names ?? []) {
          if (taken.has(index)) expect(taken.get(index)).toBe(name);
        }
        const isLeap = before !== undefined && Math.abs(first - before.window.first) >= size;
        if (isLeap) expect([...taken.values()]).toEqual([...(before?.names.values() ?? [])]);
        before = { window, names: taken };
      }
    }),
  );
});
