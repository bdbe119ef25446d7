import { describe, expect, test } from "vitest";
import { untranslated } from "../../src/core/askText";
import { type ReviewItem, reviewChange } from "../../src/host/reviewConfig";
import type { AcceptedFile } from "../../src/node/acceptedFiles";

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
    openDiff: async () => {
      opened.push(["differences"]);
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
  accepted: new Map<string, AcceptedFile>(),
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

  const files = new Map([
    ["/w/check.mjs", "c".repeat(64)],
    ["/w/lib/list.txt", "d".repeat(64)],
    ["/opt/tool", "absent"],
    ["/w/same.mjs", "e".repeat(64)],
  ]);
  const reaching = { ...few, reached: { rules: [], files, digest: "r" }, reach: "r" };
  const accepted = new Map<string, AcceptedFile>([
    ["/w/check.mjs", { digest: "b".repeat(64) }],
    ["/w/same.mjs", { digest: "e".repeat(64) }],
  ]);
  const review = { folder: "w", pending: reaching, trusted: true, accepted };

  test("every local file that the rules reach is named with its digest and what became of it", async () => {
    const { deps, shown } = person(["Accept", 2000]);
    expect(await reviewChange(review, deps)).toBe(true);
    expect(shown[0]?.detail.split("\n")).toEqual([
      ...few.lines,
      "Reaches /opt/tool, which is not there (new)",
      `Reaches check.mjs (changed), SHA-256 ${"c".repeat(16)}…`,
      `Reaches lib/list.txt (new), SHA-256 ${"d".repeat(16)}…`,
      `Reaches same.mjs (as accepted), SHA-256 ${"e".repeat(16)}…`,
    ]);
    expect(shown[0]?.buttons).toEqual(["Keep current", "Show differences", "Accept"]);
  });
  test("showing the differences accepts nothing", async () => {
    const { deps, opened } = person(["Show differences", 2000], ["Accept", 2000]);
    expect(await reviewChange(review, deps)).toBe(false);
    expect(opened).toEqual([["differences"]]);
  });
  test("files that do not fit are listed with their whole digests before anything can be accepted", async () => {
    const all = new Map(Array.from({ length: 20 }, (_, i) => [`/w/f${i}.mjs`, "a".repeat(64)]));
    const long = { ...reaching, reached: { rules: [], files: all, digest: "r" } };
    const { deps, shown, opened } = person(["Show all changes", 2000], [undefined, 0]);
    expect(await reviewChange({ ...review, pending: long }, deps)).toBe(false);
    expect(shown[0]?.buttons).not.toContain("Accept");
    expect(opened[0]?.filter((line) => line.endsWith("a".repeat(64)))).toHaveLength(20);
  });
  test("where only files changed, the title says so", async () => {
    const { deps, shown } = person([undefined, 0]);
    await reviewChange({ ...review, pending: { ...reaching, lines: [] } }, deps);
    expect(shown[0]?.title).toBe("w: accept the files that the rules run?");
  });
  test("a configuration whose handlers cannot be built is told and cannot be accepted", async () => {
    const problem = { code: "config.missing", file: "f.toml", line: 3, column: 5, message: "no check.mjs" };
    const unbuilt = { ...few, unbuilt: [{ ...problem, code: "config.missing" as const }] };
    const { deps, shown } = person(["Accept", 2000]);
    expect(await reviewChange({ ...review, pending: unbuilt }, deps)).toBe(false);
    expect(shown[0]?.buttons).toEqual(["Keep current"]);
    expect(shown[0]?.detail).toContain("f.toml:3:5: no check.mjs");
  });
});
