/** What a grant is bound to: every file that a command executes, by whatever way the command names it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readFacets } from "../../src/agents/toolFacts";
import { shellGuard } from "../../src/core/guards/shell";
import { bindCall } from "../../src/node/callBinding";
import { realFileSystem } from "../../src/node/realFileSystem";
import type { AskAnswer } from "../../src/ports";
import { call, rig } from "../core/fixtures";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "countersign-bind-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const bind = bindCall(readFacets, () => realFileSystem());
const callOf = (command: string, more = {}) =>
  call("run_in_terminal", { command, ...more }, { cwd: folder, canonicalName: "Bash" });

async function executed(command: string, more = {}): Promise<readonly string[]> {
  const one = callOf(command, more);
  return Object.keys(await bind(one, one.input))
    .flatMap((key) => (key.startsWith("executes ") ? [key.slice("executes ".length)] : []))
    .sort();
}

describe("executed files", () => {
  const FILES = {
    "deploy.sh": "#!/bin/sh\n. ./lib/push.sh\nbash other.sh\n",
    "lib/push.sh": "echo push\n",
    "other.sh": "echo other\n",
    "x.py": "print(1)\n",
    "package.json": JSON.stringify({ scripts: { release: "bash tools/release.sh", test: "vitest" } }),
    "tools/release.sh": "echo release\n",
    "sub/package.json": JSON.stringify({ scripts: { build: "node build.mjs" } }),
    "sub/build.mjs": "1\n",
    "sub/Makefile": "all:\n\t./go.sh\n",
    "sub/go.sh": "echo go\n",
    loop: "./loop\n",
  };
  test.each<[string, readonly string[]]>([
    ["./deploy.sh --all", ["./deploy.sh", "./lib/push.sh", "other.sh"]],
    ["sudo ./deploy.sh", ["./deploy.sh", "./lib/push.sh", "other.sh"]],
    ["bash < other.sh", ["other.sh"]],
    ["cat other.sh | sh", ["other.sh"]],
    ["bash -c './other.sh'", ["./other.sh"]],
    ["python3 -u x.py", ["x.py"]],
    ["npm run release", ["package.json", "tools/release.sh"]],
    ["npm --prefix sub run build", ["sub/build.mjs", "sub/package.json"]],
    ["cd sub && npm run build", ["sub/build.mjs", "sub/package.json"]],
    ["make -C sub", ["sub/./go.sh", "sub/Makefile"]],
    ["./loop", ["./loop"]],
    ["ls -l deploy.sh", []],
    ["docker exec web ./deploy.sh", []],
  ])("%s", async (command, files) => {
    put(FILES);
    expect(await executed(command)).toEqual([...files].sort());
  });

  test("in the folder that the tool names", async () => {
    put(FILES);
    expect(await executed("./go.sh", { cwd: "sub" })).toEqual(["sub/./go.sh"]);
  });
});

describe("an approval for the session falls when the file changes", () => {
  const session: AskAnswer = { kind: "allow", scope: "session" };
  const COMMAND = "systemctl stop web; ./deploy.sh";

  test.each<[string, Readonly<Record<string, string>>]>([
    ["the script", { "deploy.sh": "#!/bin/sh\necho changed\n" }],
    ["a script that it starts", { "lib/push.sh": "echo changed\n" }],
    ["nothing", {}],
  ])("%s", async (_name, changed) => {
    put({ "deploy.sh": "#!/bin/sh\nbash lib/push.sh\n", "lib/push.sh": "echo push\n" });
    const one = callOf(COMMAND);
    const r = rig({
      hooks: [shellGuard({ facets: readFacets, fs: realFileSystem() })],
      answers: [session, { kind: "dismissed" }],
      bind: () => bind(one, one.input),
    });
    const kindOf = async () => (await r.governor.govern(one, () => "ran")).outcome.kind;
    expect(await kindOf()).toBe("run");
    expect(await kindOf()).toBe("run");
    expect(r.requests).toHaveLength(1);
    put(changed);
    const same = Object.keys(changed).length === 0;
    expect(await kindOf()).toBe(same ? "run" : "denied");
    expect(r.requests).toHaveLength(same ? 1 : 2);
  });
});
