import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/core/rules/parse";
import { withCard, withoutCard } from "../../../src/node/cards/nameInConfig";

const toml = (text: string) => ({ text, format: "toml" as const });

describe("a card's name goes into the configuration, and nothing else changes", () => {
  test.each([
    ["an empty file", "", '[policies]\ncards = ["@a/b"]\n'],
    [
      "other tables",
      "version = 1\n\n[chain]\nshell = true\n",
      'version = 1\n\n[chain]\nshell = true\n\n[policies]\ncards = ["@a/b"]\n',
    ],
    ["no line end", "version = 1", 'version = 1\n\n[policies]\ncards = ["@a/b"]\n'],
    [
      "a table without cards",
      "[policies] # ours\nstrict = true\n",
      '[policies] # ours\ncards = ["@a/b"]\nstrict = true\n',
    ],
    ["an empty table at the end", "[policies]", '[policies]\ncards = ["@a/b"]\n'],
    ["an empty list", "[policies]\ncards = []\n", '[policies]\ncards = ["@a/b"]\n'],
    ["one card", '[policies]\ncards = ["@x/y"] # first\n', '[policies]\ncards = ["@x/y", "@a/b"] # first\n'],
    [
      "a list over lines",
      '[policies]\ncards = [\n  "@x/y",\n]\n',
      '[policies]\ncards = [\n  "@x/y", "@a/b"\n]\n',
    ],
    ["a key with dots", 'policies.cards = ["@x/y"]\n', 'policies.cards = ["@x/y", "@a/b"]\n'],
    ["lines of Windows", "version = 1\r\n", 'version = 1\r\n\r\n[policies]\r\ncards = ["@a/b"]\r\n'],
    ["one that is there", "[policies]\ncards = ['@a/b']\n", "[policies]\ncards = ['@a/b']\n"],
  ])("%s", (_name, before, after) => {
    expect(withCard(toml(before), "@a/b")).toBe(after);
    const parsed = parseConfig({ ...toml(after), file: "x" });
    expect(parsed.ok && parsed.value.policies?.cards).toContain("@a/b");
  });
  test("JSON", () => {
    const before = '{\n  "version": 1\n}\n';
    const after = withCard({ text: before, format: "json" }, "@a/b") ?? "";
    expect(JSON.parse(after)).toEqual({ version: 1, policies: { cards: ["@a/b"] } });
    expect(withoutCard({ text: after, format: "json" }, "@a/b")).toContain('"cards": []');
  });
  test.each([
    ["a file with mistakes", "[policies]\ncards = 5\n"],
    ["what a comment hides", '[policies]\ncards = ["@x/y" # , ]\n]\n'],
  ])("%s is left to a person", (_name, text) => {
    expect(withCard(toml(text), "@a/b")).toBeUndefined();
  });
});

test.each([
  ['[policies]\ncards = ["@a/b"]\n', "[policies]\ncards = []\n"],
  ['[policies]\ncards = ["@a/b", "@x/y"] # c\n', '[policies]\ncards = ["@x/y"] # c\n'],
  ["[policies]\ncards = ['@x/y', '@a/b']\n", "[policies]\ncards = ['@x/y']\n"],
  ["version = 1\n", "version = 1\n"],
])("and out of it: %j", (before, after) => {
  expect(withoutCard(toml(before), "@a/b")).toBe(after);
});
