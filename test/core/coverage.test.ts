/** The map of what is governed: what stands in files and what real calls say, as rows. */
import { describe, expect, test } from "vitest";
import { untranslated } from "../../src/core/askText";
import { actionsOf, type CoverageRow, isGoverned, notGoverned, severityOf } from "../../src/core/coverage";
import { type BlindSpot, blindSpotsOf } from "../../src/core/coverageBlindSpots";
import {
  type AgentFacts,
  type Around,
  agentHostRow,
  agentRow,
  type EditorFacts,
  editorRow,
  mcpRow,
  toolsRow,
} from "../../src/core/coverageRows";
import { createSeen } from "../../src/core/coverageSeen";
import { agoText, alarmText, rowText, spokenText, type Words } from "../../src/core/coverageText";

const NOW = Date.UTC(2026, 0, 2, 12);
const words: Words = {
  t: untranslated,
  now: NOW,
  locale: "en",
  short: (path) => path.replace("/home/u", "~").replace("/w/", ""),
};
const around = (more: Partial<Around> = {}): Around => ({
  seen: new Map(),
  changes: [],
  otherRuns: [],
  foreign: () => [],
  ...more,
});
const called = (id: string, ago = 120_000) => new Map([[id, { at: NOW - ago, tool: "Bash" }]]);
const change = (agent: string, off: readonly string[] = []) => ({
  path: "/w/.claude/settings.json",
  agents: [agent],
  kind: "changed" as const,
  off,
});

const claude: AgentFacts = {
  id: "claude",
  title: "Claude Code",
  hook: "installed",
  file: "/home/u/.claude/settings.json",
  off: [],
  experimental: false,
  program: { path: "/usr/bin/claude", version: "2.1.332" },
  launcher: true,
};
const { program: _program, ...withoutProgram } = claude;
const switchedOff = [{ file: "/w/.claude/settings.json", key: "disableAllHooks" }];

/** Facts, what surrounds them → state, how loud, what the line says. */
const AGENTS: readonly [string, AgentFacts, Around, CoverageRow["state"], string, string][] = [
  ["a call came", claude, around({ seen: called("claude") }), "governed", "ok", "governed · 2 min. ago"],
  ["no call yet", claude, around(), "quiet", "quiet", "no call seen yet"],
  ["another agent's call", claude, around({ seen: called("codex") }), "quiet", "quiet", "no call seen yet"],
  [
    "a project switches it off, though calls came before",
    { ...claude, off: switchedOff },
    around({ seen: called("claude") }),
    "switched-off",
    "off",
    "off: disableAllHooks",
  ],
  [
    "Codex has not been told to trust it",
    { ...claude, id: "codex", title: "Codex", reviewed: false },
    around({ seen: called("codex") }),
    "not-reviewed",
    "off",
    "hook not trusted",
  ],
  ["reviewed", { ...claude, id: "codex", reviewed: true }, around(), "quiet", "quiet", "no call seen yet"],
  ["an older hook", { ...claude, hook: "outdated" }, around(), "outdated", "look", "older hook"],
  ["launcher gone", { ...claude, launcher: false }, around(), "broken", "off", "hook cannot run"],
  [
    "settings are no JSON",
    { ...claude, hook: "unreadable", message: "line 3" },
    around(),
    "unreadable",
    "look",
    "unreadable settings",
  ],
  ["program without hook", { ...claude, hook: "absent" }, around(), "not-governed", "gap", "not governed"],
  [
    "a program without hook is no louder for a switch",
    { ...claude, hook: "absent", off: switchedOff },
    around({ changes: [change("claude")] }),
    "not-governed",
    "gap",
    "not governed",
  ],
  ["neither", { ...withoutProgram, hook: "absent" }, around(), "not-installed", "quiet", "not found"],
  [
    "hook without a program that we find",
    withoutProgram,
    around({ seen: called("claude") }),
    "governed",
    "ok",
    "governed · 2 min. ago",
  ],
  [
    "hooks changed",
    claude,
    around({ seen: called("claude"), changes: [change("claude")] }),
    "changed",
    "look",
    "hooks changed",
  ],
  [
    "another agent's hooks changed",
    claude,
    around({ seen: called("claude"), changes: [change("gemini")] }),
    "governed",
    "ok",
    "governed · 2 min. ago",
  ],
  [
    "other arguments ran",
    claude,
    around({ seen: called("claude"), otherRuns: [{ agent: "claude", tool: "Bash", callId: "1" }] }),
    "ran-other",
    "off",
    "ran other arguments",
  ],
  [
    "another hook beside ours",
    claude,
    around({ seen: called("claude"), foreign: () => [{ file: "/w/x", runs: "fmt.sh" }] }),
    "governed",
    "look",
    "governed · 2 min. ago · another hook beside it",
  ],
  [
    "another hook beside ours, which has not been called yet",
    claude,
    around({ foreign: () => [{ file: "/w/x", runs: "fmt.sh" }] }),
    "quiet",
    "look",
    "no call seen yet · another hook beside it",
  ],
  [
    "another hook, switched off like ours",
    { ...claude, off: switchedOff },
    around({ foreign: () => [{ file: "/w/x", runs: "fmt.sh" }] }),
    "switched-off",
    "off",
    "off: disableAllHooks",
  ],
  [
    "experimental, version unknown",
    { ...claude, id: "cursor", experimental: true, program: { path: "/usr/bin/cursor" } },
    around(),
    "quiet",
    "quiet",
    "no call seen yet · experimental · version unknown",
  ],
];

describe("agents outside the editor", () => {
  test.each(AGENTS)("%s", (_name, facts, surroundings, state, severity, text) => {
    const row = agentRow(facts, surroundings);
    expect([row.state, severityOf(row), rowText(row, words)]).toEqual([state, severity, text]);
  });
});

const well: EditorFacts = { trusted: true, off: [] };
const seenHere = around({ seen: called("vscode", 5_000) });
const EDITOR: readonly [string, EditorFacts, Around, CoverageRow["state"], string, string][] = [
  ["a call came", well, seenHere, "governed", "ok", "governed · now"],
  ["no call yet", well, around(), "quiet", "quiet", "no call seen yet"],
  ["untrusted", { ...well, trusted: false }, seenHere, "untrusted", "off", "workspace not trusted"],
  [
    "chat.useHooks in the project",
    { ...well, off: [{ file: "/w/.vscode/settings.json", key: "chat.useHooks" }] },
    seenHere,
    "switched-off",
    "off",
    "off: chat.useHooks",
  ],
  [
    "a setting whose place only the editor knows",
    { ...well, off: [{ key: "chat.plugins.enabled" }] },
    seenHere,
    "switched-off",
    "off",
    "off: chat.plugins.enabled",
  ],
  [
    "a tool of ours ran and no hook told of it",
    { ...well, ranPast: "kb_search ran" },
    around(),
    "plugin-disabled",
    "look",
    "plugin off?",
  ],
  ["no broker", { ...well, trouble: "no socket" }, seenHere, "broken", "off", "hook cannot run"],
];

describe("the editor's agent mode", () => {
  test.each(EDITOR)("%s", (_name, facts, surroundings, state, severity, text) => {
    const row = editorRow("VS Code agent mode", facts, surroundings);
    expect([row.state, severityOf(row), rowText(row, words)]).toEqual([state, severity, text]);
  });

  test("the Agent Host counts only by its own calls", () => {
    expect(agentHostRow("Agent Host", seenHere).state).toBe("unproven");
    expect(agentHostRow("Agent Host", around({ seen: called("vscode.agentHost") })).state).toBe("governed");
  });

  test("our own tools are governed where they run", () => {
    expect(toolsRow("Tools", around()).state).toBe("quiet");
    expect(toolsRow("Tools", around({ seen: called("tools") })).state).toBe("governed");
  });

  test.each([
    [0, 0, undefined, undefined],
    [0, 2, "not-governed", "0 of 2 behind the chain"],
    [1, 2, "partly", "1 of 2 behind the chain"],
    [2, 2, "quiet", "2 of 2 behind the chain"],
  ])("%i of %i MCP servers", (behind, all, state, text) => {
    const row = mcpRow("MCP servers", { behind, all });
    expect([row?.state, row && rowText(row, words)]).toEqual([state, text]);
  });
});

describe("what a person can do", () => {
  const of = (facts: Partial<AgentFacts>, more?: Partial<Around>) =>
    actionsOf(agentRow({ ...claude, ...facts }, around(more)));
  test.each([
    ["governed", of({}, { seen: called("claude") }), ["verify", "stop"]],
    ["switched off", of({ off: switchedOff }), ["openSwitch", "verify", "stop"]],
    ["changed", of({}, { changes: [change("claude")] }), ["acknowledge", "verify", "stop"]],
    ["not governed", of({ hook: "absent" }), ["govern"]],
    ["outdated", of({ hook: "outdated" }), ["verify", "govern", "stop"]],
    ["unreadable", of({ hook: "unreadable" }), []],
    ["agent mode", actionsOf(editorRow("x", well, around())), ["verify"]],
    ["agent mode, untrusted", actionsOf(editorRow("x", { ...well, trusted: false }, around())), ["verify"]],
    ["agent host", actionsOf(agentHostRow("x", around())), []],
    ["own tools", actionsOf(toolsRow("x", around())), []],
  ])("%s", (_name, actions, expected) => expect(actions).toEqual(expected));

  test("servers can be put behind the chain while some are not", () => {
    const actions = [0, 1, 2].map((behind) => {
      const row = mcpRow("x", { behind, all: 2 });
      return row && actionsOf(row);
    });
    expect(actions).toEqual([["govern"], ["govern"], []]);
  });
});

test("what happens to the hooks of an agent that is not governed is no news", () => {
  const rows = [
    editorRow("x", { trusted: false, off: [] }, around()),
    agentRow({ ...claude, off: switchedOff }, around()),
    agentRow({ ...claude, id: "codex", hook: "absent" }, around()),
    agentRow({ ...claude, id: "gemini", launcher: false }, around()),
  ];
  const governed = ["vscode", "claude", "codex", "gemini", "qwen"].map((agent) => isGoverned(rows, agent));
  expect(governed).toEqual([true, true, false, true, false]);
});

describe("the alarm", () => {
  const off = agentRow({ ...claude, off: switchedOff }, around());
  const untrusted = editorRow("VS Code agent mode", { trusted: false, off: [] }, around());
  const ungoverned = agentRow({ ...claude, hook: "absent" }, around());
  const alarm = (...rows: CoverageRow[]) => alarmText(notGoverned(rows), words);

  test("an agent that nobody put under governance raises none", () => {
    expect(alarm(ungoverned, agentRow(claude, around()))).toBeUndefined();
  });
  test("one", () => {
    expect(alarm(ungoverned, off)).toEqual({
      short: "Not governed: Claude Code",
      long: "Claude Code: switched off by disableAllHooks in .claude/settings.json",
    });
  });
  test("several", () => {
    expect(alarm(untrusted, off)?.short).toBe("Not governed: VS Code agent mode and 1 more");
    expect(alarm(untrusted, off)?.long.split("\n")).toHaveLength(2);
  });
});

describe("words", () => {
  test.each([
    [0, "now"],
    [59_999, "now"],
    [60_000, "1 min. ago"],
    [3 * 3_600_000, "3 hr. ago"],
    [86_400_000, "yesterday"],
    [5 * 86_400_000, "5 days ago"],
    [-5_000, "now"],
  ])("%i ms ago is %s", (ago, text) => {
    expect(agoText(NOW - ago, { now: NOW, locale: "en" })).toBe(text);
  });
  test("in the editor's language", () => {
    expect(agoText(NOW - 120_000, { now: NOW, locale: "zh-cn" })).toBe("2分钟前");
  });
  test("of an agent that is not governed one word is enough", () => {
    const row = agentRow(
      { ...claude, hook: "absent", experimental: true, off: switchedOff, program: { path: "/x" } },
      around(),
    );
    expect(row.off).toEqual([]);
    expect(rowText(row, words)).toBe("not governed");
    expect(spokenText(row, words)).toBe("Claude Code: not governed, experimental, version unknown");
  });
  test("a screen reader gets name and state", () => {
    const row = agentRow(claude, around({ seen: called("claude") }));
    expect(spokenText(row, words)).toBe("Claude Code: governed, 2 min. ago");
    const off = agentRow({ ...claude, off: switchedOff }, around());
    expect(spokenText(off, words)).toBe(
      "Claude Code: switched off by disableAllHooks in .claude/settings.json",
    );
  });
});

test.each<[string | undefined, boolean]>([
  ["2.1.294", true],
  ["2.1.295", false],
  ["2.2.0", false],
  ["3.0.0-beta", false],
  ["1.9.999", true],
  ["nightly", true],
  [undefined, true],
])("Claude Code %s lets calls through where the launcher is missing: %s", (version, expected) => {
  const spot: BlindSpot = "missingLauncher";
  expect(blindSpotsOf("claude", version).includes(spot)).toBe(expected);
});

describe("real calls", () => {
  const record = (more: object) => ({
    event: "call" as const,
    agent: "vscode",
    tool: "read_file",
    ts: "2026-01-02T11:00:00.000Z",
    ...more,
  });
  const seen = (...records: ReturnType<typeof record>[]) => {
    const all = createSeen({ isOwnTool: (tool) => tool === "kb_search" });
    for (const one of records) all.addRecord(one);
    return Object.fromEntries(all.calls());
  };
  test("the newest counts, whatever comes last", () => {
    const newer = record({ ts: "2026-01-02T11:30:00.000Z", tool: "edit" });
    expect(seen(newer, record({}))).toEqual({ vscode: { at: Date.parse(newer.ts), tool: "edit" } });
  });
  test("a tool of ours proves no hook", () => {
    expect(Object.keys(seen(record({ tool: "kb_search" })))).toEqual(["tools"]);
  });
  test("what is no call proves nothing", () => {
    expect(seen(record({ event: "trust" as never }), record({ agent: undefined as never }))).toEqual({});
    expect(seen(record({ ts: "yesterday" }))).toEqual({});
  });
});
