import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isCurrent, isOurs, plannedInstall, plannedUninstall } from "../../../src/agents/install/installPlan";
import { parseJsonc } from "../../../src/agents/install/jsonc";
import { type Plan, plans } from "../../../src/agents/install/settingsPlan";

const options = {
  hook: "/home/ann/.countersign/bin/hook",
  openCodePlugin: "file:///home/ann/.countersign/bin/opencode.mjs",
};

function fileOf(plan: Plan) {
  if (plan.kind !== "settings") throw new Error("no settings file");
  return plan.file;
}

const files = Object.entries(plans)
  .map(([agent, plan]) => [agent, plan(options)] as const)
  .filter(([, plan]) => plan.kind === "settings")
  .map(([agent, plan]) => [agent, fileOf(plan)] as const);
const claude = fileOf(plans.claude(options));

function installed(text: string | undefined, file = claude) {
  const planned = plannedInstall(text, file);
  if (!planned.ok) throw new Error(planned.message);
  return planned.value;
}

function uninstalled(
  text: string,
  made: Parameters<typeof plannedUninstall>[1]["made"],
  file = claude,
): string {
  const planned = plannedUninstall(text, { file, made });
  if (!planned.ok) throw new Error(planned.message);
  return planned.text;
}

/** Ways in which people and programs write the same value down. */
const spellings: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => `${JSON.stringify(value, null, 4)}\n`,
  (value) => `${JSON.stringify(value, null, "\t")}\n`,
  (value) => `\uFEFF${JSON.stringify(value, null, 2).replaceAll("\n", "\r\n")}\r\n`,
  // Comments after every line, and a comma after every last member.
  (value) =>
    `// mine\n${JSON.stringify(value, null, 2).replaceAll("\n", ' // note, with } and "\n')}\n/* end */\n`,
  (value) => `${JSON.stringify(value, null, 2).replace(/([^,{[\s])\n/g, "$1,\n")}\n`,
  (value) => ` ${JSON.stringify(value, null, 1)} `,
];

const entry = fc.record({
  matcher: fc.constantFrom("*", "Bash", ""),
  hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.string() }), { maxLength: 2 }),
});
const settings = fc.record(
  {
    model: fc.string(),
    permissions: fc.record({ allow: fc.array(fc.string(), { maxLength: 3 }) }),
    hooks: fc.dictionary(
      fc.constantFrom("PreToolUse", "PostToolUse", "Stop", "BeforeTool", "preToolUse", "Other"),
      fc.array(entry, { maxLength: 2 }),
      { maxKeys: 3 },
    ),
    plugin: fc.array(fc.string(), { maxLength: 2 }),
    nested: fc.jsonValue({ maxDepth: 3 }),
  },
  { requiredKeys: [] },
);

describe.each(files)("%s", (_agent, file) => {
  test("installing adds our entries and keeps all else; uninstalling gives back the very bytes", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(...spellings), (value, spell) => {
        const before = spell(value);
        const { text, made } = installed(before, file);
        expect(isCurrent(text, file)).toBe(true);
        const now = parseJsonc(text);
        const was = parseJsonc(before);
        expect(now.ok && was.ok).toBe(true);
        expect(uninstalled(text, made, file)).toBe(before);
        // A second time changes nothing.
        expect(installed(text, file).text).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  test("a missing file becomes one with our entries alone", () => {
    const { text, made } = installed(undefined, file);
    expect(isCurrent(text, file)).toBe(true);
    expect(JSON.parse(uninstalled(text, made, file))).toEqual(file.initial ?? {});
  });
});

describe("what a person wrote meanwhile stays", () => {
  const rows: readonly [string, string, (text: string) => string, string][] = [
    [
      "a key behind ours",
      '{\n  "a": 1\n}\n',
      (text) => text.replace(/\n\}\n$/, ',\n  "mine": true\n}\n'),
      '{\n  "a": 1,\n  "mine": true\n}\n',
    ],
    [
      "a key before ours",
      '{\n  "a": 1\n}\n',
      (text) => text.replace('"a": 1', '"a": 2,\n  "b": 3'),
      '{\n  "a": 2,\n  "b": 3\n}\n',
    ],
    [
      "a hook of theirs beside ours",
      "{}\n",
      (text) => text.replace('"PreToolUse": [', '"PreToolUse": [\n      { "hooks": [] },'),
      '{\n  "hooks": {\n    "PreToolUse": [\n      { "hooks": [] }\n    ]\n  }\n}\n',
    ],
    ["ours taken out by hand", '{ "a": 1 }', () => '{ "a": 1 }', '{ "a": 1 }'],
  ];
  test.each(rows)("%s", (_what, before, edit, after) => {
    const { text, made } = installed(before);
    expect(uninstalled(edit(text), made)).toBe(after);
  });

  test("the whole file written anew by a program", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(...spellings), (value, spell) => {
        const { text, made } = installed(JSON.stringify(value, null, 2));
        const rewritten = spell(JSON.parse(text));
        const rest = parseJsonc(uninstalled(rewritten, made));
        expect(rest).toMatchObject({ ok: true });
        expect(rest.ok && rest.value).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 60 },
    );
  });

  test("a remark at the end of a line stays there", () => {
    expect(installed('{\n  "a": 1 // one\n}\n').text).toMatch(/^\{\n {2}"a": 1, \/\/ one\n {2}"hooks": \{\n/);
    expect(installed('{\n  "a": 1, /* one */\n}\n').text).toMatch(
      /^\{\n {2}"a": 1, \/\* one \*\/\n {2}"hooks": \{\n[\s\S]*\},\n\}\n$/,
    );
  });

  test("an entry of an older version is brought up to date, not doubled", () => {
    const old = installed("{}\n").text.replaceAll(/"timeout": \d+/g, '"timeout": 5');
    const { text } = installed(old);
    expect(text.match(/"PreToolUse"/g)).toHaveLength(1);
    expect(isCurrent(text, claude)).toBe(true);
  });
});

describe("a file that is not understood is left alone", () => {
  test.each([
    ["", /ends where a value is expected/],
    ["{", /line 1/],
    ["[]", /the file is no object/],
    ['{"hooks": 1}', /hooks is no object/],
    ['{"hooks": {"PreToolUse": {}}}', /hooks\.PreToolUse is no list/],
    ['{"a": 1, "a": 2}', /set twice/],
  ])("%s", (text, why) => {
    expect(plannedInstall(text, claude)).toMatchObject({ ok: false, message: expect.stringMatching(why) });
  });
});

test("ours are known by the launcher, whatever stands around it", () => {
  expect(isOurs({ command: "/home/x/.countersign/bin/hook" })).toBe(true);
  expect(isOurs({ bash: "'/home/x y/.countersign/bin/hook' copilot pre || exit 2" })).toBe(true);
  expect(isOurs("file:///home/x/.countersign/bin/opencode.mjs")).toBe(true);
  expect(isOurs("C:\\Users\\x\\.countersign\\bin\\hook")).toBe(true);
  expect(isOurs({ command: "/home/x/.countersign/bin/hookless" })).toBe(false);
  expect(isOurs({ command: "echo countersign" })).toBe(false);
});
