import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parseJsonc } from "../../../src/agents/install/jsonc";
import type { ClientFile } from "../../../src/mcp/wrap/clientFiles";
import { type FilePlan, type Kept, listServers, planFile } from "../../../src/mcp/wrap/plan";

const launcher = "/home/u/.countersign/bin/countersign";
const files = {
  vscode: {
    client: "VS Code",
    file: "mcp.json",
    syntax: "json",
    at: [["servers"]],
    shape: "command and args",
  },
  claude: {
    client: "Claude Code",
    file: ".claude.json",
    syntax: "json",
    at: [["mcpServers"], ["projects", "/w", "mcpServers"]],
    shape: "command and args",
  },
  codex: {
    client: "Codex",
    file: "config.toml",
    syntax: "toml",
    at: [["mcp_servers"]],
    shape: "command and args",
  },
  opencode: {
    client: "OpenCode",
    file: "opencode.json",
    syntax: "json",
    at: [["mcp"]],
    shape: "command list",
  },
} satisfies Record<string, ClientFile>;

const parsedBy = (file: ClientFile, text: string): unknown => {
  if (file.syntax === "toml") return parseToml(text);
  const parsed = parseJsonc(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
};
const plan = (
  file: ClientFile,
  text: string,
  to: "wrap" | "unwrap",
  kept: Kept = {},
  names?: string[],
): FilePlan => planFile(file, { text, kept }, { to, launcher, ...(names === undefined ? {} : { names }) });

const words = (name: string) => ["mcp", "proxy", `--name=${name}`];

describe("what starts a server is put behind the proxy, and all else stays", () => {
  const rows: readonly [string, ClientFile, string, string][] = [
    [
      "VS Code, comments and inputs",
      files.vscode,
      `{\n\t// mine\n\t"servers": {\n\t\t"fs": { "type": "stdio", "command": "npx", "args": ["-y", "x", /* root */ "\${workspaceFolder}"], "env": { "K": "\${input:key}" } },\n\t},\n\t"inputs": [{ "id": "key", "password": true }],\n}\n`,
      `{\n\t// mine\n\t"servers": {\n\t\t"fs": { "type": "stdio", "command": "${launcher}", "args": ["mcp", "proxy", "--name=fs", "--", "npx", "-y", "x", /* root */ "\${workspaceFolder}"], "env": { "K": "\${input:key}" } },\n\t},\n\t"inputs": [{ "id": "key", "password": true }],\n}\n`,
    ],
    [
      "no arguments, Windows line ends",
      files.vscode,
      `{\r\n  "servers": {\r\n    "a": {\r\n      "command": "serve\\u0072"\r\n    }\r\n  }\r\n}`,
      `{\r\n  "servers": {\r\n    "a": {\r\n      "command": "${launcher}", "args": ["mcp", "proxy", "--name=a", "--", "serve\\u0072"]\r\n    }\r\n  }\r\n}`,
    ],
    [
      "empty arguments before the command",
      files.vscode,
      `{"servers":{"a":{"args":[ ],"env":{},"command":"x"}}}`,
      `{"servers":{"a":{"args":["mcp", "proxy", "--name=a", "--", "x" ],"env":{},"command":"${launcher}"}}}`,
    ],
    [
      "Claude Code, of one project",
      files.claude,
      `{"projects":{"/w":{"mcpServers":{"m":{"command":"m","args":["1"]}}},"/other":{"mcpServers":{"m":{"command":"m"}}}}}`,
      `{"projects":{"/w":{"mcpServers":{"m":{"command":"${launcher}","args":["mcp", "proxy", "--name=m", "--", "m", "1"]}}},"/other":{"mcpServers":{"m":{"command":"m"}}}}}`,
    ],
    [
      "Codex, tables",
      files.codex,
      `model = "x" # mine\n\n[mcp_servers.a]\ncommand = 'npx'\nargs = [\n  "-y", # yes\n  "x",\n]\n[mcp_servers.a.env]\nK = "v"\n\n[mcp_servers.b]\n  command = "b"\n`,
      `model = "x" # mine\n\n[mcp_servers.a]\ncommand = "${launcher}"\nargs = ["mcp", "proxy", "--name=a", "--", 'npx', \n  "-y", # yes\n  "x",\n]\n[mcp_servers.a.env]\nK = "v"\n\n[mcp_servers.b]\n  command = "${launcher}"\n  args = ["mcp", "proxy", "--name=b", "--", "b"]\n`,
    ],
    [
      "Codex, inline",
      files.codex,
      `mcp_servers = { a = { command = "x" } }\n`,
      `mcp_servers = { a = { command = "${launcher}", args = ["mcp", "proxy", "--name=a", "--", "x"] } }\n`,
    ],
    [
      "OpenCode",
      files.opencode,
      `{"mcp":{"a":{"type":"local","command":["npx", "-y"],"environment":{"K":"{env:K}"}}}}`,
      `{"mcp":{"a":{"type":"local","command":["${launcher}", "mcp", "proxy", "--name=a", "--", "npx", "-y"],"environment":{"K":"{env:K}"}}}}`,
    ],
  ];

  test.each(rows)("%s", (_name, file, before, after) => {
    const there = plan(file, before, "wrap");
    expect(there.after).toBe(after);
    expect(there.diff.length).toBeGreaterThan(0);
    const again = plan(file, after, "wrap", there.kept);
    expect([again.after, again.diff]).toEqual([after, []]);
    expect(plan(file, after, "unwrap", there.kept).after).toBe(before);
  });

  test.each(rows)("%s: without what was kept, the same server is started again", (_name, file, before) => {
    const back = plan(file, plan(file, before, "wrap").after, "unwrap").after;
    const started = (text: string) => {
      const listed = listServers(file, text);
      return listed.ok && listed.entries.map(({ reached, wrapped }) => ({ reached, wrapped }));
    };
    expect(started(back)).toEqual(started(before));
  });
});

describe("a server over the network", () => {
  const text = `{\n  "servers": {\n    "r": {\n      "type": "http",\n      "url": "https://x.example/mcp",\n      "headers": { "Authorization": "Bearer \${input:token}" }\n    }\n  }\n}\n`;

  test("is wrapped where it is named; what only the client knows stays, in a variable, and is told", () => {
    expect(plan(files.vscode, text, "wrap").diff).toEqual([]);
    const there = plan(files.vscode, text, "wrap", {}, ["r"]);
    expect(parsedBy(files.vscode, there.after)).toEqual({
      servers: {
        r: {
          type: "stdio",
          command: launcher,
          args: [...words("r"), "--url", "https://x.example/mcp", "--header-env", "COUNTERSIGN_HEADER_1"],
          env: { COUNTERSIGN_HEADER_1: `Authorization: Bearer ${"$"}{input:token}` },
        },
      },
    });
    expect(there.notes.join()).toMatch(/\$\{input:token\} stays as it is/);
    expect(plan(files.vscode, there.after, "unwrap", there.kept).after).toBe(text);
  });

  test.each([
    [files.vscode, `{"servers":{"r":{"type":"sse","url":"https://x/sse"}}}`, /old form/],
    [files.codex, `[mcp_servers.r]\nurl = "https://x"\nbearer_token_env_var = "T"\n`, /made by the client/],
    [files.codex, `[mcp_servers.r]\nurl = "https://x"\n`, /stays as it is in this file/],
    [files.opencode, `{"mcp":{"r":{"type":"remote","url":"https://x","oauth":{}}}}`, /OAuth/],
    [files.vscode, `{"servers":{"r":{"command":["x"]}}}`, /cannot be read/],
    [files.vscode, `{"servers":{"r":{}}}`, /no command and no address/],
  ])("of a kind that the proxy cannot stand for is left and told why: %#", (file, before, why) => {
    const there = plan(file, before, "wrap", {}, ["r"]);
    expect(there.after).toBe(before);
    expect(there.notes.join()).toMatch(why);
  });
});

test("what was edited after wrapping stays, and the server is as it was", () => {
  const before = `{"servers":{"a":{"command":"x","env":{"K":"1"},"args":["1"]},"b":{"command":"y"}}}`;
  const there = plan(files.vscode, before, "wrap");
  const edited = there.after.replace(`"K":"1"`, `"K":"2"`).replace(`{"servers"`, `{"inputs":[],"servers"`);
  expect(plan(files.vscode, edited, "unwrap", there.kept).after).toBe(
    before.replace(`"K":"1"`, `"K":"2"`).replace(`{"servers"`, `{"inputs":[],"servers"`),
  );
});

test("a file that cannot be read is left, and told", () => {
  const there = plan(files.vscode, `{"servers":`, "wrap");
  expect([there.after, there.notes.length]).toEqual([`{"servers":`, 1]);
});

test("whatever the file: wrapped and unwrapped it is the same, byte for byte, and wrapped it starts the proxy with the old words", () => {
  const server = fc.record(
    {
      command: fc.string({ minLength: 1 }),
      args: fc.array(fc.string()),
      env: fc.dictionary(fc.string(), fc.string()),
      more: fc.jsonValue(),
    },
    { requiredKeys: ["command"] },
  );
  const document = fc.record({
    servers: fc.dictionary(fc.string({ minLength: 1 }), server),
    other: fc.jsonValue(),
  });
  const form = fc.constantFrom(
    (value: unknown) => JSON.stringify(value),
    (value: unknown) =>
      `\ufeff// head\n${JSON.stringify(value, null, "\t").replaceAll("\n", "\r\n")}\r\n/* foot */`,
    (value: unknown) => JSON.stringify(value, null, 4),
  );
  fc.assert(
    fc.property(document, form, (value, write) => {
      const text = write(value);
      const there = plan(files.vscode, text, "wrap");
      const now = parsedBy(files.vscode, there.after);
      const expected = Object.fromEntries(
        Object.entries(value.servers).map(([name, one]) => [
          name,
          { ...one, command: launcher, args: [...words(name), "--", one.command, ...(one.args ?? [])] },
        ]),
      );
      expect(now).toEqual(JSON.parse(JSON.stringify({ ...value, servers: expected })));
      expect(plan(files.vscode, there.after, "unwrap", there.kept).after).toBe(text);
    }),
  );
});
