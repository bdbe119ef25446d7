import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readManifest } from "../../../src/core/cards/cardManifest";
import { integrityOf, packCard, packedName, unpackCard } from "../../../src/node/cards/packedCard";
import { rawTar } from "../../core/cards/rawTar";
import { asFiles, cardFiles, packedBy } from "./cardBench";

function packed() {
  const files = asFiles(cardFiles());
  const read = readManifest(cardFiles()["card.json"] ?? "", { file: "card.json", card: "" });
  if (!read.ok) throw new Error("not read");
  const done = packCard(files, read.manifest);
  if (!done.ok) throw new Error(done.why);
  return done.packed;
}

test("the same files give the same bytes, with a package.json that runs nothing", () => {
  const first = packed();
  expect(packed().integrity).toBe(first.integrity);
  expect(first.integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
  const back = unpackCard(first.bytes, { card: "@acme/backend", version: "1.0.0" });
  if (!back.ok) throw new Error(back.why);
  expect(back.files.map(({ path }) => path)).toEqual([
    "card.json",
    "hooks/no-root/policy.ts",
    "package.json",
  ]);
  const own = JSON.parse(Buffer.from(back.files[2]?.bytes ?? []).toString());
  expect(own).toEqual({ name: "@acme/backend", version: "1.0.0", keywords: ["countersign-card"] });
  expect(packedName(own)).toBe("acme-backend-1.0.0.tgz");
});

describe("a packed card is refused", () => {
  test.each([
    ["that is no gzip", Buffer.from("hello"), "it is no gzip file"],
    ["that is cut off", packedBy(cardFiles()).subarray(0, 100), "it is no gzip file"],
    [
      "that fills the disk: 200 MB of zeros",
      gzipSync(Buffer.alloc(200 * 1024 * 1024)),
      "unpacked it is larger than 32 MiB",
    ],
    [
      "of many files below the limit each",
      gzipSync(
        rawTar(
          Array.from({ length: 9 }, (_, i) => ({
            path: `package/${i}`,
            body: new Uint8Array(4 * 1024 * 1024),
          })),
        ),
      ),
      "unpacked it is larger than 32 MiB",
    ],
    ["that is larger than any", Buffer.alloc(16 * 1024 * 1024 + 1), "packed it is larger than 16 MiB"],
    [
      "that names another card",
      packedBy({ ...cardFiles({ name: "@evil/backend" }) }),
      "it calls itself @evil/backend, not @acme/backend",
    ],
    ["without card.json", packedBy({ "a.ts": "" }), "it has no card.json"],
    [
      "whose card.json climbs",
      packedBy(cardFiles({ hooks: { include: ["../../x"] } })),
      /^its card.json is refused/,
    ],
    [
      "whose policy is missing",
      packedBy({ "card.json": cardFiles()["card.json"] ?? "" }),
      "hooks/no-root/policy.ts is missing",
    ],
    [
      "with two files that some systems take for one",
      packedBy({ ...cardFiles(), "Hooks/no-root/policy.ts": "x" }),
      "hooks/no-root/policy.ts and Hooks/no-root/policy.ts are one file on some systems",
    ],
    [
      "with a file in other letters",
      packedBy({ ...cardFiles(), "CARD.json": "{}" }),
      "card.json and CARD.json are one file on some systems",
    ],
    [
      "with one file twice",
      gzipSync(
        rawTar([
          { path: "package/card.json", body: "{}" },
          { path: "package/card.json", body: "{}" },
        ]),
      ),
      "card.json is there twice",
    ],
  ])("%s", (_name, bytes, why) => {
    const read = unpackCard(bytes, { card: "@acme/backend" });
    if (read.ok) throw new Error("it was taken");
    if (typeof why === "string") expect(read.why).toBe(why);
    else expect(read.why).toMatch(why);
  });
  test("of another version than asked for", () => {
    expect(unpackCard(packedBy(cardFiles()), { version: "2.0.0" })).toEqual({
      ok: false,
      why: "it calls itself version 1.0.0, not 2.0.0",
    });
  });
});

test("integrity is what package registries write", () => {
  expect(integrityOf(Buffer.from(""))).toBe(
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  );
});
