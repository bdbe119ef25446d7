import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  answerOf,
  built,
  event,
  type Files,
  handlerOf,
  handlersOf,
  idle,
  problemsOf,
  put,
  sceneOf,
  short,
  until,
} from "./scene";

const callable = (target: string, more = "") => `type = "callable", target = "${target}"${more}`;
/** A TypeScript module whose `fn` has this body. */
const guard = (body: string): Files => ({
  "guard.ts": `export function fn(event: any): any {\n${body}\n}\n`,
});
const python = (body: string): Files => ({ "guard.py": `def fn(event):\n${body.replace(/^/gm, "    ")}\n` });

const LATE = "failed: it did not answer in time and was ended";
/** Only what is late on purpose has little time: the machine may be busy. */
const limitFor = (wanted: string | RegExp) => `, timeout = ${wanted === LATE ? 1 : 60}`;

const answers: readonly (readonly [string, string, string | RegExp])[] = [
  ["nothing allows", "", "allow"],
  ["null allows", "return null", "allow"],
  ["a result", 'return { decision: "deny", reason: event.tool_input.query }', "deny: Grüße ✓"],
  ["a promise of a result", 'return Promise.resolve({ decision: "deny", reason: "no" })', "deny: no"],
  ["a rewrite", "return { updated_input: { a: 1 } }", 'allow {"a":1}'],
  ["undefined is left out", "return { updated_input: undefined }", "allow"],
  ["an Error", 'throw new TypeError("bad")', "failed: TypeError: bad"],
  ["a rejection", 'return Promise.reject(new Error("bad"))', "failed: Error: bad"],
  ["a thrown text", 'throw "bad"', "failed: it threw bad"],
  ["a thrown null", "throw null", "failed: it threw null"],
  ["a thrown symbol", 'throw Symbol("bad")', "failed: it threw Symbol(bad)"],
  [
    "something that cannot be shown",
    "throw { toString() { throw 1 } }",
    "failed: it threw something that cannot be shown",
  ],
  ["a text is no result", 'return "allow"', /^failed: the answer must be an object/],
  ["true is no result", "return true", /^failed: the answer must be an object/],
  ["a list is no result", "return [1]", /^failed: the answer must be an object/],
  ["a function is no result", "return () => 1", /^failed: .*function/],
  [
    "a function where the decision belongs",
    'return { decision: () => "deny" }',
    /^failed: .*decision is a function/,
  ],
  ["a function deeper", "return { updated_input: { a: () => 1 } }", /^failed: .*a is a function/],
  [
    "a decision that is inherited",
    'return Object.create({ decision: "deny" })',
    /^failed: .*decision is no property of its own/,
  ],
  [
    "a class with a decision of its own",
    'return new (class { decision = "deny"; reason = "no" })()',
    "deny: no",
  ],
  [
    "a class with a getter",
    'return new (class { get decision() { return "deny"; } })()',
    /^failed: .*decision is no property of its own/,
  ],
  ["a getter", 'return { get decision() { return "deny" }, reason: "no" }', "deny: no"],
  ["a map", 'return new Map([["decision", "deny"]])', /^failed: .*no plain object/],
  ["the mark for what stays", 'return { updated_result: Symbol.for("countersign.unset") }', "allow"],
  ["a wrong type", "return { decision: 1 }", /^failed: decision must be/],
  ["a misspelt key", 'return { decison: "deny" }', /^failed: the answer has an unknown key/],
  ["what JSON does not hold", "return { updated_input: { n: 1n } }", /^failed: TypeError: .*BigInt/],
  ["a ring", "const a: any = {}; a.a = a; return a", /^failed: TypeError: .*circular/],
  [
    "10 MB",
    'return { additional_context: "x".repeat(1e7) }',
    "failed: Error: the answer is larger than 1 MiB",
  ],
  ["the end of its process", "process.exit(0)", /^failed: its process ended/],
  ["a crash of its process", "process.abort()", /^failed: its process ended/],
  [
    "a crash later",
    "return new Promise(() => setTimeout(() => { throw 1 }, 5))",
    /^failed: its process ended/,
  ],
  ["a loop", "for (;;);", LATE],
  ["a loop of promises", "const f = (): any => Promise.resolve().then(f); return f()", LATE],
  ["a promise never kept", "return new Promise(() => {})", LATE],
  ["a flood of output", 'for (let i = 0; i < 5000; i++) console.log("x".repeat(1000)); return null', "allow"],
  [
    "writing on its own pipes",
    'for (let n = 0; n < 9; n++) console.log(JSON.stringify({ id: n, ok: true })); return { decision: "deny", reason: "no" }',
    "deny: no",
  ],
  [
    "files are not to be had",
    'return process.getBuiltinModule("node:fs").readdirSync("/")',
    /^failed: .*restricted/,
  ],
  [
    "programs are not to be had",
    'return process.getBuiltinModule("node:child_process").execSync("id")',
    /^failed: .*restricted/,
  ],
  [
    "databases, which are files, are not to be had",
    'const { DatabaseSync } = process.getBuiltinModule("node:sqlite"); return new DatabaseSync("/tmp/countersign-none").open()',
    /^failed: TypeError/,
  ],
];

describe("what a function's answer means", () => {
  it.each(answers)("%s", { timeout: 90_000 }, async (_, body, wanted) => {
    const answer = short(await answerOf(sceneOf([callable("./guard.ts:fn", limitFor(wanted))], guard(body))));
    if (typeof wanted === "string") expect(answer).toBe(wanted);
    else expect(answer).toMatch(wanted);
  });

  it.each([
    ["on the heap", "const all: any[] = []; for (;;) all.push(new Array(1000).fill(1))"],
    ["beside the heap", "const all: any[] = []; for (;;) all.push(Buffer.alloc(1e7, 1))"],
    [
      "beside the heap, in turns",
      "const all: any[] = []; return new Promise(() => setInterval(() => all.push(Buffer.alloc(5e7, 1)), 1))",
    ],
  ])(
    "a function that uses all memory %s has failed, and the next call is answered",
    { timeout: 90_000 },
    async (_, bomb) => {
      const scene = sceneOf(
        [callable("./guard.ts:fn", ", timeout = 60")],
        guard(`if (event.run_id === "bomb") { ${bomb} } return null`),
      );
      const handler = await handlerOf(scene);
      expect(short(await handler.run({ ...event, run_id: "bomb" }, idle))).toMatch(
        /^failed: (it used too much memory|its process ended)/,
      );
      expect(short(await handler.run(event, idle))).toBe("allow");
    },
  );

  it("cannot change the event", async () => {
    const told = structuredClone(event);
    const body = "event.tool_input.query = 1; event.tool_name = 2; return null";
    await answerOf(sceneOf([callable("./guard.ts:fn")], guard(body)), told);
    expect(told).toEqual(event);
  });

  it("is answered after each fault, each call by itself", async () => {
    const body =
      'if (event.run_id === "exit") process.exit(1); if (event.run_id === "loop") for (;;); return { decision: "deny", reason: event.run_id }';
    const handler = await handlerOf(sceneOf([callable("./guard.ts:fn", ", timeout = 4")], guard(body)));
    for (const id of ["a", "exit", "b", "loop", "c"]) {
      const answer = short(await handler.run({ ...event, run_id: id }, idle));
      expect(answer).toMatch(id.length > 1 ? /^failed/ : `deny: ${id}`);
    }
  });

  it("answers many calls at a time, each its own", async () => {
    const body =
      'return new Promise((r) => setTimeout(() => r({ decision: "deny", reason: event.run_id }), Math.random() * 50))';
    const handler = await handlerOf(sceneOf([callable("./guard.ts:fn")], guard(body)));
    const ids = Array.from({ length: 50 }, (_, n) => `run_${n}`);
    const all = await Promise.all(ids.map((id) => handler.run({ ...event, run_id: id }, idle)));
    expect(all.map(short)).toEqual(ids.map((id) => `deny: ${id}`));
  });

  it("one that hangs costs another in flight nothing", async () => {
    const body =
      'return event.run_id === "hang" ? new Promise(() => {}) : new Promise((r) => setTimeout(() => r(null), 900))';
    const scene = sceneOf(
      [callable("./guard.ts:fn", ", timeout = 0.5"), callable("./guard.ts:fn", ", timeout = 5")],
      guard(body),
    );
    const [quick, patient] = await handlersOf(scene);
    const both = await Promise.all([
      quick?.run({ ...event, run_id: "hang" }, idle),
      patient?.run(event, idle),
    ]);
    expect(both.map((one) => one && short(one))).toEqual([LATE, "allow"]);
  });

  it("keeps what its module remembers, for all functions of the file", async () => {
    const files = {
      "guard.ts":
        "let n = 0; export const one = () => { n++ }; export const two = () => ({ decision: 'deny', reason: String(n) })",
    };
    const [one, two] = await handlersOf(
      sceneOf([callable("./guard.ts:one"), callable("./guard.ts:two")], files),
    );
    await one?.run(event, idle);
    await one?.run(event, idle);
    expect(two && short(await two.run(event, idle))).toBe("deny: 2");
  });

  it("what it prints goes to the log", async () => {
    const scene = sceneOf(
      [callable("./guard.ts:fn")],
      guard('console.log("seen", event.tool_name); console.error("oops")'),
    );
    await answerOf(scene);
    expect(await until(() => scene.logged.length > 1)).toBe(true);
    expect([...scene.logged].sort()).toEqual(["./guard.ts: oops", "./guard.ts: seen websearch"]);
  });

  it("its process ends with close()", async () => {
    const scene = sceneOf(
      [callable("./guard.ts:fn")],
      guard("return { decision: 'deny', reason: String(process.pid) }"),
    );
    const { rules, close } = await built(scene);
    const handler = rules[0]?.handlers[0];
    const pid = handler && short(await handler.run(event, idle)).slice("deny: ".length);
    expect(readdirSync("/proc")).toContain(pid);
    await close();
    const gone = () =>
      !readdirSync("/proc").includes(pid ?? "") || / Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
    expect(await until(gone)).toBe(true);
  });
});

describe("what a file may import", () => {
  const files: Files = {
    "guards/main.ts":
      'import { words } from "../lists/words";\nimport data from "./data.json";\nimport { join } from "node:path";\nimport type { X } from "nowhere";\nimport { UNSET } from "countersign";\nimport { old } from "./old.cjs";\nenum Kind { A = 1 }\nexport const fn = (e: { tool_input: X }) => ({ decision: "deny", updated_result: UNSET, reason: [...words, data.a, join("a", "b"), Kind.A, old].join() });\nexport default { fn2: () => null };',
    "lists/words.ts": 'export * from "./more.js";',
    "lists/more.ts": 'export const words: string[] = ["w"];',
    "guards/data.json": '{ "a": "d" }',
    "guards/old.cjs": 'exports.old = "o";',
  };

  it("is the files of its folder, and modules that compute", async () => {
    expect(short(await answerOf(sceneOf([callable("./guards/main.ts:fn")], files)))).toBe(
      "deny: w,d,a/b,1,o",
    );
    expect(short(await answerOf(sceneOf([callable("./guards/main.ts:fn2")], files)))).toBe("allow");
  });

  const one = (text: string): Files => ({ "guard.ts": text });
  it.each([
    ["a file that is not there", {}, "there is no file ./guard.ts"],
    [
      "a function that is not there",
      one("export const other = () => 1"),
      "there is no function fn in ./guard.ts: it exports other",
    ],
    [
      "a function that another module has",
      { "guard.ts": 'export { why as other } from "./why"', "why.ts": "export const why = () => null" },
      "there is no function fn in ./guard.ts: it exports other",
    ],
    ["no function at all", one("const fn = 1"), "it exports no function"],
    ["something that is no function", one("export const fn = 1"), "there is no function fn"],
    ["what every object has", one("export const x = 1"), "there is no function fn"],
    ["a syntax error", one("export const fn = ("), "guard.ts:1:20: Unexpected token"],
    [
      "an import that is not there",
      one('import { x } from "./nowhere"; export const fn = () => x'),
      'guard.ts imports "./nowhere", which is not there',
    ],
    [
      "files",
      one('import fs from "node:fs"; export const fn = () => fs'),
      'imports "node:fs", and a callable may import only',
    ],
    [
      "programs",
      one('import { exec } from "child_process"; export const fn = () => exec'),
      'imports "child_process", and',
    ],
    ["a package", one('import x from "zod"; export const fn = () => x'), 'imports "zod", and'],
    [
      "a path of the machine",
      one('import x from "/etc/passwd"; export const fn = () => x'),
      'imports "/etc/passwd", and',
    ],
    ["a module that throws", one('throw new Error("no"); export const fn = 1'), "Error: no"],
    ["a module that never ends", one("for (;;); export const fn = 1"), "it took too long to load"],
    [
      "a module that ends the process",
      one("process.exit(3); export const fn = 1"),
      "its process ended with status 3",
    ],
    ["await at the top", one("await 1; export const fn = () => 1"), "await is only valid"],
    [
      "a file outside",
      one('import x from "../../etc/hostname"; export const fn = () => x'),
      "lies outside the configuration's folder",
    ],
  ] as const)("is refused when loaded: %s", { timeout: 40_000 }, async (_, given, message) => {
    const problems = await problemsOf(sceneOf([callable("./guard.ts:fn")], given as Files));
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toMatchObject({ line: 4, column: 33, endColumn: 48 });
  });
});

describe("Python", () => {
  const rows: readonly (readonly [string, string, string | RegExp])[] = [
    ["nothing allows", "pass", "allow"],
    ["None allows", "return None", "allow"],
    ["a dict", "return {'decision': 'deny', 'reason': event['tool_input']['query']}", "deny: Grüße ✓"],
    [
      "names of the event",
      "return {'decision': 'deny', 'reason': str([event.tool_name, event.error])}",
      "deny: ['websearch', None]",
    ],
    [
      "a HookResult",
      "from countersign import HookResult, UNSET\nreturn HookResult(updated_input={'a': 1}, updated_result=UNSET)",
      'allow {"a":1}',
    ],
    ["null is not left out", "return {'decision': 'rewrite', 'updated_error': None}", "rewrite"],
    ["an exception", "raise ValueError('bad')", "failed: ValueError: bad"],
    ["exit", "import sys; sys.exit(0)", /^failed: SystemExit/],
    ["the end of its process", "import os; os._exit(0)", /^failed: its process ended/],
    ["a loop", "while True: pass", LATE],
    [
      "print does not mix with answers",
      "for n in range(9): print('{\"id\": %d, \"ok\": true}' % n, flush=True)\nreturn {'decision': 'deny', 'reason': 'no'}",
      "deny: no",
    ],
    [
      "nor does a program it starts",
      "import subprocess; subprocess.run(['echo', 'x']); return None",
      "allow",
    ],
    [
      "its input is empty",
      "import sys; return {'decision': 'deny', 'reason': repr(sys.stdin.read())}",
      "deny: ''",
    ],
    ["a text is no result", "return 'allow'", /^failed: the answer must be an object/],
    ["an object is no result", "return object()", /^failed: TypeError: the answer is a object/],
    ["what JSON does not hold", "return {'updated_result': b'x'}", /^failed: TypeError/],
    ["no number", "return {'updated_result': float('nan')}", /^failed: ValueError/],
    [
      "10 MB",
      "return {'additional_context': 'x' * 10**7}",
      "failed: ValueError: the answer is larger than 1 MiB",
    ],
    [
      "a memory bomb",
      "x = []\nwhile True: x.append('a' * 10**7)",
      /^failed: (it used too much memory|its process ended|MemoryError)/,
    ],
  ];
  it.each(rows)("%s", { timeout: 90_000 }, async (_, body, wanted) => {
    const scene = sceneOf([callable("guard:fn", `${limitFor(wanted)}, reaches = []`)], python(body));
    const handler = await handlerOf(scene);
    const answer = short(await handler.run(event, idle));
    if (typeof wanted === "string") expect(answer).toBe(wanted);
    else expect(answer).toMatch(wanted);
  });

  it("awaits coroutines, imports its folder's packages, and keeps what it remembers", async () => {
    const files = {
      "agent/__init__.py": "",
      "agent/guards.py":
        "from .lists import words\nfrom agent.deep import more\nn = 0\nasync def fn(event):\n    global n\n    n += 1\n    return {'decision': 'deny', 'reason': words + more.x + str(n)}\n",
      "agent/lists.py": "words = 'w'",
      "agent/deep/more.py": "x = 'm'",
    };
    const scene = sceneOf([callable("agent.guards:fn")], files);
    const { rules, reach } = await built(scene);
    const handler = rules[0]?.handlers[0];
    if (handler === undefined) throw new Error("no handler");
    expect(short(await handler.run(event, idle))).toBe("deny: wm1");
    expect(short(await handler.run(event, idle))).toBe("deny: wm2");
    expect([...reach.files.keys()].map((file) => file.slice(scene.folder.length + 1)).sort()).toEqual(
      Object.keys(files).sort(),
    );
  });

  it.each([
    ["a module that is not there", {}, "there is no module guard of Python below"],
    [
      "a function that is not there",
      { "guard.py": "x = 1" },
      "there is no function fn in guard: it exports x",
    ],
    ["something that is no function", { "guard.py": "fn = 1" }, "TypeError: fn in guard is not callable"],
    [
      "a module that raises",
      { "guard.py": "raise ValueError('bad')\ndef fn(event): pass" },
      "ValueError: bad",
    ],
    [
      "an import that is not there",
      { "guard.py": "import nowhere_at_all\ndef fn(event): pass" },
      "No module named 'nowhere_at_all'",
    ],
    ["a syntax error", { "guard.py": "def fn(:" }, "guard.py:1: "],
  ] as const)("is refused when loaded: %s", async (_, given, message) => {
    const problems = await problemsOf(sceneOf([callable("guard:fn")], given as Files));
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toMatchObject({ line: 4, column: 33 });
  });

  it("runs the source, not what was compiled from another", async () => {
    const scene = sceneOf([callable("guard:fn")], {
      "guard.py": "import why\ndef fn(event): return {'decision': 'deny', 'reason': why.why}\n",
      "why.py": "why = 'source'",
      "evil.py": "why = 'compiled'",
    });
    const compile =
      "import importlib.util as u, py_compile as p; p.compile('evil.py', cfile=u.cache_from_source('why.py'), invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)";
    execFileSync("python3", ["-c", compile], { cwd: scene.folder });
    expect(
      execFileSync("python3", ["-c", "import why; print(why.why)"], { cwd: scene.folder }).toString().trim(),
    ).toBe("compiled");
    expect(short(await answerOf(scene))).toBe("deny: source");
  });

  it("takes a module that appears beside it for none of its own", async () => {
    const scene = sceneOf([callable("guard:fn")], {
      "guard.py": "def fn(event):\n    import colorsys\n    return None\n",
    });
    const handler = await handlerOf(scene);
    put(scene.folder, "colorsys.py", "");
    expect(short(await handler.run(event, idle))).toMatch(/^broken: ImportError/);
  });

  it("is refused when loaded: no Python", async () => {
    const scene = sceneOf([callable("guard:fn")], python("pass"), { env: { PATH: "/nowhere" } });
    expect((await problemsOf(scene)).map(({ message }) => message)).toEqual(["no python3 was found on PATH"]);
  });
});
