/** docs/policies.md against the code: every code that is told, every command, every limit. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentPlaces } from "../../src/core/cards/agentPlaces";
import { MAX_CARD_BYTES, MAX_FILE_BYTES, MAX_FILES, MAX_PACKED_BYTES } from "../../src/core/cards/cardFiles";
import { readManifest } from "../../src/core/cards/cardManifest";
import { policyStub } from "../../src/core/cards/policyStub";
import { factsOf, importsOf } from "../../src/core/cards/policyText";
import { policyTokens } from "../../src/node/cards/policyTokens";

const page = readFileSync("docs/policies.md", "utf8");
const sources = ["src/core/cards", "src/node/cards", "src/cli"].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => folder !== "src/cli" || /^(?:card|write|doctor)/.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8")),
);

test("every code is explained", () => {
  const codes = sources.flatMap((text) => text.match(/(?<=")(?:card|policy|skill)\.[a-z_]+(?=")/g) ?? []);
  const kinds = new Set(["card.trust", "card.json", "policy.ts"]);
  const missing = [...new Set(codes)].filter((code) => !kinds.has(code) && !page.includes(`\`${code}\``));
  expect(missing).toEqual([]);
  expect(new Set(codes).size).toBeGreaterThan(25);
});

test("every option is named", () => {
  const options = sources.flatMap((text) => text.match(/(?<=[\s[|])--[a-z][a-z-]+/g) ?? []);
  const npm = /^--(?:ignore-scripts|no-audit|no-fund|no-update-notifier|loglevel|pack-destination|help)$/;
  const missing = [...new Set(options)].filter((option) => !npm.test(option) && !page.includes(option));
  expect(missing).toEqual([]);
});

test("the limits are those of the code", () => {
  const mib = (bytes: number): number => bytes / 1024 / 1024;
  expect(page).toContain(
    `A card: ${MAX_FILES} files, ${mib(MAX_FILE_BYTES)} MiB each, ${mib(MAX_CARD_BYTES)} MiB together, ${mib(MAX_PACKED_BYTES)} MiB packed`,
  );
});

test("agents' folders and files are those of the code", () => {
  for (const { skills, servers } of Object.values(agentPlaces))
    expect(page).toContain(`| \`${skills}\` | \`${servers.file}\` |`);
});

test("what it shows is right", async () => {
  const policies = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, source = ""]) => source);
  expect(policies[0]).toBe(policyStub);
  for (const source of policies) {
    const read = await policyTokens(source);
    if (!read.ok) throw new Error(read.message);
    expect(factsOf(read.tokens)).toEqual({ kind: "observer", mistakes: [] });
    expect(importsOf(read.tokens).map(({ specifier }) => specifier)).toEqual(["countersign/policy"]);
  }
  const [, manifest = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  expect(readManifest(manifest, { file: "card.json", card: "" })).toMatchObject({ ok: true });
});
