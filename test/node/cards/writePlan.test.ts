import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type WrittenAgent, writtenAgents } from "../../../src/core/cards/agentPlaces";
import { readManifest } from "../../../src/core/cards/cardManifest";
import type { CardState } from "../../../src/node/cards/cardsInForce";
import { applyWrite, planWrite } from "../../../src/node/cards/writePlan";
import { asFiles, type Folder, manifest, newFolder, put, text } from "./cardBench";

let base: Folder;
let root = "";
beforeEach(() => {
  base = newFolder();
  root = join(base.path, "workspace");
  mkdirSync(join(root, ".countersign"), { recursive: true, mode: 0o700 });
});
afterEach(() => base.remove());

const SERVERS = {
  files: { command: "npx", args: ["-y", "files", "--root", "/srv/a b"], env: { LEVEL: 'a "quoted" one' } },
  docs: { url: "https://docs.example/mcp", headers: { "X-Team": "acme" } },
};

function card(
  extra: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {
    "skills/review/SKILL.md": "# Review\n",
    "skills/review/scripts/a.sh": "echo\n",
  },
  name = "@acme/backend",
): CardState {
  const text = manifest({
    name,
    hooks: { include: [] },
    skills: { include: ["review"] },
    servers: SERVERS,
    ...extra,
  });
  const read = readManifest(text, { file: "card.json", card: name });
  if (!read.ok) throw new Error(read.issues[0]?.message);
  return {
    card: name,
    state: "trusted",
    broken: false,
    found: {
      folder: "/none",
      content: { manifest: read.manifest, files: [], digest: "" },
      files: asFiles(files),
    },
  };
}

async function write(cards: readonly CardState[], agents: readonly WrittenAgent[] = writtenAgents) {
  const plan = await planWrite({ root, dataFolder: join(root, ".countersign") }, cards, agents);
  await applyWrite(plan);
  return plan;
}

/** Every file of the workspace but ours. */
function all(): Readonly<Record<string, string>> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = paths
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((name) => !name.startsWith(".countersign"));
  return Object.fromEntries(names.sort().map((name) => [name, text(root, name)]));
}

test("each agent gets skills and servers where and how it reads them", async () => {
  const plan = await write([card()]);
  expect(plan.warnings).toEqual([]);
  const found = all();
  for (const folder of [".claude", ".agents", ".github", ".gemini", ".opencode", ".cursor"]) {
    expect(found[`${folder}/skills/review/SKILL.md`]).toBe("# Review\n");
    expect(found[`${folder}/skills/review/scripts/a.sh`]).toBe("echo\n");
  }
  expect(JSON.parse(found[".mcp.json"] ?? "")).toEqual({
    mcpServers: { files: { type: "stdio", ...SERVERS.files }, docs: { type: "http", ...SERVERS.docs } },
  });
  expect(JSON.parse(found[".cursor/mcp.json"] ?? "")).toEqual({ mcpServers: SERVERS });
  expect(JSON.parse(found[".gemini/settings.json"] ?? "")).toEqual({
    mcpServers: { files: SERVERS.files, docs: { httpUrl: SERVERS.docs.url, headers: SERVERS.docs.headers } },
  });
  expect(JSON.parse(found["opencode.json"] ?? "")).toEqual({
    mcp: {
      files: { type: "local", command: ["npx", ...SERVERS.files.args], environment: SERVERS.files.env },
      docs: { type: "remote", ...SERVERS.docs },
    },
  });
  expect(found[".codex/config.toml"]).toBe(
    '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "files", "--root", "/srv/a b"]\nenv = { "LEVEL" = "a \\"quoted\\" one" }\n\n[mcp_servers.docs]\nurl = "https://docs.example/mcp"\nhttp_headers = { "X-Team" = "acme" }\n',
  );
  // VS Code's own hooks come with the extension: a file would make them fire twice.
  expect(Object.keys(found).filter((name) => /vscode|hooks/.test(name))).toEqual([]);
});

test("again changes nothing", async () => {
  await write([card()]);
  const before = all();
  const plan = await write([card()]);
  expect([plan.diff, plan.files]).toEqual([[], []]);
  expect(all()).toEqual(before);
});

const THEIRS = {
  ".mcp.json": '{\n  // mine\n  "mcpServers": {\n    "own": { "command": "own" }, // stays\n  }\n}\n',
  ".cursor/mcp.json": '{"mcpServers":{}}',
  ".gemini/settings.json": '{\r\n\t"theme": "dark"\r\n}\r\n',
  "opencode.json": '{ "mcp": { "own": { "type": "local", "command": ["own"] } } }',
  ".codex/config.toml": '# mine\nmodel = "x"\n\n[mcp_servers.own]\ncommand = "own"',
  ".claude/skills/own/SKILL.md": "own\n",
};

describe("taking it out gives back every byte", () => {
  test.each([
    ["where there was nothing", {}],
    ["beside what others wrote", THEIRS],
    ["where files were empty", { ".mcp.json": "{}", ".codex/config.toml": "" }],
  ])("%s", async (_name, files) => {
    put(root, files);
    const before = all();
    await write([card()]);
    expect(all()).not.toEqual(before);
    await write([
      card({ servers: { files: { command: "other" } } }, { "skills/review/SKILL.md": "# Other\n" }),
    ]);
    await write([card()], ["codex"]);
    await write([], []);
    expect(all()).toEqual(before);
    expect(readdirSync(root).sort()).toEqual(
      [...new Set([".countersign", ...Object.keys(files).map((path) => path.split("/")[0] ?? "")])].sort(),
    );
  });
});

describe("what is somebody else's stays", () => {
  test("a server and a skill of the same name", async () => {
    put(root, {
      ".mcp.json": '{ "mcpServers": { "files": { "command": "mine" } } }',
      ".claude/skills/review/SKILL.md": "mine\n",
    });
    const { warnings } = await write([card()], ["claude"]);
    expect(warnings).toEqual([
      ".claude/skills/review/SKILL.md is left alone: it is not what Countersign wrote",
      "MCP server files in .mcp.json is left alone: there is another one of that name",
    ]);
    expect(JSON.parse(text(root, ".mcp.json")).mcpServers.files).toEqual({ command: "mine" });
    expect(text(root, ".claude/skills/review/SKILL.md")).toBe("mine\n");
    await write([], []);
    expect(all()).toEqual({
      ".mcp.json": '{ "mcpServers": { "files": { "command": "mine" } } }',
      ".claude/skills/review/SKILL.md": "mine\n",
    });
  });
  test("what a person changed since", async () => {
    await write([card()], ["claude"]);
    appendFileSync(join(root, ".claude/skills/review/SKILL.md"), "and mine\n");
    const { warnings } = await write([], []);
    expect(warnings).toEqual([
      ".claude/skills/review/SKILL.md is left alone: it is not what Countersign wrote",
    ]);
    expect(all()).toEqual({ ".claude/skills/review/SKILL.md": "# Review\nand mine\n" });
  });
  test("a file that cannot be read as configuration", async () => {
    put(root, { ".mcp.json": "{ not json" });
    expect((await write([card()], ["claude"])).warnings).toEqual([
      expect.stringContaining(".mcp.json is left alone"),
    ]);
    expect(text(root, ".mcp.json")).toBe("{ not json");
  });
  test("a file that is no text", async () => {
    writeFileSync(join(root, ".mcp.json"), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect((await write([card()], ["claude"])).warnings).toEqual([".mcp.json is left alone: it is no UTF-8"]);
    expect(readFileSync(join(root, ".mcp.json"))).toHaveLength(7);
  });
  test("what was written and lies behind a link for a while is still known", async () => {
    await write([card()], ["claude"]);
    renameSync(join(root, ".claude"), join(base.path, "claude"));
    symlinkSync(join(base.path, "claude"), join(root, ".claude"));
    await write([card()], ["claude"]);
    rmSync(join(root, ".claude"));
    renameSync(join(base.path, "claude"), join(root, ".claude"));
    await write([], []);
    expect(all()).toEqual({});
  });
  test("what lies behind a link", async () => {
    mkdirSync(join(base.path, "elsewhere"));
    symlinkSync(join(base.path, "elsewhere"), join(root, ".claude"));
    expect((await write([card()], ["claude"])).warnings).toContain(
      ".claude/skills/review/SKILL.md is left alone: a link leads out of the workspace",
    );
    expect(readdirSync(join(base.path, "elsewhere"))).toEqual([]);
  });
  test("a file that changes while a person reads the change", async () => {
    const plan = await planWrite({ root, dataFolder: join(root, ".countersign") }, [card()], ["claude"]);
    put(root, { ".mcp.json": "{}" });
    await expect(applyWrite(plan)).rejects.toThrow("has changed meanwhile");
    expect(existsSync(join(root, ".claude"))).toBe(false);
  });
  test("two cards with one name", async () => {
    const other = card(
      { servers: { files: { command: "other" } } },
      { "skills/review/SKILL.md": "other\n" },
      "@acme/other",
    );
    expect((await write([card(), other], ["claude"])).warnings).toEqual([
      "skill review of @acme/other is left out: @acme/backend has one of that name",
      "MCP server files of @acme/other is left out: @acme/backend has one of that name",
    ]);
    expect(text(root, ".claude/skills/review/SKILL.md")).toBe("# Review\n");
  });
});

test("the change is shown before it is made", async () => {
  const { diff } = await planWrite({ root, dataFolder: join(root, ".countersign") }, [card()], ["claude"]);
  expect(diff).toContain("+# Review");
  expect(diff.join("\n")).toContain('+      "command": "npx"');
  rmSync(join(root, ".countersign"), { recursive: true });
  expect(all()).toEqual({});
});
