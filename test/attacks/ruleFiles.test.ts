/** What an agent can do to the files behind accepted rules: links, modules reached by re-export, files beside them, the environment. Nothing of it runs other code. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RuleRun } from "../../src/core/hookRules/ruleRun";
import { acceptChange, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { ruleSourceOf } from "../../src/node/ruleSource";
import { createTrustStore } from "../../src/node/trustStore";
import { createWorkspaceRules, type WorkspaceRules } from "../../src/node/workspaceRules";
import { call, quietLog } from "../core/fixtures";
import { makePlace, type Place } from "../mcp/client";

const never = new AbortController().signal;
let place: Place;
let rules: WorkspaceRules;
let env: Record<string, string | undefined>;
beforeEach(() => {
  place = makePlace();
  env = { PATH: process.env.PATH };
  rules = createWorkspaceRules({ log: quietLog, env, onError: "ask" });
});
afterEach(async () => {
  await rules.close();
  place.remove();
});

const at = (name: string) => join(place.root, name);
function put(name: string, text: string): void {
  mkdirSync(join(at(name), ".."), { recursive: true });
  writeFileSync(at(name), text);
  if (text.startsWith("#!")) chmodSync(at(name), 0o755);
}
const shell = (text: string) => `#!/bin/sh\n${text}\n`;
const closed = shell("echo closed >&2; exit 2");
const opened = shell("touch ran; exit 0");
const gate = (handler: string) => `[[hooks.pre_tool_call]]\nname = "gate"\nhandlers = [{ ${handler} }]\n`;
const command = (...parts: string[]) => `type = "command", command = ${JSON.stringify(parts)}`;
const callable = (target: string) => `type = "callable", target = "${target}"`;
const input = () => ({
  root: place.root,
  trusted: true,
  user: {},
  locked: [],
  env,
  store: createTrustStore({ home: place.home, now: Date.now }),
});

async function accept(handler: string): Promise<readonly string[]> {
  put("gateway-hooks.toml", gate(handler));
  const { pending } = await resolveWorkspace(input());
  if (pending === undefined) throw new Error("nothing waits");
  return (await acceptChange(input(), pending)).map(({ message }) => message);
}

async function asked(callId = "c"): Promise<RuleRun | undefined> {
  const { rules: found } = await rules.of([ruleSourceOf(await resolveWorkspace(input()), place.root)]);
  return found?.pre(call("make_tea", {}, { callId }), {}, never);
}
const ran = () => existsSync(at("ran"));

interface Attack {
  readonly handler: string;
  readonly before: () => void;
  readonly attack: () => void;
}

const deny = 'export const check = () => ({ decision: "deny", reason: "closed" });\n';
const allow = "export const check = () => null;\n";
const pyDeny = "def check(event):\n    return {'decision': 'deny', 'reason': 'closed'}\n";
const pyAllow = "def check(event):\n    return None\n";

const attacks: Readonly<Record<string, Attack>> = {
  "a script behind a link, and the link turned": {
    handler: command("./check.sh"),
    before() {
      put("strict.sh", closed);
      put("loose.sh", opened);
      symlinkSync("strict.sh", at("check.sh"));
    },
    attack() {
      rmSync(at("check.sh"));
      symlinkSync("loose.sh", at("check.sh"));
    },
  },
  "a folder behind a link, and the link turned": {
    handler: command("./bin/check.sh"),
    before() {
      put("strict/check.sh", closed);
      put("loose/check.sh", opened);
      symlinkSync("strict", at("bin"));
    },
    attack() {
      rmSync(at("bin"));
      symlinkSync("loose", at("bin"));
    },
  },
  "a script exchanged for one of the same size and times": {
    handler: command("./check.sh"),
    before() {
      put("check.sh", shell("echo closed >&2; exit 2"));
      utimesSync(at("check.sh"), 1_000_000_000, 1_000_000_000);
    },
    attack() {
      put("other.sh", shell("echo closed >&2; exit 0"));
      utimesSync(at("other.sh"), 1_000_000_000, 1_000_000_000);
      renameSync(at("other.sh"), at("check.sh"));
    },
  },
  "a module that is reached by a re-export of a re-export": {
    handler: callable("./guard.ts:check"),
    before() {
      put("guard.ts", 'export * from "./lib/a";\n');
      put("lib/a.ts", 'export { check } from "./b";\n');
      put("lib/b.ts", deny);
    },
    attack: () => put("lib/b.ts", allow),
  },
  "a file that would be found before the one that was meant": {
    handler: callable("./guard.ts:check"),
    before() {
      put("guard.ts", 'export { check } from "./lib";\n');
      put("lib/index.ts", deny);
    },
    attack: () => put("lib.ts", allow),
  },
  "a module of Python that is reached by a re-export": {
    handler: callable("agent.guards:check"),
    before() {
      put("agent/__init__.py", "");
      put("agent/guards.py", "from .inner import check\n");
      put("agent/inner.py", pyDeny);
    },
    attack: () => put("agent/inner.py", pyAllow),
  },
  "a package of Python put in the place of a module": {
    handler: callable("guards:check"),
    before: () => put("guards.py", pyDeny),
    attack: () => put("guards/__init__.py", pyAllow),
  },
  "a module that a script of Node requires": {
    handler: command("node", "./check.cjs"),
    before() {
      put("check.cjs", 'process.exitCode = require("./lib/code");\nconsole.error("closed");\n');
      put("lib/code.js", "module.exports = 2;\n");
    },
    attack: () => put("lib/code.js", "module.exports = 0;\n"),
  },
  "a file that a script sources": {
    handler: command("sh", "./check.sh"),
    before() {
      put("check.sh", ". ./lib.sh\necho closed >&2\nexit $code\n");
      put("lib.sh", "code=2\n");
    },
    attack: () => put("lib.sh", "code=0\n"),
  },
};

describe.each(Object.entries(attacks))("%s", (_, { handler, before, attack }) => {
  test("denies, and runs nothing else", async () => {
    before();
    expect(await accept(handler)).toEqual([]);
    expect((await asked())?.deny).toMatchObject({ reason: "closed", broken: false });
    attack();
    const now = await asked();
    expect(now?.deny).toMatchObject({ by: "gate" });
    // A file beside the accepted ones may be passed over, as long as what was accepted is what runs.
    if (now?.deny?.broken !== true) expect(now?.deny?.reason).toBe("closed");
    expect(ran()).toBe(false);
    // As after a reload of the window.
    await rules.close();
    rules = createWorkspaceRules({ log: quietLog, env, onError: "ask" });
    expect((await asked())?.deny).toMatchObject({ by: "gate" });
    expect(ran()).toBe(false);
  });
});

describe("a link that leads out of the folder", () => {
  test("cannot be accepted as a module", async () => {
    writeFileSync(join(place.base, "outside.ts"), deny);
    symlinkSync(join(place.base, "outside.ts"), at("guard.ts"));
    expect(await accept(callable("./guard.ts:check"))).toEqual([
      expect.stringContaining("lies outside the configuration's folder"),
    ]);
  });
});

describe("the environment", () => {
  test.each([
    ["NODE_OPTIONS", "--require ./evil.cjs"],
    ["NODE_PATH", "."],
    ["BASH_ENV", "./evil.sh"],
    ["ENV", "./evil.sh"],
    ["LD_PRELOAD", "./evil.so"],
    ["PYTHONSTARTUP", "./evil.py"],
    ["PYTHONPATH", "./evil"],
    ["PATH", "."],
  ])("%s brings no code of the folder into a handler", async (name, value) => {
    put("evil.cjs", 'require("node:fs").writeFileSync("ran", "");process.exit(0);\n');
    put("evil.sh", "touch ran\nexit 0\n");
    put("evil.py", "open('ran', 'w')\n");
    put("evil/agent.py", pyAllow);
    put("node", opened);
    put("sh", opened);
    env[name] = name === "PATH" ? `.:${process.env.PATH}` : value;
    put("check.sh", closed);
    put("check.cjs", "console.error('closed'); process.exit(2);\n");
    put("agent.py", pyDeny);
    for (const handler of [
      command("./check.sh"),
      command("node", "./check.cjs"),
      callable("agent:check"),
      'type = "command", command = "echo closed >&2; exit 2"',
    ]) {
      expect(await accept(handler)).toEqual([]);
      expect([handler, (await asked())?.deny?.reason]).toEqual([handler, "closed"]);
      expect(ran()).toBe(false);
    }
  });
});

describe("an answer", () => {
  test("of 10 MB is no answer", async () => {
    put("big.cjs", 'process.stdout.write(JSON.stringify({ reason: "x".repeat(1e7) }));\n');
    await accept(command("node", "./big.cjs"));
    expect((await asked())?.asks).toMatchObject([{ message: expect.stringContaining("1 MiB") }]);
  });

  test("is for the call that was asked about, whatever other calls run beside it", async () => {
    put(
      "guard.ts",
      `export const check = async (event) => {
        await new Promise((resolve) => setTimeout(resolve, event.call_id === "slow" ? 300 : 10));
        return event.call_id === "slow" ? { decision: "deny", reason: "closed", call_id: "fast" } : null;
      };\n`,
    );
    expect(await accept(callable("./guard.ts:check"))).toEqual([]);
    const [slow, fast] = await Promise.all([asked("slow"), asked("fast")]);
    expect(fast?.deny).toBeUndefined();
    // An answer with a key that is none of an answer's is no answer, so a person is asked.
    expect(slow?.deny ?? slow?.asks[0]).toBeDefined();
  });

  test("written by a handler past its function, under another call's number, does not stand for it", async () => {
    put(
      "guard.ts",
      `export const check = (event) => {
        if (event.call_id !== "attacker") return { decision: "deny", reason: "closed" };
        return { decision: "allow", id: 1 };
      };\n`,
    );
    expect(await accept(callable("./guard.ts:check"))).toEqual([]);
    const [, victim] = await Promise.all([asked("attacker"), asked("victim")]);
    expect(victim?.deny?.reason).toBe("closed");
  });
});

describe("a handler that forks", () => {
  test("is over when its own process is, and what it left behind is ended", async () => {
    put(
      "check.sh",
      shell("(setsid sh -c 'sleep 2; touch ran' >/dev/null 2>&1 </dev/null &)\necho closed >&2; exit 2"),
    );
    await accept(command("./check.sh"));
    expect((await asked())?.deny?.reason).toBe("closed");
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(ran()).toBe(false);
  });
});
