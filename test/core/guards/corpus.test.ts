/** Whole corpora through both path guards: what agents do every day passes, what reaches for more never does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allowlistOn, ask, callOn, protectionOn, type World } from "./worlds";

const there = (paths: readonly string[]): Record<string, null> =>
  Object.fromEntries(paths.map((path) => [path, null]));

const LINUX: World = {
  os: "linux",
  home: "/home/user",
  cwd: "/home/user/proj",
  roots: ["/home/user/proj"],
  links: there([
    "/home/user/proj/src/main.ts",
    "/home/user/proj/package.json",
    "/home/user/proj/.git/hooks/pre-commit",
    "/home/user/proj/.git/config",
    "/home/user/proj/.vscode/settings.json",
    "/home/user/proj/.claude/settings.json",
    "/home/user/proj/.github/workflows/ci.yml",
    "/home/user/proj/.countersign/storage/default/audit.jsonl",
    "/home/user/proj/gateway-hooks.toml",
    "/home/user/.ssh/id_rsa",
    "/home/user/.bashrc",
    "/home/user/other/secret.txt",
    "/etc/passwd",
    "/etc/shadow",
    "/tmp/x",
    "/usr/include",
  ]),
};

const WINDOWS: World = {
  os: "win32",
  home: "C:\\Users\\user",
  cwd: "C:\\Users\\user\\proj",
  roots: ["C:\\Users\\user\\proj"],
  links: there([
    "C:\\Users\\user\\proj\\src\\main.ts",
    "C:\\Users\\user\\proj\\.git\\hooks\\pre-commit",
    "C:\\Users\\user\\proj\\.vscode\\settings.json",
    "C:\\Users\\user\\proj\\gateway-hooks.toml",
    "C:\\Users\\user\\.ssh\\id_rsa",
    "C:\\Users\\user\\other\\x",
  ]),
};

type Row = { readonly tool: string; readonly args: Record<string, unknown> };

function rowsOf(name: string): readonly Row[] {
  const lines = readFileSync(join(import.meta.dirname, "../../corpus", name), "utf8").split("\n");
  const texts = lines.filter((line) => line.trim() !== "" && !line.startsWith("# "));
  return name.endsWith(".jsonl")
    ? texts.map((text): Row => JSON.parse(text))
    : texts.map((text) => ({ tool: "run_in_terminal", args: { command: text.replaceAll("\\n", "\n") } }));
}

async function kindOf(world: World, { tool, args }: Row): Promise<string> {
  for (const hook of [allowlistOn(world), protectionOn(world)]) {
    const { kind } = await ask(hook, callOn(world, tool, args));
    if (kind !== "allow") return kind;
  }
  return "allow";
}

const shown = ({ tool, args }: Row) => `${tool} ${JSON.stringify(args)}`;

async function withKind(world: World, name: string, wanted: (kind: string) => boolean): Promise<string[]> {
  const out: string[] = [];
  for (const row of rowsOf(name)) if (wanted(await kindOf(world, row))) out.push(shown(row));
  return out;
}

describe("everyday calls", () => {
  test.each([
    ["everydayShell.txt", LINUX],
    ["everydayPowerShell.txt", WINDOWS],
  ] as const)("%s: none asks", async (name, world) => {
    expect(await withKind(world, name, (kind) => kind !== "allow")).toEqual([]);
  });

  test("tools: only those whose address cannot be told from a file ask, under 2 in 100 of all", async () => {
    const asked = await withKind(LINUX, "everydayTools.jsonl", (kind) => kind !== "allow");
    expect(asked).toEqual([
      'mcp_github_get_file_contents {"owner":"a","repo":"b","path":"/"}',
      'mcp_postman_send {"path":"/api/users","method":"GET"}',
      'mcp_http_request {"url":"https://e.com/api","method":"GET","path":"/api/users"}',
    ]);
    expect(
      asked.length / (rowsOf("everydayTools.jsonl").length + rowsOf("everydayShell.txt").length),
    ).toBeLessThan(0.02);
  });
});

describe("calls that reach for more", () => {
  test.each([
    ["reachingShell.txt", LINUX],
    ["reachingTools.jsonl", LINUX],
    ["reachingPowerShell.txt", WINDOWS],
  ] as const)("%s: none passes", async (name, world) => {
    expect(rowsOf(name).length).toBeGreaterThan(40);
    expect(await withKind(world, name, (kind) => kind === "allow")).toEqual([]);
  });
});
