/** The launcher's shell text, run by the shells that stand behind /bin/sh, against a real broker and against what is none. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BrokerAnswer, BrokerRequest } from "../../../src/agents/hookRequest";
import { type Broker, startBroker } from "../../../src/node/broker";
import { hookProgram, writeLauncher } from "../../../src/node/launcherFiles";
import { writeLocator } from "../../../src/node/locator";
import { quietLog } from "../../core/fixtures";
import { deferred, tempFolder } from "../pluginBench";

const shells = ["/bin/dash", "/bin/bash"].filter(existsSync);
const temp = tempFolder();
const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
afterAll(() => temp.remove());

let home = "";
let work = "";
let count = 0;
beforeEach(() => {
  count += 1;
  const base = realpathSync(temp.path);
  home = join(base, `home ${count}`);
  work = join(base, `work it's ${count}`);
  for (const folder of [home, work, join(base, "dist")]) mkdirSync(folder, { recursive: true });
  // Stands in for the command line, which the tests of the real programs run.
  writeFileSync(
    join(base, "dist/cli.js"),
    'process.stdout.write("CS1 0 " + process.argv.slice(2).join(" "));',
  );
  writeLauncher({ home, runtime: process.execPath, dist: join(base, "dist") });
});

interface Window {
  readonly broker: Broker;
  readonly requests: BrokerRequest[];
}

async function window(
  answer: BrokerAnswer | (() => Promise<BrokerAnswer>),
  folders = [work],
): Promise<Window> {
  const requests: BrokerRequest[] = [];
  const broker = await startBroker({
    handle: async (request) => {
      requests.push(request);
      return typeof answer === "function" ? answer() : answer;
    },
    log: quietLog,
    folder: temp.path,
  });
  open.push(() => broker.close());
  writeLocator(home, { pid: process.pid, folders, ...broker });
  return { broker, requests };
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Start {
  readonly args?: readonly string[];
  readonly input?: string | Buffer;
  readonly cwd?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function start({ args = ["claude", "pre"], input = "{}", cwd = work, shell, env = {} }: Start = {}): {
  child: ChildProcess;
  ended: Promise<Ran>;
} {
  const program = hookProgram(home);
  const [command, all] = shell === undefined ? [program, args] : [shell, [program, ...args]];
  const child = spawn(command, all, {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: "pipe",
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = new Promise<Ran>((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
  return { child, ended };
}

const run = (given?: Start): Promise<Ran> => start(given).ended;

const denied = (why: RegExp) => ({ code: 2, stdout: "", stderr: expect.stringMatching(why) });

describe.each(shells)("by %s", (shell) => {
  test("carries the payload there and the answer back, byte for byte", async () => {
    const answer = { stdout: '{"a":"\\\\ %s $HOME `x` ü 漢\\n"}' };
    const { requests } = await window(answer);
    const input = JSON.stringify({ text: "ü 漢 \u0001 'quoted' $(x)\n".repeat(2000) });
    expect(await run({ shell, input })).toEqual({ code: 0, stdout: answer.stdout, stderr: "" });
    expect(requests).toEqual([
      { agent: "claude", event: "pre", observer: "hook:claude", payload: input, cwd: work },
    ]);
  });

  test("an answer without words is no words, and exit 2 comes with its reason", async () => {
    await window({ stdout: "" });
    expect(await run({ shell })).toEqual({ code: 0, stdout: "", stderr: "" });
    await window({ stdout: "", stderr: "not so", exitCode: 2 });
    expect(await run({ shell })).toEqual({ code: 2, stdout: "", stderr: "not so\n" });
    await window({ stdout: "", stderr: "", exitCode: 2 });
    // One agent runs the tool where the reason is empty.
    expect(await run({ shell })).toEqual({ code: 2, stdout: "", stderr: "denied\n" });
  });

  test.each([
    "",
    " ",
    "words",
    '{"ok":true}',
    "CS1",
    "CS1 0",
    "CS1 1 x",
    "CS1 9 x",
    "xCS1 0 ",
    "\nCS1 0 ",
    "CS1  0 ",
  ])("%j is no answer", async (text) => {
    await window({ stdout: "" });
    await talk((response) => response.end(text));
    expect(await run({ shell })).toEqual(
      denied(/^guard broken: the editor cannot be reached\. .*agents uninstall claude\n$/),
    );
  });

  test("an answer that is cut off or refused is none", async () => {
    await window({ stdout: "" });
    await talk((response) => {
      response.write("CS1 0 {");
      setImmediate(() => response.destroy());
    });
    expect(await run({ shell })).toEqual(denied(/guard broken/));
    await talk((response) => response.writeHead(500).end("CS1 0 "));
    expect(await run({ shell })).toEqual(denied(/guard broken/));
  });

  test("set up wrongly, it denies", async () => {
    await window({ stdout: "" });
    for (const args of [
      [],
      ["claude"],
      ["", "pre"],
      ["claude", "Pre"],
      ["../x", "pre"],
      ["claude", "pre post"],
    ])
      expect(await run({ shell, args }), args.join(" ")).toEqual(denied(/set up without/));
  });

  test("what is no call never fails", async () => {
    const { broker } = await window({ stdout: "x", exitCode: 2, stderr: "y" });
    expect(await run({ shell, args: ["claude", "post"] })).toEqual({ code: 0, stdout: "", stderr: "" });
    await broker.close();
    expect(await run({ shell, args: ["claude", "post"] })).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await run({ shell, args: ["gemini", "stop"] })).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

/** The window's HTTP end is somebody who says what `say` says. */
async function talk(say: (response: import("node:http").ServerResponse) => void): Promise<void> {
  const folder = dirname(JSON.parse(readFileSync(locator(), "utf8")).socket);
  const http = join(folder, `t${open.length}`);
  const server = createServer((request, response) => {
    request.resume().on("end", () => say(response));
  });
  await new Promise<void>((resolve) => server.listen(http, resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  writeLocator(home, {
    ...JSON.parse(readFileSync(locator(), "utf8")),
    pid: process.pid,
    folders: [work],
    http,
  });
}

const locator = (): string => join(home, `.countersign/windows/${process.pid}.json`);
const shellLocator = (): string => join(home, `.countersign/windows/${process.pid}.window`);
/** What the stand-in for the command line prints: no window was found. */
const alone = { code: 0, stdout: "hook --agent claude --event pre --token", stderr: "" };

describe("which window", () => {
  test("holds the folder, directly, below, by its real path, or as the project of the agent", async () => {
    await window({ stdout: "here" });
    const inside = join(work, "a b/c");
    mkdirSync(inside, { recursive: true });
    const link = join(temp.path, `link ${count}`);
    symlinkSync(work, link);
    for (const cwd of [work, inside, link]) expect((await run({ cwd })).stdout).toBe("here");
    mkdirSync(`${work} beside`);
    for (const cwd of [`${work} beside`, home, "/"]) expect(await run({ cwd })).toEqual(alone);
    expect((await run({ cwd: "/", env: { CLAUDE_PROJECT_DIR: inside } })).stdout).toBe("here");
    const other = await run({ cwd: "/", args: ["codex", "pre"], env: { CLAUDE_PROJECT_DIR: inside } });
    expect(other.stdout).toBe("hook --agent codex --event pre --token");
  });

  test("is the one with the longest folder, and of equals the one that was there first", async () => {
    const { broker } = await window({ stdout: "outer" });
    const inside = join(work, "inner");
    mkdirSync(inside);
    const other = await startBroker({
      handle: async () => ({ stdout: "inner" }),
      log: quietLog,
      folder: temp.path,
    });
    open.push(() => other.close());
    writeLocator(home, { pid: process.ppid, folders: [inside], ...other });
    expect((await run({ cwd: inside })).stdout).toBe("inner");
    expect((await run()).stdout).toBe("outer");
    writeLocator(home, { pid: process.ppid, folders: [work], ...other });
    utimesSync(shellLocator(), 1, 1);
    expect((await run()).stdout).toBe("outer");
    utimesSync(shellLocator().replace(`${process.pid}`, `${process.ppid}`), 0.5, 0.5);
    expect((await run()).stdout).toBe("inner");
    await broker.close();
  });

  test("is never one that has ended, or that gave its number away", async () => {
    const { broker } = await window({ stdout: "here" });
    const text = readFileSync(shellLocator(), "utf8");
    writeFileSync(shellLocator(), text.replace(/^CSW1 \d+ \d+/, `CSW1 ${process.pid} 1`));
    expect(await run()).toEqual(alone);
    const gone = spawnSync("true").pid;
    writeFileSync(shellLocator(), text.replace(/^CSW1 \d+/, `CSW1 ${gone}`));
    expect(await run()).toEqual(alone);
    for (const damaged of [
      "",
      "CSW2 1 -\n",
      "CSW1\n",
      text.split("\n")[0] ?? "",
      text.replace("CSW1", "xCSW1"),
    ]) {
      writeFileSync(shellLocator(), damaged);
      expect(await run(), damaged).toEqual(alone);
    }
    writeFileSync(shellLocator(), text);
    expect((await run()).stdout).toBe("here");
    await broker.close();
    expect(await run()).toEqual(denied(/the window's socket is gone|not ours|cannot be reached/));
  });

  test("is asked only where its folder and ours are closed to others", async () => {
    const { broker } = await window({ stdout: "here" });
    const folder = dirname(broker.socket);
    chmodSync(folder, 0o755);
    expect(await run()).toEqual(denied(/socket is open to other users/));
    chmodSync(folder, 0o700);
    chmodSync(join(home, ".countersign"), 0o777);
    expect(await run()).toEqual(denied(/open to other users/));
    chmodSync(join(home, ".countersign"), 0o700);
    expect((await run()).stdout).toBe("here");
    renameSync(broker.http ?? "", `${broker.http}.away`);
    writeFileSync(broker.http ?? "", "");
    expect(await run()).toEqual(denied(/not ours/));
  });

  test("a linked locator is nobody's", async () => {
    await window({ stdout: "here" });
    const aside = join(temp.path, `aside ${count}`);
    renameSync(shellLocator(), aside);
    symlinkSync(aside, shellLocator());
    expect(await run()).toEqual(alone);
  });
});

describe("the window's end", () => {
  test("does not judge what it cannot read as a whole", async () => {
    const { requests } = await window({ stdout: "here" });
    const large = Buffer.alloc(8 * 1024 * 1024 + 1, "x");
    expect(await run({ input: large })).toEqual(denied(/^guard broken: the hook's input is over \d+ bytes/));
    expect(await run({ input: Buffer.from([123, 255, 125]) })).toEqual(denied(/no UTF-8/));
    expect(requests).toEqual([]);
    expect((await run({ input: large.subarray(1) })).stdout).toBe("here");
  });

  test("denies where judging fails", async () => {
    await window(() => Promise.reject(new Error("no memory")));
    expect(await run()).toEqual(denied(/^guard broken: no memory/));
  });

  test("knows no other address", async () => {
    const { broker, requests } = await window({ stdout: "here" });
    const codes = await Promise.all(
      ["/", "/v1", "/v1/claude", "/v1/claude/never", "/v2/claude/pre", "/v1/claude/pre/mcp-proxy"].map(
        (path) =>
          new Promise<string>((resolve) => {
            const child = spawn("curl", [
              "-s",
              "-o",
              "/dev/null",
              "-w",
              "%{http_code}",
              "-X",
              "POST",
              "--unix-socket",
              broker.http ?? "",
              `http://x${path}`,
            ]);
            let out = "";
            child.stdout.on("data", (chunk) => (out += chunk));
            child.on("close", () => resolve(out));
          }),
      ),
    );
    expect(codes).toEqual(["404", "404", "404", "404", "404", "404"]);
    expect(requests).toEqual([]);
  });
});

describe("while a call is held", () => {
  test("signs of life do not spoil the answer", async () => {
    const answer = deferred();
    const { requests } = await window(async () => {
      await answer.promise;
      return { stdout: "late" };
    });
    const running = run();
    await expect.poll(() => requests.length, { timeout: 10_000 }).toBe(1);
    setTimeout(answer.resolve, 5_000);
    expect(await running).toEqual({ code: 0, stdout: "late", stderr: "" });
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("the window notices a hook that ends by %s", async (signal) => {
    const gone = deferred();
    const held = deferred();
    const broker = await startBroker({
      handle: async (_request, ctx) => {
        ctx.signal.addEventListener("abort", gone.resolve);
        held.resolve();
        await gone.promise;
        return { stdout: "" };
      },
      log: quietLog,
      folder: temp.path,
    });
    open.push(() => broker.close());
    writeLocator(home, { pid: process.pid, folders: [work], ...broker });
    const { child } = start();
    await held.promise;
    child.kill(signal);
    // Its curl lives until the next sign of life.
    await gone.promise;
  });
});

describe("without a window, or without curl", () => {
  test("the installed command line answers, in the installed runtime", async () => {
    expect(await run()).toEqual(alone);
  });

  test("what it says counts only behind the token", async () => {
    const cli = join(realpathSync(temp.path), "dist/cli.js");
    for (const code of [
      "",
      "process.stdout.write('yes')",
      "process.stdout.write('CS1 0 '); process.exit(1)",
      "throw 1",
    ]) {
      writeFileSync(cli, code);
      expect(await run(), code).toEqual(denied(/the hook client did not answer/));
    }
  });

  test("an extension that is gone denies, and says how to take the hook out", async () => {
    rmSync(join(home, ".countersign/program"));
    expect(await run()).toEqual(
      denied(/the extension that answered for this hook is gone\. .*countersign agents uninstall claude/),
    );
  });

  test("variables that load other code do not reach it", async () => {
    const cli = join(realpathSync(temp.path), "dist/cli.js");
    const names = ["NODE_OPTIONS", "LD_PRELOAD", "COUNTERSIGN_SOCKET", "COUNTERSIGN_NONCE"];
    writeFileSync(
      cli,
      `process.stdout.write("CS1 0 " + ${JSON.stringify(names)}.filter((n) => n in process.env))`,
    );
    const env = Object.fromEntries(names.map((name) => [name, "/nowhere.so"]));
    expect((await run({ env })).stdout).toBe("");
    await window({ stdout: "here" });
    expect((await run({ env: { ...env, LD_LIBRARY_PATH: work, CURL_HOME: work } })).stdout).toBe("here");
  });

  test("another home does not change where it looks", async () => {
    const cli = join(realpathSync(temp.path), "dist/cli.js");
    writeFileSync(cli, 'process.stdout.write("CS1 0 " + require("node:os").homedir())');
    expect((await run({ env: { HOME: work } })).stdout).toBe(home);
    await window({ stdout: "here" });
    expect((await run({ env: { HOME: work } })).stdout).toBe("here");
  });
});

test("Cline, which runs the tool on exit 2, is told in its own words", async () => {
  rmSync(join(home, ".countersign/program"));
  const ran = await run({ args: ["cline", "pre"] });
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    cancel: true,
    errorMessage: expect.stringMatching(/^guard broken/),
  });
});
