import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/core/rules/parse";

const problems = (text: string, format: "toml" | "json" = "toml"): readonly string[] => {
  const parsed = parseConfig({ text, format, file: "f" });
  if (parsed.ok) return [];
  return parsed.problems.map(
    ({ line, column, endLine, endColumn, message, suggestion }) =>
      `${line}:${column}-${endLine}:${endColumn} ${message}${suggestion === undefined ? "" : ` (${suggestion})`}`,
  );
};

const deny = 'handlers = [{ type = "deny" }]';
const at = "hooks.pre_tool_call[0]";

/** The lines after `[[hooks.pre_tool_call]]`, and what is said of them. */
const inRule: readonly (readonly [string, ...string[]])[] = [
  [
    "matcher = '(?=a)b'",
    `2:12-2:15 \`${at}.matcher\` uses look-around, \`(?=\`, which patterns here do not have (write a second rule, or filter by \`arg\`)`,
  ],
  [
    "matcher = 'a(?<!b)'",
    `2:13-2:17 \`${at}.matcher\` uses look-around, \`(?<!\`, which patterns here do not have (write a second rule, or filter by \`arg\`)`,
  ],
  [
    "matcher = '(a)\\1'",
    `2:15-2:17 \`${at}.matcher\` uses a back-reference, \`\\1\`, which patterns here do not have (write out the alternatives)`,
  ],
  [
    "matcher = '(?>a)'",
    `2:12-2:15 \`${at}.matcher\` uses an atomic group, \`(?>\`, which patterns here do not have (write \`(?:…)\`: matching takes linear time anyway)`,
  ],
  [
    "matcher = 'a++'",
    `2:13-2:15 \`${at}.matcher\` uses a possessive quantifier, \`++\`, which patterns here do not have (leave out the last \`+\`: matching takes linear time anyway)`,
  ],
  // Written with an escape, the part cannot be told from the whole.
  [
    'matcher = "(a)\\\\1"',
    `2:11-2:19 \`${at}.matcher\` uses a back-reference, \`\\1\`, which patterns here do not have (write out the alternatives)`,
  ],
  ["matcher = '[z-a]'", `2:13-2:16 \`${at}.matcher\` is no pattern: invalid character class range: \`z-a\``],
  ["matcher = 'a('", `2:11-2:15 \`${at}.matcher\` is no pattern: missing closing )`],
  ["vendor = '*x'", `2:11-2:12 \`${at}.vendor\` is a pattern, in which \`*\` stands alone (write \`.*x\`)`],
  ["matcher = 5", `2:11-2:12 \`${at}.matcher\` must be text, not 5`],
  ["arg = { sql = '(?i)drop(' }", `2:15-2:26 \`${at}.arg.sql\` is no pattern: missing closing )`],
  ["arg = { sql = 5 }", `2:15-2:16 \`${at}.arg.sql\` must be text, not 5`],
  ["arg = 5", `2:7-2:8 \`${at}.arg\` must be text or a table, not 5`],
  ["arg = {}", `2:7-2:9 \`${at}.arg\` must name an argument, not a table`],
  ["name = 'quota'", `2:8-2:15 \`${at}.name\` is the name of a built-in hook: choose another`],
  ["mather = 'x'", "2:1-2:7 unknown key `mather` in [[hooks.pre_tool_call]] (did you mean `matcher`?)"],
  [
    "reason = 'x'",
    "2:1-2:7 unknown key `reason` in [[hooks.pre_tool_call]] (it belongs in one of the `handlers`)",
  ],
  ["before = 'yes'", `2:10-2:15 \`${at}.before\` must be true or false, not the text "yes" (write true)`],
];

/** Handlers of a rule, and what is said of them. */
const inHandlers: readonly (readonly [string, ...string[]])[] = [
  [
    "[]",
    `2:12-2:14 \`${at}.handlers\` is empty: the rule would do nothing (write handlers = [{ type = "deny", reason = "…" }])`,
  ],
  ["{ type = 'deny' }", `2:12-2:29 \`${at}.handlers\` must be a list (write handlers = [{ … }])`],
  [
    "[{ type = 'alias' }]",
    `2:22-2:29 \`${at}.handlers[0].type\`: the alias door is not in this version, so an alias handler cannot run (remove the handler)`,
  ],
  [
    "[{ type = 'comand', command = 'x' }]",
    `2:22-2:30 \`${at}.handlers[0].type\` must be one of "command", "http", "callable", "deny", not the text "comand" (did you mean "command"?)`,
  ],
  [
    "[{ command = 'x' }]",
    `2:13-2:30 \`${at}.handlers[0].type\` is missing (write type = one of "command", "http", "callable", "deny")`,
  ],
  [
    "[{ type = 'block' }]",
    `2:22-2:29 \`${at}.handlers[0].type\` must be one of "command", "http", "callable", "deny", not the text "block" (did you mean "deny"?)`,
  ],
  [
    "[{ type = 'frobnicate' }]",
    `2:22-2:34 \`${at}.handlers[0].type\` must be one of "command", "http", "callable", "deny", not the text "frobnicate"`,
  ],
  [
    "[{ type = 'callable', target = 'g.ts:check' }]",
    `2:43-2:55 \`${at}.handlers[0].target\` must begin with ./ where it names a file (./guards.ts:check); a module of Python is named without .py (guards:check), not the text "g.ts:check"`,
  ],
  [
    "[{ type = 'command', command = ['x', '{runid}'] }]",
    `2:49-2:58 \`${at}.handlers[0].command[1]\` holds a place in braces that nothing fills: there are {run_id} and {run_dir}, and the event itself comes on standard input, not the text "{runid}"`,
  ],
  [
    "[{ type = 'http', url = 'https://a.example:99999/x' }]",
    `2:36-2:63 \`${at}.handlers[0].url\` names a port above 65535`,
  ],
  [
    "[{ type = 'command' }]",
    `2:13-2:33 \`${at}.handlers[0].command\` is missing (write command = ["node", "check.mjs"])`,
  ],
  [
    "[{ type = 'command', command = 5 }]",
    `2:43-2:44 \`${at}.handlers[0].command\` must be text or a list, not 5`,
  ],
  ["[{ type = 'command', command = [] }]", `2:43-2:45 \`${at}.handlers[0].command\` must not be empty`],
  [
    "[{ type = 'deny', async = true }]",
    "2:30-2:35 unknown key `async` in a deny handler (remove it: a deny handler answers at once and cannot fail)",
  ],
  [
    "[{ type = 'deny', reasn = 'x' }]",
    "2:30-2:35 unknown key `reasn` in a deny handler (did you mean `reason`?)",
  ],
  [
    "[{ type = 'deny', matcher = 'x' }]",
    "2:30-2:37 unknown key `matcher` in a deny handler (it belongs in the rule, beside `handlers`)",
  ],
  [
    "[{ type = 'http', url = 'http://evil.example' }]",
    `2:36-2:57 \`${at}.handlers[0].url\` must begin with https://, or with http:// and a loopback address, and hold no password`,
  ],
  [
    "[{ type = 'http', url = 'https://a.example', async = true, on_error = 'ask' }]",
    `2:82-2:87 \`${at}.handlers[0].on_error\` must be record: the call does not wait for an async handler, not the text "ask"`,
  ],
  [
    "[{ type = 'callable', target = 'x.ts' }]",
    `2:43-2:49 \`${at}.handlers[0].target\` must be like ./guards.ts:check or my_agent.guards:check, not the text "x.ts"`,
  ],
  [
    "[{ type = 'command', command = 'x', timeout = '5' }]",
    `2:58-2:61 \`${at}.handlers[0].timeout\` must be a number, not the text "5" (write 5 without quotes)`,
  ],
  [
    "[{ type = 'command', command = 'x', timeout = 0 }]",
    `2:58-2:59 \`${at}.handlers[0].timeout\` must be at least 0.001, not 0`,
  ],
  [
    "[{ type = 'command', command = 'x', env = ['A'] }]",
    `2:54-2:59 \`${at}.handlers[0].env\` must be a table, not a list`,
  ],
];

/** Whole texts. */
const texts: readonly (readonly [string, ...string[]])[] = [
  ["hooks = 5", "1:9-1:10 `hooks` must be a table (write [[hooks.pre_tool_call]])"],
  [`[[hooks]]\n${deny}`, "1:3-1:8 `hooks` must be a table (write [[hooks.pre_tool_call]])"],
  [
    `[hooks.pre_tool_call]\n${deny}`,
    "1:8-1:21 `hooks.pre_tool_call` must be a list of rules (write [[hooks.pre_tool_call]])",
  ],
  [
    `[[hooks.pre_tool_cal]]\n${deny}`,
    "1:9-1:21 unknown key `pre_tool_cal` in [hooks] (did you mean `pre_tool_call`?)",
  ],
  [
    `[[hooks.PreToolUse]]\n${deny}`,
    "1:9-1:19 unknown key `PreToolUse` in [hooks] (did you mean `pre_tool_call`?)",
  ],
  [
    `[[hooks.stop]]\n${deny}`,
    "1:9-1:13 unknown key `stop` in [hooks] (the events are pre_tool_call, post_tool_call, pre_request, post_response, run_end)",
  ],
  [
    `[[hooks.run_end]]\nmatcher = 'x'\n${deny}`,
    "2:1-2:8 unknown key `matcher` in [[hooks.run_end]] (remove it: the end of a run has no tool)",
  ],
  [
    "[[hooks.post_tool_call]]\nhandlers = [{ type = 'command', command = 'x', on_error = 'ask' }]",
    '2:59-2:64 `hooks.post_tool_call[0].handlers[0].on_error` must be record, deny or raise: a person is asked only before a tool call, not the text "ask"',
  ],
  [
    `[[hooks.run_end]]\nname = 'a'\n${deny}\n[[hooks.run_end]]\nname = 'a'\n${deny}`,
    "5:8-5:11 `hooks.run_end[1].name` is the name of another rule: choose another",
  ],
  [
    `[[hooks.run_end]]\n${deny}\n[[hooks.run_end]]\nname = 'run_end[0]'\n${deny}`,
    "4:8-4:20 `hooks.run_end[1].name` is the name of another rule: choose another",
  ],
  [
    "[[hooks.run_end]]\nhandlers = [{ type = 'command', command = 'x', env = { 'A-B' = 'x' } }]",
    "2:56-2:61 `hooks.run_end[0].handlers[0].env.A-B`: this name must be the name of a variable",
  ],
  [
    "[[hooks.run_end]]\nhandlers = [{ type = 'command', command = 'x', timeout = '30s' }]",
    '2:58-2:63 `hooks.run_end[0].handlers[0].timeout` must be a number, not the text "30s" (write 30 without quotes)',
  ],
  [
    "[[hooks.pre_tool_call]]\nmatcher = 'a'",
    `1:9-1:22 \`${at}.handlers\` is missing (write handlers = [{ type = "deny", reason = "…" }])`,
  ],
];

describe("a mistake in a rule is named at its place", () => {
  test.each(inRule)("%s", (line, ...expected) => {
    expect(problems(`[[hooks.pre_tool_call]]\n${line}\n${deny}`)).toEqual(expected);
  });
  test.each(inHandlers)("handlers = %s", (handlers, ...expected) => {
    expect(problems(`[[hooks.pre_tool_call]]\nhandlers = ${handlers}`)).toEqual(expected);
  });
  test.each(texts)("%j", (text, ...expected) => {
    expect(problems(text)).toEqual(expected);
  });
  test("JSON: the part of a pattern too", () => {
    const text = '{"hooks": {"pre_tool_call": [{"matcher": "a(?=b)", "handlers": [{"type": "deny"}]}]}}';
    const column = text.indexOf("(?=") + 1;
    expect(problems(text, "json")[0]).toMatch(
      new RegExp(`^1:${column}-1:${column + 3} .* uses look-around`, "u"),
    );
  });
});

describe("one mistake hides no other", () => {
  test.each<[string, string, readonly string[]]>([
    [
      "a wrong type, and what only a whole rule can be told of",
      `[[hooks.pre_tool_call]]
name = "a"
handlers = [{ type = "command", command = "x", async = "yes" }, { type = "command", command = "x", async = true, on_error = "ask" }]
[[hooks.pre_tool_call]]
name = "a"
${deny}`,
      [
        '`hooks.pre_tool_call[0].handlers[0].async` must be true or false, not the text "yes"',
        "`hooks.pre_tool_call[0].handlers[1].on_error` must be record: the call does not wait for an async handler",
        "`hooks.pre_tool_call[1].name` is the name of another rule: choose another",
      ],
    ],
    [
      "a key too many, a pattern and a path",
      `[[hooks.pre_tool_call]]
matcher = "a("
arg = "$.sql"
befor = true
handlers = [{ type = "deny", reasn = "x" }]`,
      [
        "`hooks.pre_tool_call[0].matcher` is no pattern: missing closing )",
        "`hooks.pre_tool_call[0].arg` `$.sql` is no path of an argument",
        "unknown key `befor` in [[hooks.pre_tool_call]]",
        "unknown key `reasn` in a deny handler",
      ],
    ],
    [
      "of what is left out because it is wrong, nothing more is said",
      `[[hooks.pre_tool_call]]
arg = { sql = "a(" }
handlers = [{ type = 5 }, 7]`,
      [
        "`hooks.pre_tool_call[0].arg.sql` is no pattern: missing closing )",
        '`hooks.pre_tool_call[0].handlers[0].type` must be one of "command", "http", "callable", "deny"',
        "`hooks.pre_tool_call[0].handlers[1]` must be a table, not 7",
      ],
    ],
  ])("%s", (_, text, expected) => {
    const said = problems(text);
    expect(said).toHaveLength(expected.length);
    for (const [index, line] of expected.entries()) expect(said[index]).toContain(line);
  });
});

/** Right ones, so that none of the above fires on what it should not. */
const right: readonly string[] = [
  "matcher = 'spycloud_.*'",
  "matcher = ''",
  "matcher = '*'",
  "matcher = '(?i)bash|Write'",
  "matcher = '(?P<what>get|set)_.*'",
  "matcher = '\\(\\?=[(?=]a'",
  "matcher = '[^]+]+'",
  "matcher = 'a}+'",
  "vendor = 'spycloud'",
  "arg = 'sql'",
  "arg = { sql = '(?i)\\bdrop\\b', 'query.name' = 'x' }",
  "name = 'no production'",
  "before = true",
];
test.each(right)("%s is right", (line) => {
  expect(problems(`[[hooks.pre_tool_call]]\n${line}\n${deny}`)).toEqual([]);
});

test("every kind of handler at every event is right", () => {
  const handlers =
    '[{ type = "command", command = ["node", "x.mjs"], cwd = "sub", env = { A = "b" }, name = "n", timeout = 0.5, on_error = "deny" }, { type = "command", command = "x" }, { type = "http", url = "http://127.0.0.1:8080/x", headers = { Authorization = "Bearer x" }, async = true }, { type = "callable", target = "./x.ts:fn" }, { type = "callable", target = "pkg.mod:fn", on_error = "raise" }, { type = "deny", reason = "no", name = "d" }]';
  for (const event of ["pre_tool_call", "post_tool_call", "pre_request", "post_response", "run_end"]) {
    expect(problems(`[[hooks.${event}]]\nhandlers = ${handlers}`)).toEqual([]);
  }
});
