/** Completion and hover in half-written files: what is offered at `|`, and what is said of a key. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { complete } from "../../../src/core/rules/complete";
import { hoverAt } from "../../../src/core/rules/hover";
import { parseConfig } from "../../../src/core/rules/parse";
import { tomlCursor } from "../../../src/core/rules/tomlCursor";

const tools = ["db_query_sql", "a.b"];

function offered(marked: string): readonly string[] {
  const offset = marked.indexOf("|");
  return complete(marked.replace("|", ""), offset, { tools }).items.map(({ label }) => label);
}

const EVENTS = ["pre_tool_call", "post_tool_call", "pre_request", "post_response", "run_end"];
const RULE = "[[hooks.pre_tool_call]]\n";
const COMMAND_KEYS = ["command", "cwd", "env", "reaches", "name", "timeout", "async", "on_error"];

describe("completion offers", () => {
  test.each<[string, string, readonly string[]]>([
    ["keys of a rule", `${RULE}|`, ["name", "matcher", "vendor", "arg", "before", "handlers"]],
    [
      "keys that are not there yet",
      `${RULE}name = "x"\n|\narg = "y"\n`,
      ["matcher", "vendor", "before", "handlers"],
    ],
    ["keys of an end rule", "[[hooks.run_end]]\n|", ["name", "before", "handlers"]],
    ["types of handlers", `${RULE}handlers = [{ type = "|`, ["command", "http", "callable", "deny"]],
    ["types without a quote", `${RULE}handlers = [{ type = |`, ["command", "http", "callable", "deny"]],
    ["keys of the handler that is meant", `${RULE}handlers = [{ type = "deny", |`, ["reason", "name"]],
    [
      "keys of a handler, over lines",
      `${RULE}handlers = [\n  { type = "command", # why\n    |`,
      COMMAND_KEYS,
    ],
    [
      "keys of the second handler",
      `${RULE}handlers = [{ type = "command" }, { type = "deny", |`,
      ["reason", "name"],
    ],
    [
      "keys of a handler table",
      `${RULE}[[hooks.pre_tool_call.handlers]]\ntype = "deny"\n|`,
      ["reason", "name"],
    ],
    [
      "words of a key",
      `${RULE}handlers = [{ type = "http", on_error = "|`,
      ["record", "ask", "deny", "raise"],
    ],
    ["true and false", "[chain]\nenabled = |", ["true", "false"]],
    ["words of the tables below", '[audit]\ndurability = "|', ["group", "always"]],
    [
      "words in a list",
      '[chain]\norder = ["quota", "|',
      [
        "path_allowlist",
        "read_only",
        "destructive_sql",
        "shell",
        "self_protection",
        "egress",
        "quota",
        "row_limit",
      ],
    ],
    ["tools that were called", `${RULE}matcher = "|`, tools],
    ["no tools for requests", '[[hooks.pre_request]]\nmatcher = "|', []],
    ["nothing in a comment", "[chain]\n# |", []],
    ["nothing behind a value", "[chain]\nenabled = true # |", []],
    ["nothing in a table that is not known", "[chian]\n|", []],
    ["nothing for a key that is not known", "[chain]\nenabeld = |", []],
  ])("%s", (_, marked, labels) => {
    const found = offered(marked);
    expect([...found].sort()).toEqual([...labels].sort());
  });

  test("headers of tables and of every event", () => {
    const found = offered("[|");
    expect(found).toEqual(expect.arrayContaining(["[chain]", "[audit]", "[chain.options.quota]"]));
    expect(found.filter((label) => label.startsWith("[["))).toEqual(
      EVENTS.map((name) => `[[hooks.${name}]]`),
    );
  });

  test("a tool's name as a pattern that fits it alone", () => {
    const { items, start } = complete(`${RULE}matcher = `, RULE.length + 10, { tools });
    const text = `${RULE.slice(0, start)}${items[1]?.snippet.replaceAll("\\\\", "\\")}`;
    const written = `${RULE}matcher = ${text.slice(RULE.length)}\nhandlers = [{ type = "deny" }]`;
    const read = parseConfig({ text: written, file: "f", format: "toml" });
    expect(read).toMatchObject({ ok: true, value: { hooks: { pre_tool_call: [{ matcher: "a\\.b" }] } } });
  });

  test("every key with a text for people", () => {
    for (const marked of [`${RULE}|`, `${RULE}handlers = [{ |`, "[chain]\n|", "[database]\n|", "[|"]) {
      const offset = marked.indexOf("|");
      for (const item of complete(marked.replace("|", ""), offset, { tools }).items)
        expect(item.text, item.label).toMatch(/\w+ .*\.$/u);
    }
  });

  test("a cursor is found in any text, and never behind where it stands", () => {
    const part = fc.constantFrom(
      "[",
      "]",
      "{",
      "}",
      '"',
      "'",
      "\n",
      "=",
      "#",
      ",",
      "a",
      " ",
      '"""',
      "\\",
      "[[hooks.run_end]]",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.nat(), (parts, at) => {
        const text = parts.join("");
        const offset = at % (text.length + 1);
        const cursor = tomlCursor(text, offset);
        expect(cursor.kind === "none" || cursor.start <= offset).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("hover tells", () => {
  const text = `[chain]
enabled = true
[[hooks.pre_tool_call]]
name = "x"
handlers = [{ type = "deny", reason = "no" }, { type = "http", url = "https://a.b/", on_error = "ask" }]
`;
  test.each<[string, string, RegExp, readonly string[]]>([
    ["a key", "enabled", /hook chain as a whole/u, ["true", "false"]],
    ["a key of a rule", "name", /verdicts and the audit log call this rule/u, []],
    ["a key of the handler that is meant", "reason", /What the agent is told/u, []],
    [
      "a key of the other handler",
      "on_error",
      /What happens when the handler fails/u,
      ["record", "ask", "deny", "raise"],
    ],
    ["a table", "pre_tool_call", /Rules before a tool runs/u, []],
  ])("%s", (_, word, says, words) => {
    const start = text.indexOf(word);
    const hover = hoverAt(text, start + 1);
    expect(hover?.span).toEqual({ start, end: start + word.length });
    expect(hover?.text).toMatch(says);
    expect(hover?.words).toEqual(words);
  });
  test.each([
    ["a value", text, text.indexOf('"x"') + 1],
    ["a text that cannot be read", "[chain\nenabled", 9],
    ["a key that is not known", "[chain]\nenabeld = 1\n", 9],
  ])("nothing of %s", (_, given, offset) => {
    expect(hoverAt(given, offset)).toBeUndefined();
  });
});
