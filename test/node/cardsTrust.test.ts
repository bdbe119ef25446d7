import { describe, expect, test } from "vitest";
import { untranslated } from "../../src/core/askText";
import type { TrustPrompt } from "../../src/core/cards/trustRequest";
import { confirmTrust, type TrustItem } from "../../src/host/cardsTrust";

interface Shown {
  readonly title: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** A person who presses the given buttons (undefined closes), each after the given milliseconds. */
function person(
  presses: readonly (readonly [button: string | undefined, afterMs: number])[],
  given: { readonly confined?: boolean; readonly reads?: boolean } = {},
) {
  const shown: Shown[] = [];
  const opened: (readonly string[])[] = [];
  let time = 0;
  const deps = {
    show: async (title: string, { detail }: { detail: string }, ...items: TrustItem[]) => {
      shown.push({ title, detail, buttons: items.map((item) => item.title) });
      const [button, after] = presses[shown.length - 1] ?? [undefined, 0];
      time += after;
      return items.find((item) => item.title === button);
    },
    showFiles: async (_: TrustPrompt, lines: readonly string[]) => {
      opened.push(lines);
      return given.reads ?? true;
    },
    sizeOf: async (path: string) => path.length,
    confined: async () => given.confined ?? true,
    monotonic: () => time,
    t: untranslated,
  };
  return { deps, shown, opened };
}

const DIGEST = "d".repeat(64);
const file = (path: string, change?: "new" | "changed" | "as trusted") => ({
  path,
  absolute: `/w/.countersign/cards/@a/b/1.0.0/${path}`,
  sha256: "0123456789abcdef".repeat(4),
  ...(change === undefined ? {} : { change }),
});
const prompt = (more: Partial<TrustPrompt> = {}): TrustPrompt => ({
  to: "trust",
  root: "/w",
  card: "@a/b",
  version: "1.0.0",
  range: "^1.0.0",
  digest: DIGEST,
  policies: [
    { name: "look", kind: "observer" },
    { name: "stop", kind: "enforcement" },
    { name: "odd", kind: "unknown" },
  ],
  files: [file("card.json"), file("hooks/look/policy.ts")],
  gone: [],
  unconfined: false,
  ...more,
});
const many = prompt({ files: Array.from({ length: 40 }, (_, i) => file(`hooks/look/${i}.ts`)) });

describe("trusting a card's policies", () => {
  test("all of it is in the dialog, no comes first, and only Trust is a yes", async () => {
    const { deps, shown } = person([["Trust", 2000]]);
    expect(await confirmTrust(prompt(), deps)).toBe(true);
    expect(shown).toEqual([
      {
        title: "Trust the policies of @a/b 1.0.0?",
        detail: [
          "In /w, versions ^1.0.0, only with exactly these files.",
          `Content SHA-256 ${DIGEST}`,
          "Policy look: observer, blocks nothing",
          "Policy stop: enforcement, can deny, ask and change calls",
          "Policy odd: its kind cannot be told before it runs; taken for enforcement",
          "They run in a process of their own, without files, programs or network.",
          "card.json, 42 bytes, SHA-256 0123456789abcdef…",
          "hooks/look/policy.ts, 53 bytes, SHA-256 0123456789abcdef…",
        ].join("\n"),
        buttons: ["Do not trust", "Show the files", "Trust"],
      },
    ]);
  });

  test.each([["Do not trust"], [undefined], ["Cancel"]])("%s trusts nothing", async (button) => {
    const { deps } = person([[button, 2000]]);
    expect(await confirmTrust(prompt(), deps)).toBe(false);
  });

  test("a click within 800 ms is asked again", async () => {
    const { deps, shown } = person([
      ["Trust", 799],
      ["Do not trust", 5],
    ]);
    expect(await confirmTrust(prompt(), deps)).toBe(false);
    expect(shown[1]?.detail).toMatch(/^Your click came too fast/);
    const again = person([
      ["Trust", 10],
      ["Trust", 801],
    ]);
    expect(await confirmTrust(prompt(), again.deps)).toBe(true);
  });

  test("what does not fit cannot be trusted before the files were shown", async () => {
    const { deps, shown, opened } = person([
      ["Show the files", 2000],
      ["Trust", 2000],
    ]);
    expect(await confirmTrust(many, deps)).toBe(true);
    expect(shown.map(({ buttons }) => buttons)).toEqual([
      ["Do not trust", "Show the files"],
      ["Do not trust", "Show the files", "Trust"],
    ]);
    expect(shown[0]?.detail).toMatch(/40 files: look at them first\.$/);
    expect(shown[1]?.detail).toMatch(/All 40 files stand in the editor\.$/);
    expect(opened[0]).toHaveLength(46);
    const hasty = person([["Trust", 2000]]);
    expect(await confirmTrust(many, hasty.deps)).toBe(false);
  });

  test("who went away from the files has not agreed", async () => {
    const { deps, shown } = person(
      [
        ["Show the files", 2000],
        ["Trust", 2000],
      ],
      { reads: false },
    );
    expect(await confirmTrust(prompt(), deps)).toBe(false);
    expect(shown).toHaveLength(1);
  });

  test("what changed since it was trusted is told, also what is gone", async () => {
    const { deps, shown } = person([]);
    const files = [file("a.ts", "changed"), file("b.ts", "new"), file("c.ts", "as trusted")];
    await confirmTrust(prompt({ files, gone: ["old.ts"] }), deps);
    expect(shown[0]?.detail).toMatch(/old\.ts is gone since it was trusted/);
    expect(shown[0]?.detail).toMatch(/a\.ts \(changed\), .*\nb\.ts \(new\), .*\nc\.ts \(as trusted\), /);
  });

  test.each([
    [false, /cannot keep them from your files.*\nThey stay off here/],
    [true, /cannot keep them from your files.*\nWith Trust they run all the same/],
  ])("where the runtime confines nothing that is said (asked for: %s)", async (unconfined, expected) => {
    const { deps, shown } = person([], { confined: false });
    await confirmTrust(prompt({ unconfined }), deps);
    expect(shown[0]?.detail).toMatch(expected);
    expect(shown[0]?.detail).not.toMatch(/without files, programs or network/);
  });

  test("names that hide something are shown as they are", async () => {
    const { deps, shown } = person([]);
    await confirmTrust(prompt({ files: [file("a\u202etxt.ts"), file("b\nTrust me")] }), deps);
    expect(shown[0]?.detail).toContain("a\\u{202E}txt.ts");
    expect(shown[0]?.detail).toContain("b ⏎ Trust me");
  });
});

describe("ending trust", () => {
  test("asks as well, and names what stops", async () => {
    const { deps, shown } = person([["Stop trusting", 2000]]);
    expect(await confirmTrust(prompt({ to: "untrust" }), deps)).toBe(true);
    expect(shown[0]).toEqual({
      title: "Stop trusting the policies of @a/b?",
      detail:
        "In /w\nlook observes no call any more.\nstop stops no call any more.\nodd stops no call any more.",
      buttons: ["Keep trusting", "Stop trusting"],
    });
  });

  test.each([
    ["Keep trusting", 2000],
    [undefined, 2000],
    ["Stop trusting", 10],
  ])("%s after %i ms ends nothing", async (button, after) => {
    const { deps } = person([[button, after]]);
    expect(await confirmTrust(prompt({ to: "untrust" }), deps)).toBe(false);
  });
});
