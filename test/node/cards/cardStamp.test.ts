import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stampOf } from "../../../src/node/cards/cardStamp";
import { cardFiles, type Folder, newFolder, put } from "./cardBench";

let base: Folder;
let card = "";
beforeEach(() => {
  base = newFolder();
  card = join(base.path, "cards/@a/b/1.0.0");
  put(card, cardFiles());
  writeFileSync(join(base.path, "card.lock"), "{}");
});
afterEach(() => base.remove());

const stamp = (now = Date.now()) =>
  stampOf(
    { files: [join(base.path, "card.lock"), join(base.path, "gone")], folders: [card], top: base.path },
    now,
  );
const policy = () => join(card, "hooks/no-root/policy.ts");
const rows: readonly (readonly [string, () => void])[] = [
  ["a byte more", () => appendFileSync(policy(), " ")],
  [
    "a byte changed, and the time set back",
    () => {
      writeFileSync(policy(), cardFiles()["hooks/no-root/policy.ts"]?.replace("root", "Root") ?? "");
      utimesSync(policy(), 1, 1);
    },
  ],
  ["a file more", () => writeFileSync(join(card, "hooks/x"), "")],
  ["a file less", () => rmSync(policy())],
  [
    "a folder exchanged",
    () => {
      renameSync(card, `${card}.old`);
      put(card, cardFiles());
    },
  ],
  [
    "a folder above exchanged",
    () => {
      renameSync(join(base.path, "cards"), join(base.path, "old"));
      put(card, cardFiles());
    },
  ],
  [
    "a link in its place",
    () => {
      renameSync(card, join(base.path, "moved"));
      symlinkSync(join(base.path, "moved"), card);
    },
  ],
  ["another lock", () => writeFileSync(join(base.path, "card.lock"), "{ }")],
  ["a file where there was none", () => writeFileSync(join(base.path, "gone"), "")],
];
test.each(rows)("%s shows", (_name, change) => {
  const before = stamp()?.text;
  expect(stamp()?.text).toBe(before);
  change();
  expect(stamp()?.text).not.toBe(before);
});

test("what changed a moment ago may change again unseen", () => {
  expect(stamp()?.settled).toBe(false);
  expect(stamp(Date.now() + 3000)?.settled).toBe(true);
});

test("of too many files nothing is said", () => {
  mkdirSync(join(card, "many"));
  for (let index = 0; index < 301; index += 1) writeFileSync(join(card, "many", String(index)), "");
  expect(stamp()).toBeUndefined();
});
