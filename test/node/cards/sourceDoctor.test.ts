import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { policyStub } from "../../../src/core/cards/policyStub";
import { diagnoseSource, issueLine, kindsOf } from "../../../src/node/cards/sourceDoctor";
import { cardFiles, DENIES, type Folder, manifest, newFolder, put } from "./cardBench";

const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

async function diagnosed(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = newFolder();
  folders.push(folder);
  put(folder.path, files);
  const { issues } = await diagnoseSource(folder.path, "@acme/backend");
  return issues.map((issue) => `${issue.severity} ${issue.code} ${issueLine(issue)}`);
}

const policy = (source: string) => diagnosed({ ...cardFiles(), "hooks/no-root/policy.ts": source });
const define = (body: string): string =>
  `import { defineToolPolicy } from "countersign/policy";\nexport default defineToolPolicy({\n${body}\n});\n`;
const answers = (decision: string): string =>
  define(`  policyKind: "enforcement",\n  beforeToolCall: () => (${decision}),`);
const P = "hooks/no-root/policy.ts";

describe("what is right has no mistakes", () => {
  test.each([
    ["the stub of a new policy", policyStub],
    ["one that denies", DENIES],
    [
      "a constant that is exported",
      'const p = { policyKind: "observer", afterToolCall() {} };\nexport default p;',
    ],
    [
      "a constant that is exported by a list",
      'const p = { policyKind: "observer", afterToolCall() {} };\nexport { p as default };',
    ],
    [
      "every decision",
      define(`  policyKind: "enforcement",
  matcher: "Bash|mcp__.*",
  timeoutMs: 3_000,
  async beforeToolCall(e) {
    if (e.input.a) return { action: "allow", updatedInput: { a: 1 }, additionalContext: "c" };
    if (e.input.b) return { action: "deny", reason: "r", syntheticOutput: null };
    if (e.input.c) return { action: 'ask', reason };
    if (e.input.d) return { ...base, action: "deny" };
    return { action: "log-only" };
  },
  afterToolCall: async () => {},`),
    ],
    [
      "words in comments, texts and patterns",
      define(`  policyKind: "observer",
  // { action: "destroy" } import fs from "node:fs"
  beforeToolCall(e) { return /import("node:fs")/.test(e.toolName + 'require("fs") { action: "x" }' + \`import "\${1}"\`) ? undefined : { action: "allow" }; },`),
    ],
    ["the older names of the types", DENIES.replace("countersign/policy", "darwinian-minds/hook-policy")],
    [
      "a type of data with an action",
      define(`  policyKind: "observer",
  afterToolCall(e: { action: "started" }): void {},`),
    ],
  ])("%s", async (_name, source) => {
    expect(await policy(source)).toEqual([]);
  });
  test("files of the card's own", async () => {
    const files = {
      ...cardFiles(),
      [P]: `import { words } from "../../lib/words.js";\nimport data from "./data.json";\n${DENIES}`,
      "lib/words.ts": "export { more as words } from './more';\n",
      "lib/more/index.ts": "export const more = [];\n",
      "hooks/no-root/data.json": "{}",
      "package.json": '{ "devDependencies": {} }',
      "node_modules/evil/index.js": "x",
    };
    expect(await diagnosed(files)).toEqual([]);
  });
});

describe("a policy's mistakes are named at their places", () => {
  test.each([
    [
      "no default export",
      "export const a = 1;",
      `error policy.no_default ${P}:1:1: it has no default export. Write \`export default defineToolPolicy({ … })\`.`,
    ],
    [
      "what is no TypeScript",
      "export default {\n a: }",
      `error policy.syntax ${P}:2:5: Unexpected token. Mend the TypeScript.`,
    ],
    [
      "no kind",
      define("  beforeToolCall() {},"),
      `error policy.kind ${P}:2:33: it has no policyKind. Write policyKind: "observer" or policyKind: "enforcement".`,
    ],
    [
      "another kind",
      define('  policyKind: "strict",\n  beforeToolCall() {},'),
      `error policy.kind ${P}:3:15: "strict" is no kind of policy. Write policyKind: "observer" or policyKind: "enforcement".`,
    ],
    [
      "a matcher that is no pattern",
      define('  policyKind: "observer",\n  matcher: "db_(",\n  afterToolCall() {},'),
      expect.stringContaining(`error policy.matcher ${P}:4:12: the matcher "db_(" `),
    ],
    [
      "a wildcard of the shell",
      define('  policyKind: "observer",\n  matcher: "db_*",\n  afterToolCall() {},'),
      `error policy.matcher ${P}:4:12: the matcher "db_*" is a pattern, in which \`_*\` repeats \`_\`. Write \`db_.*\`.`,
    ],
    [
      "a look-ahead",
      define('  policyKind: "observer",\n  matcher: "a(?=b)",\n  afterToolCall() {},'),
      expect.stringContaining(`error policy.matcher ${P}:4:12`),
    ],
    [
      "a timeout that is none",
      define('  policyKind: "observer",\n  timeoutMs: 0,\n  afterToolCall() {},'),
      `error policy.timeout ${P}:4:14: timeoutMs is 0. Write a number of milliseconds above 0.`,
    ],
    [
      "a word that is no decision",
      answers('{ action: "block", reason: "r" }'),
      `error policy.decision ${P}:4:36: "block" is no decision. Write allow, deny, ask or log-only, or return undefined.`,
    ],
    [
      "a decision that is misspelt",
      answers('{ action: "denied", reason: "r" }'),
      `error policy.decision ${P}:4:36: "denied" is no decision. Write allow, deny, ask or log-only, or return undefined; perhaps \`deny\` is meant.`,
    ],
    [
      "one in either branch",
      answers('a ? { action: "allow" } : { action: "ok" }'),
      expect.stringContaining(`error policy.decision ${P}:4:62: "ok"`),
    ],
    [
      "a denial without a reason",
      answers('{ action: "deny" }'),
      `error policy.reason ${P}:4:36: a decision to deny without a reason. Add \`reason\`: the agent is told it.`,
    ],
    [
      "a key that is none",
      define('  policyKind: "observer",\n  timeout: 5,\n  afterToolCall() {},'),
      `error policy.unknown_key ${P}:4:3: \`timeout\` is no key of a policy. Take it out; perhaps \`timeoutMs\` is meant.`,
    ],
    [
      "no callback",
      define('  policyKind: "observer",'),
      `error policy.no_callback ${P}:2:33: it has neither beforeToolCall nor afterToolCall. Add one of the two.`,
    ],
    [
      "a module of Node",
      `import fs from "node:fs";\n${DENIES}`,
      `error policy.import ${P}:1:16: it imports "node:fs", and a policy may import only files of its own card. Copy what it needs into the card and import that with \`./\`.`,
    ],
    [
      "a module that is required",
      `const fs = require("fs");\n${DENIES}`,
      expect.stringContaining(`error policy.import ${P}:1:20: it imports "fs"`),
    ],
    [
      "a module that is imported late",
      `const fs = import("fs");\n${DENIES}`,
      expect.stringContaining(`error policy.import ${P}:1:19: it imports "fs"`),
    ],
    [
      "a module by its effects",
      `import "data:text/javascript,0";\n${DENIES}`,
      expect.stringContaining(`error policy.import ${P}:1:8`),
    ],
    [
      "a module spelt by escapes",
      `import fs from "\\u006eode:fs";\n${DENIES}`,
      expect.stringContaining('it imports "node:fs"'),
    ],
    [
      "a module that is handed on",
      `export * from "node:fs";\n${DENIES}`,
      expect.stringContaining(`error policy.import ${P}:1:15`),
    ],
    [
      "a module that is only known later",
      `const fs = import("f" + "s");\n${DENIES}`,
      `error policy.import ${P}:1:12: it imports what is only known when it runs. Name the file in quotes.`,
    ],
    [
      "a file outside of the card",
      `import { a } from "../../../evil";\n${DENIES}`,
      `error policy.import_outside ${P}:1:19: it imports "../../../evil", which lies outside of the card. Copy what it needs into the card.`,
    ],
    [
      "a file that is not there",
      `import { a } from "./gone";\n${DENIES}`,
      `error policy.import_missing ${P}:1:19: it imports "./gone", which is not there. Mend the path; only files within the card are packed.`,
    ],
  ])("%s", async (_name, source, expected) => {
    expect(await policy(source)).toEqual([expected]);
  });
  test("in a file that it imports", async () => {
    const files = {
      ...cardFiles(),
      [P]: `import { a } from "../../lib/a";\n${DENIES}`,
      "lib/a.ts": 'export const a = 1;\nimport "http";\n',
    };
    expect(await diagnosed(files)).toEqual([
      expect.stringContaining('error policy.import lib/a.ts:2:8: it imports "http"'),
    ]);
  });
  test("data that is no decision is only a warning", async () => {
    expect(
      await policy(define('  policyKind: "observer",\n  afterToolCall() { log({ action: "seen" }); },')),
    ).toEqual([expect.stringContaining("warning policy.decision")]);
  });
});

describe("card.json", () => {
  test.each([
    ["what is no JSON", '{ "name": }', expect.stringContaining("error card.syntax card.json:1:11")],
    [
      "a name that climbs",
      manifest({ name: "@acme/../evil" }),
      expect.stringContaining("error card.name card.json:2:11: name: must be @handle/name"),
    ],
    [
      "a version that is none",
      manifest({ version: "1.0" }),
      "error card.version card.json:3:14: version: must be one version in full, such as 1.0.0. Mend it in card.json; docs/policies.md lists the keys.",
    ],
    [
      "a key that is none",
      manifest({ scripts: { postinstall: "x" } }),
      expect.stringContaining("error card.unknown_key card.json:9:3: scripts is not a key of card.json"),
    ],
    [
      "a policy that climbs",
      manifest({ hooks: { include: ["../evil"] } }),
      expect.stringContaining("error card.unsafe_name card.json:6:7"),
    ],
    [
      "a policy twice",
      manifest({ hooks: { include: ["no-root", "no-root"] } }),
      expect.stringContaining(
        'error card.duplicate card.json:7:7: hooks.include.1: "no-root" is named twice',
      ),
    ],
    [
      "a server that is neither",
      manifest({ servers: { a: { command: "x", url: "https://x" } } }),
      expect.stringContaining("error card.value"),
    ],
    [
      "a server of a strange name",
      manifest({ servers: { "a b": { command: "x" } } }),
      expect.stringContaining("error card.value"),
    ],
  ])("%s", async (_name, text, expected) => {
    expect(await diagnosed({ ...cardFiles(), "card.json": text })).toEqual([expected]);
  });
  test("is missing", async () => {
    expect(await diagnosed({ "a.ts": "" })).toEqual([
      "error card.missing card.json:1:1: there is no card.json. Make a card with `countersign card new`.",
    ]);
  });
  test("names what is not there, and does not name what is", async () => {
    const files = {
      "card.json": manifest({ hooks: { include: ["gone"] }, skills: { include: ["review"] } }),
      "hooks/no-root/policy.ts": DENIES,
    };
    expect(await diagnosed(files)).toEqual([
      expect.stringContaining("error policy.missing card.json:6:7: hooks/gone/policy.ts is missing"),
      expect.stringContaining("error skill.missing card.json:11:7: skills/review/SKILL.md is missing"),
      expect.stringContaining(
        "warning policy.unnamed hooks/no-root/policy.ts:1:1: hooks.include does not name no-root",
      ),
    ]);
  });
});

test("links and what is no file are refused", async () => {
  const folder = newFolder();
  folders.push(folder);
  put(folder.path, cardFiles());
  symlinkSync("/etc/passwd", join(folder.path, "hooks/no-root/words.ts"));
  const { issues } = await diagnoseSource(folder.path, "@acme/backend");
  expect(issues).toMatchObject([
    { code: "card.file", file: "hooks/no-root/words.ts", message: expect.stringContaining("is a link") },
  ]);
});

test("a folder in the place of a policy is a missing policy", async () => {
  const folder = newFolder();
  folders.push(folder);
  put(folder.path, { "card.json": manifest() });
  mkdirSync(join(folder.path, P), { recursive: true });
  expect((await diagnoseSource(folder.path, "@acme/backend")).issues).toMatchObject([
    { code: "policy.missing" },
  ]);
});

test("the kind of each policy is told without running it", async () => {
  const folder = newFolder();
  folders.push(folder);
  put(folder.path, {
    "card.json": manifest({ hooks: { include: ["no-root", "sees", "odd"] } }),
    [P]: DENIES,
    "hooks/sees/policy.ts": policyStub,
    "hooks/odd/policy.ts": "export default make();",
  });
  const { manifest: read, files } = await diagnoseSource(folder.path, "@acme/backend");
  if (read === undefined || files === undefined) throw new Error("not read");
  expect(await kindsOf(read, files)).toEqual({ "no-root": "enforcement", sees: "observer", odd: "unknown" });
});
