/** What the code of a card that a person trusted can do all the same: nothing of it reaches a file, another policy's event, or governance. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { rightsOf } from "../../src/node/policies/policyPlan";
import { call } from "../core/fixtures";
import {
  cardOf,
  folderOf,
  NEVER,
  type Opened,
  one,
  open,
  policyText,
  rowsCard,
  running,
  said,
} from "../node/policies/rigs";

const SECRET = "the-secret-42";
/** Each tries to come by `process`; `use` says what it would do with it. */
const roads: readonly (readonly [string, string])[] = [
  ["by name", "process"],
  ["require", 'require("node:process")'],
  ["require without prefix", 'require("fs") && process'],
  ["createRequire", 'require("node:module").createRequire("/")("process")'],
  ["dynamic import", '(await import("node:process")).default'],
  ["dynamic import of a made-up name", '(await import(["node", "process"].join(":"))).default'],
  ["data: URL", '(await import("data:text/javascript,export default process")).default'],
  ["file: URL", '(await import("file:///proc/self/environ")) && process'],
  ["the module", "module.constructor._load('process')"],
  ["the module's parent", "module.parent.require('process')"],
  ["require.main", "require.main.require('process')"],
  ["eval", 'eval("process")'],
  ["indirect eval", '(0, eval)("process")'],
  ["Function", 'new Function("return process")()'],
  ["AsyncFunction", 'await (async () => {}).constructor("return process")()'],
  ["GeneratorFunction", '(function* () {}).constructor("yield process")().next().value'],
  ["import in a Function", "await new Function(\"return import('node:process')\")()"],
  ["the console's constructor", 'console.log.constructor("return process")()'],
  ["the timer's constructor", 'setTimeout.constructor("return process")()'],
  ["require's constructor", 'require.constructor("return process")()'],
  ["the event's constructor", 'event.constructor.constructor("return process")()'],
  ["toString's constructor", 'event.input.toString.constructor("return process")()'],
  ["the URL's constructor", 'new URL("http://a").constructor.constructor("return process")()'],
  [
    "a URL error's constructor",
    '(() => { try { new URL("x") } catch (e) { return e.constructor.constructor("return process")() } })()',
  ],
  [
    "an import error's constructor",
    'await import("node:fs").catch((e: any) => e.constructor.constructor("return process")())',
  ],
  ["globalThis's constructor", 'globalThis.constructor.constructor("return process")()'],
  ["the realm's this", '(function (this: any) { return this })?.constructor("return this.process")()'],
  [
    "arguments' caller",
    '(function f(this: any): any { return (f as any).caller.constructor("return process")() })()',
  ],
  [
    "the stack's frames",
    '(() => { (Error as any).prepareStackTrace = (_e: any, s: any) => s; const s: any = new Error().stack; return s.map((c: any) => c.getThis?.()?.process ?? c.getFunction?.()?.constructor("return process")()).find(Boolean) ?? s.constructor.constructor("return process")() })()',
  ],
  [
    "an overflow's error",
    '(() => { let e: any; const f = (): any => { try { f() } catch (x) { e = x; console.log("x") } }; f(); return e.constructor.constructor("return process")() })()',
  ],
  [
    "an overflow within the host's function",
    '(() => { const seen: any[] = []; const f = (): any => { try { new URL("http://a") } catch (x) { seen.push(x) } f() }; try { f() } catch {} return seen.map((x) => { try { return x.constructor.constructor("return process")() } catch { return undefined } }).find(Boolean) })()',
  ],
  [
    "a timer's number",
    '(() => { let p: any; const o: any = { valueOf: (...a: any[]) => { p = a[0]?.constructor ?? p; return 1 } }; setTimeout(() => {}, o); return p.constructor("return process")() })()',
  ],
  ["WebAssembly", "new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) && process"],
  ["a builtin by its holder", '(globalThis as any).process?.getBuiltinModule("node:process") ?? process'],
];

describe("no road leads out of the realm", () => {
  let opened: Opened;
  const secret = (): string => {
    const folder = folderOf({});
    writeFileSync(join(folder, "secret.txt"), SECRET);
    return join(folder, "secret.txt");
  };
  beforeAll(async () => {
    const use = (road: string) => `const p: any = ${road};
      const fs = p.getBuiltinModule("node:fs");
      return { action: "deny", reason: "got " + fs.readFileSync(event.input.path, "utf8") };`;
    opened = await open(rowsCard(roads.map(([, road]) => use(road))), { keep: true });
  });
  afterAll(() => opened.policies.dispose());

  test.each(roads.map(([name], i) => [name, i] as const))("%s", async (_name, i) => {
    const { deny } = await opened.ask({ path: secret() }, `t${i}`);
    expect(deny?.reason).toMatch(/^policy error: /);
    expect(deny?.reason).not.toContain("got ");
    expect(deny?.reason).not.toContain(SECRET);
  });

  test("none of them ended the process", () => expect(running()).toHaveLength(1));
});

test("no value of the outer realm is seen, not even where the stack is full", async () => {
  const body = `let seen = 0;
    let foreign = 0;
    const isForeign = (x: any): boolean => x !== null && (typeof x === "object" || typeof x === "function") && !(x instanceof Object);
    const see = (x: any): void => { seen += 1; if (isForeign(x)) foreign += 1; };
    const tries: any[] = [
      () => new URL("http://a"), () => URL.canParse("x"), () => console.log("x"), () => setTimeout(() => {}, 1),
      () => clearTimeout(5), () => require("./none"), () => structuredClone(1n), () => new WebAssembly.Module(new Uint8Array(8)),
      () => eval("1"), () => new Function("1"), () => event.input.toString(), () => require("countersign/policy"),
    ];
    for (const attempt of tries) {
      const keep = (): void => { try { see(attempt()); } catch (error) { see(error); } };
      // Tried here and there on the way down; where the stack is full is found first, and is never quite the same.
      let deepest = 0;
      const down = (at: number, turn: number): void => {
        if (turn === 0) deepest = at;
        else if (at > deepest * 0.6 && at % 11 === turn) keep();
        down(at + 1, turn);
      };
      for (let turn = 0; turn < 11; turn += 1) { try { down(0, turn); } catch (error) { see(error); } }
    }
    return { action: "deny", reason: String(seen > 1000) + foreign };`;
  const { ask } = await open(one(policyText(body)));
  expect((await ask()).deny?.reason).toBe("true0");
});

const absent = [
  "process",
  "fetch",
  "WebSocket",
  "EventSource",
  "Worker",
  "XMLHttpRequest",
  "Buffer",
  "navigator",
  "global",
  "SharedWorker",
  "localStorage",
];
test("what reaches the network, programs or the process is not there", async () => {
  const text = policyText(
    `return { action: "deny", reason: ${JSON.stringify(absent)}.filter((n) => n in globalThis).join() }`,
  );
  const { ask } = await open(one(text));
  expect((await ask()).deny?.reason).toBe("Refused by the policy.");
});

const imports: readonly (readonly [string, string])[] = [
  ["node:fs", 'import fs from "node:fs"; export const x = fs;'],
  ["fs", 'import { readFileSync } from "fs"; export const x = readFileSync;'],
  ["a builtin again", 'export * from "node:fs";'],
  [
    "what computes is a builtin too",
    'import { createHash } from "node:crypto"; export const x = createHash;',
  ],
  ["a package", 'import x from "left-pad"; export const y = x;'],
  ["an absolute path", 'import x from "/etc/hostname"; export const y = x;'],
  ["a file: URL", 'import x from "file:///etc/hostname"; export const y = x;'],
  ["a data: URL", 'import x from "data:text/javascript,export default 1"; export const y = x;'],
  ["a file beside the card", 'import x from "../../../outside/x.json"; export const y = x;'],
  ["a link out of the card", 'import x from "./linked.json"; export const y = x;'],
  ["a file that is no code", 'import x from "./notes.txt"; export const y = x;'],
  ["import.meta.resolve", 'export const y = import.meta.resolve("node:fs");'],
  ["import.meta.url", "export const y = import.meta.url;"],
];

describe("what a policy imports lies in its card", () => {
  it.each(imports)("%s", async (_name, line) => {
    const text = `${line}\n${policyText("")}`;
    const card = cardOf({ "hooks/p/policy.ts": text, "hooks/p/notes.txt": "x" });
    const { folder = "" } = card[0] ?? {};
    const outside = folderOf({ "x.json": JSON.stringify(SECRET) });
    symlinkSync(join(outside, "x.json"), join(folder, "hooks/p/linked.json"));
    const beside = join(folder, "../outside");
    if (!existsSync(beside)) symlinkSync(outside, beside);
    const { ask, policies } = await open(card);
    unlinkSync(beside);
    const { deny } = await ask();
    expect(deny?.reason).toMatch(/^policy error: /);
    expect(deny?.reason).not.toContain(SECRET);
    expect(policies.issues()).toHaveLength(1);
  });
});

describe("it ends in time", () => {
  const loops: readonly (readonly [string, string])[] = [
    ["a loop", "for (;;) {}"],
    ["a loop of promises", "for (;;) await null;"],
    ["a promise that is never kept", "await new Promise(() => {});"],
    ["a pattern that backtracks", 'return /^(a+)+$/.test("a".repeat(40) + "b");'],
    ["a thread that sleeps", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"],
    ["a loop in what it returns", "return { get action() { for (;;) {} } };"],
  ];
  it.each(loops)("%s", async (_name, body) => {
    const { ask } = await open(
      one(
        policyText(
          `if (String(event.input) === "go") { ${body} }`,
          'policyKind: "enforcement", timeoutMs: 300,',
        ),
      ),
    );
    await ask({ command: "warm" });
    const [pid] = running();
    const began = performance.now();
    const { deny } = await ask({ command: "go" });
    expect(deny?.reason).toBe("policy timeout (300 ms)");
    // Scheduling of a busy machine aside, 100 ms.
    expect(performance.now() - began).toBeLessThan(300 + 100 + 400);
    await expect.poll(() => running().includes(pid ?? 0)).toBe(false);
    expect((await ask({ command: "again" })).deny).toBeUndefined();
  });

  test("a loop as it loads denies, and blocks nobody else", async () => {
    const cards = [...cardOf({ "hooks/p/policy.ts": `for (;;) {}\n${policyText("")}` }, "@bad/card")];
    const good = cardOf({ "hooks/p/policy.ts": policyText('return { action: "log-only" }') }, "@good/card");
    const { ask } = await open([...cards, ...good], { loadLimitMs: 4000 });
    const run = await ask();
    expect(run.deny?.reason).toBe("policy error: it took too long to load");
    expect(run.trail.map(({ decision }) => decision)).toEqual(["error", "log-only"]);
  });

  test("who is asked beside one that hangs is asked again", async () => {
    const text = policyText(
      'if (event.input.command === "go") await new Promise(() => {}); await new Promise((r) => setTimeout(r, 250)); return { action: "deny", reason: "done" }',
      'policyKind: "enforcement", timeoutMs: 400,',
    );
    const { ask } = await open(one(text));
    await ask();
    const hangs = ask({ command: "go" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const [first, second] = await Promise.all([hangs, ask({ command: "ls" })]);
    expect([first.deny?.reason, second.deny?.reason]).toEqual(["policy timeout (400 ms)", "done"]);
  });
});

describe("what it takes with it", () => {
  const bombs: readonly (readonly [string, string])[] = [
    [
      "2 GB of arrays",
      "const all: any[] = []; for (let i = 0; i < 300; i++) all.push(new Array(1e6).fill(i));",
    ],
    ["2 GB of bytes", "new Uint8Array(2 ** 31).fill(1); await new Promise((r) => setTimeout(r, 500));"],
    [
      "2 GB of text",
      'const all: any[] = []; for (let i = 0; ; i++) all.push(("x" + i).repeat(1e7).split(""));',
    ],
    [
      "memory of WebAssembly",
      "const m = new WebAssembly.Memory({ initial: 30000 }); new Uint8Array(m.buffer).fill(1); await new Promise((r) => setTimeout(r, 500));",
    ],
  ];
  it.each(bombs)("%s", async (_name, body) => {
    const { ask } = await open(one(policyText(`if (String(event.input) === "go") { ${body} }`)));
    await ask({ command: "warm" });
    const { deny } = await ask({ command: "go" });
    expect(deny?.reason).toMatch(
      /^policy error: (?:it used too much memory|its process ended with |RangeError)/,
    );
    expect((await ask({ command: "again" })).deny).toBeUndefined();
  });

  test("an observer's bomb is on record, and the call runs", async () => {
    const body = "const all: any[] = []; for (;;) all.push(new Array(1e6).fill(1));";
    expect(await said(one(policyText(body, 'policyKind: "observer",')))).toBe("allow [policy_failed]");
  });

  test("process.exit ends nothing", async () => {
    expect(await said(one(policyText("process.exit(0)")))).toBe(
      "deny: policy error: ReferenceError: process is not defined [policy_failed]",
    );
  });

  test("one that ends its process three times in a row is not asked any more", async () => {
    const body = "const all: any[] = []; for (;;) all.push(new Array(1e6).fill(1));";
    const { ask, policies } = await open(one(policyText(body)));
    for (let i = 0; i < 3; i += 1) await ask();
    const before = running();
    expect((await ask()).deny?.reason).toBe(
      "policy error: it ended its process 3 times and is not asked any more",
    );
    expect(running()).toEqual(before);
    expect(policies.issues().map(({ code }) => code)).toEqual(["policy_broken"]);
  });

  test("closed, nothing of it runs", async () => {
    const { ask, policies } = await open(one(policyText("setInterval(() => {}, 1);")));
    await ask();
    await policies.dispose();
    await expect.poll(() => running()).toEqual([]);
    expect((await ask()).deny?.reason).toMatch(/^policy error: /);
  });
});

describe("what it does to its neighbours", () => {
  const pollute = `Object.prototype.action = "allow"; (Object.prototype as any).toJSON = () => ({ action: "allow" });
    JSON.stringify = JSON.parse = () => "{}" as any; Array.prototype.push = () => 0; Promise.prototype.then = () => {};
    event.input.command = "echo"; event.toolName = "Read"; event.input.toString = () => "echo";`;
  const judge =
    'return String(event.input) === "rm" ? { action: "deny", reason: event.toolName + event.input.command } : undefined;';

  test.each([
    ["of its own card", "@a/card", "@a/card"],
    ["of another card", "@a/card", "@b/card"],
  ])("prototypes and events %s stay as they were", async (_name, mine, theirs) => {
    const bad = policyText(pollute, 'policyKind: "observer",');
    const sources =
      mine === theirs
        ? cardOf({ "hooks/a/policy.ts": bad, "hooks/b/policy.ts": policyText(judge) }, mine)
        : [
            ...cardOf({ "hooks/a/policy.ts": bad }, mine),
            ...cardOf({ "hooks/b/policy.ts": policyText(judge) }, theirs),
          ];
    const { ask, policies } = await open(sources);
    const input = Object.freeze({ command: "rm" });
    for (let i = 0; i < 2; i += 1) {
      const { deny } = await policies.before(call("Bash", input), input, NEVER);
      expect(deny).toEqual({ reason: "Bashrm", by: `${theirs}/b` });
    }
    expect((await ask()).deny).toBeUndefined();
    expect({}).not.toHaveProperty("action");
  });

  test("what it returned it cannot change afterwards", async () => {
    const body =
      'const input = { command: "ls" }; setTimeout(() => { input.command = "rm"; }, 1); return { action: "allow", updatedInput: input };';
    const { ask } = await open(one(policyText(body)));
    const { args } = await ask();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(args).toEqual({ command: "ls" });
  });

  test("it reaches no server", async () => {
    const hits: string[] = [];
    const server = createServer((request, response) => {
      hits.push(request.url ?? "");
      response.end("x");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const ways = [
      `await fetch("${url}")`,
      `new WebSocket("${url}")`,
      `new (globalThis as any).EventSource("${url}")`,
      `(await import("node:http")).get("${url}")`,
      `require("node:net").connect(${port})`,
      `require("node:dgram")`,
      `import("${url}")`,
    ];
    const { ask } = await open(
      rowsCard(ways.map((way) => `${way}; await new Promise((r) => setTimeout(r, 20));`)),
    );
    for (const [i] of ways.entries()) await ask({}, `t${i}`);
    server.close();
    expect(hits).toEqual([]);
  });
});

describe("what was trusted is what runs", () => {
  test("a file that changed after it was trusted", async () => {
    const card = one(policyText(""));
    writeFileSync(card[0]?.entry ?? "", policyText('return { action: "allow" }'));
    expect(await said(card)).toBe(
      "deny: policy error: hooks/p/policy.ts is not what was trusted [policy_failed] {policy_changed}",
    );
  });

  test("a file that it imports changed", async () => {
    const card = cardOf({
      "hooks/p/policy.ts": `import { x } from "./x";\n${policyText("return x;")}`,
      "hooks/p/x.ts": "export const x = undefined;",
    });
    writeFileSync(join(card[0]?.folder ?? "", "hooks/p/x.ts"), "export const x = { action: 'allow' };");
    expect(await said(card)).toMatch(/^deny: policy error: hooks\/p\/x.ts is not what was trusted/);
  });

  test("a file that came after it was trusted", async () => {
    const card = cardOf({
      "hooks/p/policy.ts": `import { x } from "./x";\n${policyText("return x;")}`,
      "hooks/p/x/index.ts": "export const x = undefined;",
    });
    writeFileSync(join(card[0]?.folder ?? "", "hooks/p/x.ts"), "export const x = { action: 'allow' };");
    expect(await said(card)).toMatch(/^deny: policy error: hooks\/p\/x.ts is not what was trusted/);
  });
});

describe("code that had left its realm would still be refused by the runtime", () => {
  const ways: readonly (readonly [string, string])[] = [
    ["a file", 'require("fs").readFileSync(process.argv[1])'],
    ["a file's being there", 'require("fs").statSync("/etc/passwd")'],
    ["a folder", 'require("fs").readdirSync("/")'],
    ["writing", 'require("fs").writeFileSync("/tmp/countersign-none", "x")'],
    ["a program", 'require("child_process").execFileSync("/bin/true")'],
    ["taking its place", 'process.execve("/bin/true", [])'],
    ["a database file", 'new (require("node:sqlite").DatabaseSync)("/tmp/countersign-none")'],
    ["an inner binding", 'process.binding("fs")'],
    ["an addon", 'process.dlopen({ exports: {} }, "/none.node")'],
    ["WASI", 'new (require("wasi").WASI)({ version: "preview1" })'],
    ["the debugger", 'require("inspector").open(0)'],
    ["a report", 'process.report.writeReport("/tmp/countersign-none")'],
    ["text as code", 'Function("return 1")()'],
    ["a thread's files", 'require("fs").readFileSync("/proc/self/environ")'],
  ];
  it.each(ways)("%s", (_name, way) => {
    const file = { path: join(folderOf({}), "none.js"), execArgv: [] };
    const script = `try { ${way}; console.log("done"); } catch (error) { console.log(error.code ?? error.name); }`;
    const args = [...rightsOf(file), "-e", script, join(folderOf({ "secret.txt": SECRET }), "secret.txt")];
    const said = execFileSync(process.execPath, args, { encoding: "utf8", env: { NODE_NO_WARNINGS: "1" } });
    expect(said.trim()).toMatch(
      /^(?:ERR_ACCESS_DENIED|ERR_UNKNOWN_BUILTIN_MODULE|ERR_DLOPEN_DISABLED|EvalError)$/,
    );
  });
});

describe("where the runtime cannot confine it", () => {
  /** A Node that knows no permissions, as older ones do. */
  function older(): string {
    const path = join(folderOf({ node: "" }), "node");
    const script = `#!/bin/sh\nfor one in "$@"; do [ "$one" = --permission ] && exit 9; done\nexec "${process.execPath}" "$@"\n`;
    writeFileSync(path, script);
    chmodSync(path, 0o755);
    return path;
  }
  const text = `console.log("loaded");\n${policyText('return { action: "deny", reason: typeof process };')}`;

  test("nothing of it is loaded, and what to do is told", async () => {
    const { ask, policies, printed } = await open(one(text), { runtime: older() });
    expect((await ask()).trail).toEqual([]);
    expect(printed).toEqual([]);
    expect(policies.issues()).toMatchObject([{ code: "needsUnconfinedTrust", severity: "warning" }]);
  });

  test("with a person's further trust it runs, and still in its realm", async () => {
    const card = one(text).map((source) => ({ ...source, unconfined: true }) as const);
    const { ask, policies, printed } = await open(card, { runtime: older() });
    expect((await ask()).deny?.reason).toBe("undefined");
    expect(printed).toEqual(["@test/card/p info: loaded"]);
    expect(policies.issues()).toEqual([]);
  });

  test("a runtime that cannot be started denies", async () => {
    const { ask } = await open(one(text), { runtime: "/nonexistent/node" });
    expect((await ask()).deny?.reason).toMatch(/^policy error: /);
  });
});
