import { expect, test } from "vitest";
import { ownArguments } from "../../../src/core/paths/ownProgram";

test.each([
  [
    "node /home/a/.countersign/bin/uninstall.js agents uninstall claude",
    ["uninstall", "agents", "uninstall", "claude"],
  ],
  ["node /x/extensions/countersign.countersign-0.1.0/dist/uninstall.js", ["uninstall"]],
  ["/home/a/.countersign/bin/countersign agents status", ["agents", "status"]],
  ["node scripts/uninstall.js", undefined],
])("%s", (line, expected) => {
  expect(ownArguments(line.split(" "))).toEqual(expected);
});
