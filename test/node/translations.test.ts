/** Every sentence a person reads is there in each language, and nothing else is. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { englishSentences } from "../../src/core/sentences";
import { PANEL_STRINGS } from "../../src/panel/strings";

const json = (path: string): Record<string, string> => JSON.parse(readFileSync(path, "utf8"));
const english = json("l10n/bundle.l10n.json");
const chinese = json("l10n/bundle.l10n.zh-cn.json");

/** Sentences given to a translating function in the sources, and those of tables that are handed over whole. */
function spoken(): Set<string> {
  const files = [
    ...readdirSync("src/host").map((file) => join("src/host", file)),
    "src/core/askText.ts",
    "src/core/coverageBlindSpots.ts",
    "src/core/coverageText.ts",
    "src/core/rules/ruleInWords.ts",
    "src/node/tryCall.ts",
  ];
  const found = new Set<string>(Object.values(PANEL_STRINGS));
  for (const file of files) {
    const source = readFileSync(file, "utf8");
    for (const match of source.matchAll(
      /(?<![\w.])(?:vscode\.l10n\.t|t|translate)\(\s*"((?:[^"\\]|\\.)*)"/g,
    )) {
      found.add(JSON.parse(`"${match[1]}"`));
    }
    // Sentences chosen from a table before they are translated.
    for (const match of source.matchAll(/: "((?:Agent “)(?:[^"\\]|\\.)*)"/g))
      found.add(JSON.parse(`"${match[1]}"`));
  }
  const { confirmed: _own, cancelled: _too, ...sentences } = englishSentences;
  for (const sentence of Object.values(sentences)) found.add(sentence);
  return found;
}

const places = (sentence: string) => [...sentence.matchAll(/\{\d\}/g)].map(String).sort();

test.each([
  ["English", english],
  ["Chinese", chinese],
])("%s has exactly the sentences that are spoken", (_name, bundle) => {
  expect(Object.keys(bundle).sort()).toEqual([...spoken()].sort());
});

test("English stands for itself, and a translation keeps its places", () => {
  for (const [key, sentence] of Object.entries(english)) expect(sentence).toBe(key);
  for (const [key, sentence] of Object.entries(chinese))
    expect([key, places(sentence)]).toEqual([key, places(key)]);
});

test("the document's own sentences for Confirm and Cancel", () => {
  expect(chinese["Confirmed, you can continue"]).toBe("已确认，可以继续");
  expect(chinese["Do not continue, please answer in another way"]).toBe("不要继续，请换一种方式回答");
});

test("no two buttons of the dialog read alike", () => {
  const buttons = ["Deny", "Allow once", "Allow in this session", "Show details", "More…", "Cancel"];
  for (const bundle of [english, chinese])
    expect(new Set(buttons.map((button) => bundle[button])).size).toBe(buttons.length);
});

describe("the manifest", () => {
  const used = new Set(
    [...readFileSync("package.json", "utf8").matchAll(/"%([\w.]+)%"/g)].map((match) => match[1] ?? ""),
  );
  test.each(["package.nls.json", "package.nls.zh-cn.json"])("%s has what package.json names", (file) => {
    const there = new Set(Object.keys(json(file)));
    expect([...used].filter((key) => !there.has(key))).toEqual([]);
  });

  test("both languages have the same entries", () => {
    expect(Object.keys(json("package.nls.zh-cn.json"))).toEqual(Object.keys(json("package.nls.json")));
  });
});

test("every sentence of the page is used by the page", () => {
  const page = readdirSync("webview-ui")
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join("webview-ui", file), "utf8"))
    .join("\n");
  const derived =
    /^(column|kind_|event_|allow$|rewrite$|denied$|asks_user$|log_only$|error$|damaged$|event$)/;
  const unused = Object.keys(PANEL_STRINGS).filter((key) => !derived.test(key) && !page.includes(`"${key}"`));
  expect(unused).toEqual(["title"].filter((key) => !page.includes(`"${key}"`)));
});
