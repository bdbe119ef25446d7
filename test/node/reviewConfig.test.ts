import { describe, expect, test } from "vitest";
import { untranslated } from "../../src/core/askText";
import { type ReviewItem, reviewChange } from "../../src/host/reviewConfig";

interface Shown {
  readonly title: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** A person who presses the given buttons (undefined closes), each after the given milliseconds. */
function person(...presses: readonly (readonly [button: string | undefined, afterMs: number])[]) {
  const shown: Shown[] = [];
  const opened: (readonly string[])[] = [];
  let time = 0;
  const deps = {
    show: async (title: string, { detail }: { detail: string }, ...items: ReviewItem[]) => {
      shown.push({ title, detail, buttons: items.map((item) => item.title) });
      const [button, after] = presses[shown.length - 1] ?? [undefined, 0];
      time += after;
      return items.find((item) => item.title === button);
    },
    openAll: async (lines: readonly string[]) => {
      opened.push(lines);
    },
    monotonic: () => time,
    t: untranslated,
  };
  return { deps, shown, opened };
}

const pending = (lines: readonly string[]) => ({
  layer: {},
  lines,
  loosening: [],
  file: "/w/gateway-hooks.toml",
  digest: "0",
});
const few = pending(["Loosens: chain.enabled: true → false"]);
const many = pending(Array.from({ length: 30 }, (_, i) => `Loosens: chain.path_allowlist_extra + "/${i}"`));
const ask = (change: ReturnType<typeof pending>, trusted = true) => ({
  folder: "w",
  pending: change,
  trusted,
});

describe("reviewing a changed configuration", () => {
  test("Keep current is the first button; the diff is the detail", async () => {
    const { deps, shown } = person(["Accept", 2000]);
    expect(await reviewChange(ask(few), deps)).toBe(true);
    expect(shown).toEqual([
      {
        title: "w: accept the changed configuration?",
        detail: few.lines[0],
        buttons: ["Keep current", "Accept"],
      },
    ]);
  });
  test.each([undefined, "Keep current"])("%s keeps", async (button) => {
    expect(await reviewChange(ask(few), person([button, 2000]).deps)).toBe(false);
  });
  test("a click within 800 ms does not count", async () => {
    const { deps, shown } = person(["Accept", 799], [undefined, 2000]);
    expect(await reviewChange(ask(few), deps)).toBe(false);
    expect(shown[1]?.detail).toContain("too fast");
    expect(await reviewChange(ask(few), person(["Accept", 100], ["Accept", 900]).deps)).toBe(true);
  });
  test("what does not fit cannot be accepted before all of it was opened", async () => {
    const { deps, shown, opened } = person(["Show all changes", 2000], ["Accept", 2000]);
    expect(await reviewChange(ask(many), deps)).toBe(true);
    expect(shown[0]?.buttons).toEqual(["Keep current", "Show all changes"]);
    expect(shown[0]?.detail).toContain("… and 22 more");
    expect(opened).toEqual([many.lines]);
    expect(await reviewChange(ask(many), person(["Accept", 2000]).deps)).toBe(false);
  });
  test("one endless line does not hide the others", async () => {
    const { deps, shown } = person([undefined, 0]);
    await reviewChange(ask(pending([`Loosens: a ${"x".repeat(5000)}`, "Loosens: b"])), deps);
    expect(shown[0]?.buttons).not.toContain("Accept");
    expect((shown[0]?.detail.length ?? 9999) < 700).toBe(true);
  });
  test("in an untrusted workspace nothing can be accepted", async () => {
    const { deps, shown } = person(["Accept", 2000]);
    expect(await reviewChange(ask(few, false), deps)).toBe(false);
    expect(shown[0]?.buttons).toEqual(["Keep current"]);
  });
});
