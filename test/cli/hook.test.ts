import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { BrokerAnswer, BrokerRequest } from "../../src/agents/hookRequest";
import { runHook } from "../../src/cli/hook";
import { type Broker, startBroker } from "../../src/node/broker";
import { writeLocator } from "../../src/node/locator";
import { tempFolder } from "../agents/pluginBench";
import { quietLog } from "../core/fixtures";

const temp = tempFolder();
let broker: Broker | undefined;
afterEach(async () => broker?.close());
afterAll(() => temp.remove());

const fixture = (name: string) =>
  readFileSync(new URL(`../agents/fixtures/vscode/${name}.json`, import.meta.url), "utf8");

async function run(argv: string[], input: string, home = join(temp.path, "nobody")) {
  const out = { stdout: "", stderr: "" };
  const code = await runHook(argv, {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: { write: (text) => (out.stdout += text) },
    stderr: { write: (text) => (out.stderr += text) },
    env: {},
    cwd: temp.path,
    home,
  });
  return { code, ...out };
}

async function open(answer: BrokerAnswer): Promise<{ home: string; requests: BrokerRequest[] }> {
  const requests: BrokerRequest[] = [];
  broker = await startBroker({
    handle: async (request) => {
      requests.push(request);
      return answer;
    },
    log: quietLog,
    folder: temp.path,
  });
  const home = tempFolder().path;
  writeLocator(home, {
    pid: process.pid,
    socket: broker.socket,
    nonce: broker.nonce,
    folders: ["/home/ann"],
  });
  return { home, requests };
}

describe("without a window for the folder", () => {
  test("VS Code is told by JSON and exit 0", async () => {
    const ran = await run(["--agent", "vscode"], fixture("local-pre"));
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const answer = JSON.parse(ran.stdout);
    expect(answer.permissionDecision).toBe("deny");
    expect(answer.hookSpecificOutput.permissionDecision).toBe("deny");
    expect(answer.permissionDecisionReason).toContain(
      "no open window with Countersign has the folder /home/ann/shop",
    );
  });

  describe("other agents are judged here, by the same core and into the same log", () => {
    const made = (command: string, more: object = {}): string =>
      JSON.stringify({
        ...JSON.parse(fixture("claude-pre")),
        cwd: workspace,
        tool_input: { command },
        tool_use_id: `id ${command}`,
        ...more,
      });
    const home = join(temp.path, "somebody");
    const workspace = join(temp.path, "shop");
    mkdirSync(home);
    mkdirSync(workspace);
    writeFileSync(join(workspace, "gateway-hooks.toml"), "version = 1\n");
    const claude = ["--agent", "claude"];
    const records = () =>
      readFileSync(join(workspace, ".countersign/storage/default/audit.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));

    test("what is allowed is answered with nothing, and its result is joined to it", async () => {
      expect(await run(claude, made("ls"), home)).toMatchObject({ code: 0, stdout: "" });
      const post = made("ls", { hook_event_name: "PostToolUse", tool_response: { stdout: "a" } });
      expect(await run(claude, post, home)).toMatchObject({ code: 0, stdout: "" });
      const [call, result] = records().filter(({ tool }) => tool === "Bash");
      expect([call, result]).toMatchObject([
        { event: "call", decision: "allow", call_id: "id ls" },
        { event: "result", decision: "allow", call_id: "id ls" },
      ]);
      // The second time nothing waits for it.
      await run(claude, post, home);
      expect(records().at(-1)).toMatchObject({ call_id: "id ls", findings: [{ code: "ran_ungoverned" }] });
    });

    test("what needs a person is denied, and says how to get one", async () => {
      const ran = await run(claude, made("sqlite3 a.db 'DROP TABLE users'"), home);
      expect(ran.code).toBe(0);
      expect(JSON.parse(ran.stdout).hookSpecificOutput).toMatchObject({
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringContaining("no editor window with Countersign"),
      });
    });

    test("what never reports is written down when the turn ends", async () => {
      await run(claude, made("sleep 1"), home);
      await run(claude, made("", { hook_event_name: "Stop" }), home);
      expect(records().at(-1)).toMatchObject({
        event: "result",
        call_id: "id sleep 1",
        error: expect.stringMatching(/ended unknown/),
      });
    });

    describe("each call is judged by a process of its own, and the session is remembered", () => {
      const take = "curl -O https://registry.npmjs.org/left-pad";
      const session = (session_id: string) => ({ session_id });
      const denied = async (command: string, more: object) => {
        const { stdout } = await run(claude, made(command, more), home);
        return stdout === "" ? undefined : JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason;
      };

      test("a secret in a result: then no place is known any more", async () => {
        const tool_response = { stdout: `key AKIA${"ABCDEFGHIJ234567"}` };
        await run(claude, made("cat notes.txt", session("s1")), home);
        const post = { ...session("s1"), hook_event_name: "PostToolUse", tool_response };
        await run(claude, made("cat notes.txt", post), home);
        expect(await denied(take, session("s1"))).toMatch(/a secret \(.*\) in a result of Bash/);
        expect(await denied(take, session("s2"))).toBeUndefined();
      });

      test("a file that the agent wrote: what it holds is judged when it is run", async () => {
        const file = join(workspace, "tidy.sh");
        writeFileSync(file, "git push --force\n");
        const write = {
          ...session("s3"),
          tool_name: "Write",
          tool_input: { file_path: file, content: "git push --force\n" },
        };
        await run(claude, made("", write), home);
        await run(claude, made("", { ...write, hook_event_name: "PostToolUse", tool_response: {} }), home);
        expect(await denied("sh tidy.sh", session("s4"))).toMatch(/tidy\.sh, which an agent wrote/);
      });

      test("what is remembered belongs to this user alone, and what cannot be believed denies", async () => {
        const memory = join(home, ".countersign/memory.db");
        expect(statSync(memory).mode & 0o777).toBe(0o600);
        chmodSync(memory, 0o644);
        expect((await run(claude, made("ls"), home)).stderr).toMatch(
          /memory\.db cannot be used: other users/,
        );
        chmodSync(memory, 0o600);
        expect(await denied("ls", {})).toBeUndefined();
        writeFileSync(
          memory,
          "no database at all, but a text that is long enough to look like one".repeat(99),
        );
        expect((await run(claude, made("ls"), home)).stderr).toMatch(
          /memory\.db cannot be used: file is not a/,
        );
        rmSync(memory);
        expect(await denied("ls", {})).toBeUndefined();
      });
    });

    test("what cannot be read is denied by exit 2 and standard error", async () => {
      const ran = await run(claude, "{}", home);
      expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^guard broken: /) });
    });

    test("the launcher is told by its token", async () => {
      expect(await run([...claude, "--token"], made("pwd"), home)).toMatchObject({
        code: 0,
        stdout: "CS1 0 ",
      });
      const broken = await run([...claude, "--token"], "{}", home);
      expect(broken).toMatchObject({ code: 0, stdout: expect.stringMatching(/^CS1 2 guard broken: /) });
    });
  });

  test("what is no call passes", async () => {
    expect(await run(["--agent", "claude"], fixture("local-post"))).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
    const prompt = '{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"hello"}';
    expect(await run(["--agent", "claude"], prompt)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});

describe("with a window", () => {
  test("its answer is printed as it is", async () => {
    const { home, requests } = await open({ stdout: '{"a":1}' });
    expect(await run(["--agent=claude"], fixture("claude-pre"), home)).toMatchObject({
      code: 0,
      stdout: '{"a":1}',
    });
    expect(requests).toMatchObject([
      { event: "pre", agent: "claude", observer: "hook:claude", payload: fixture("claude-pre") },
    ]);
  });

  test("its exit code and words are passed on", async () => {
    const { home } = await open({ stdout: "", stderr: "no", exitCode: 2 });
    expect(await run(["--agent", "claude"], fixture("claude-pre"), home)).toEqual({
      code: 2,
      stdout: "",
      stderr: "no\n",
    });
  });

  test.each([
    ["local-post", [], "post"],
    ["local-session-start", [], "session-start"],
    ["local-subagent-start", [], "subagent-start"],
    ["agent-host-pre", [], "pre"],
    ["agent-host-post", ["--event", "post"], "post"],
  ])("%s %j is the event %s", async (name, more, event) => {
    const { home, requests } = await open({ stdout: "" });
    await run(["--agent", "vscode", ...more], fixture(name), home);
    expect(requests.map((request) => request.event)).toEqual([event]);
  });

  test("an event of a name we do not know is judged as a call", async () => {
    const { home, requests } = await open({ stdout: "" });
    const payload = JSON.stringify({ ...JSON.parse(fixture("local-pre")), hook_event_name: "BeforeTool" });
    await run(["--agent", "vscode"], payload, home);
    expect(requests.map((request) => request.event)).toEqual(["pre"]);
  });
});

describe("bad arguments deny", () => {
  test.each([
    [[], /needs --agent/],
    [["--agent"], /--agent needs a value/],
    [["--agent", "claud"], /cannot judge calls of claud, did you mean claude\?/],
    [["--agent", "claude", "--evnt", "post"], /unknown option --evnt, did you mean --event\?/],
    [["--agent", "claude", "--help"], /--help goes without other options/],
    [["--help", "more"], /--help goes without other options/],
    [["--agent", "aider"], /cannot judge calls of aider/],
    [["--agent", "claude", "--event", "maybe"], /no hook event maybe/],
  ])("%j", async (argv, reason) => {
    const ran = await run(argv, fixture("claude-pre"));
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/^guard broken: countersign hook: /);
    expect(ran.stderr).toMatch(reason);
    expect(ran.stderr).toContain("\n\nusage: countersign hook --agent NAME");
  });

  test.each([
    [[], undefined],
    [["--agent"], undefined],
    [["--agent", "claud"], undefined],
    [["--agent", "claude", "--evnt", "post"], "claude"],
  ])(
    "%j: what a person may do names an agent's uninstall only where the agent is known",
    async (argv, agent) => {
      const { stderr } = await run(argv, fixture("claude-pre"));
      const named = /agents uninstall\s*(\S*)/u.exec(stderr)?.[1];
      expect(named).toBe(agent);
      if (agent === undefined) expect(stderr).toContain("name the agent there with --agent NAME");
    },
  );

  test.each([[["--agent=vscode", "--evnt", "post"]], [["--help", "--agent", "vscode"]]])(
    "%j: VS Code is told in its own shape",
    async (argv) => {
      const ran = await run(argv, fixture("local-pre"));
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(ran.stdout)).toMatchObject({
        permissionDecision: "deny",
        hookSpecificOutput: { permissionDecision: "deny" },
      });
    },
  );
});

test.each(["--help", "-h"])("%s alone: the usage, and no answer", async (flag) => {
  const ran = await run([flag], fixture("claude-pre"));
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toMatch(/^usage: countersign hook /);
});

test("a payload that is no JSON denies", async () => {
  expect((await run(["--agent", "claude"], "{")).code).toBe(2);
});
