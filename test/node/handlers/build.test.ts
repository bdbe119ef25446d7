import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/core/rules/parse";
import { withHandlerProblems } from "../../../src/node/handlers/brokenFile";
import { buildHandlers, reachOfHandlers } from "../../../src/node/handlers/build";
import { quietLog } from "../../core/fixtures";
import {
  answerOf,
  built,
  event,
  type Files,
  folderOf,
  handlerOf,
  idle,
  problemsOf,
  put,
  sceneOf,
  short,
} from "./scene";

const cmd = (command: string | readonly string[], more = "") =>
  `type = "command", command = ${JSON.stringify(command)}${more}`;

/** The schema's complaints and the builder's, as lines. */
const allOf = async (text: string, files: Files = {}): Promise<readonly string[]> => {
  const folder = folderOf(files);
  const config = { text, file: "f.toml", format: "toml" } as const;
  const parsed = parseConfig(config);
  if (parsed.ok) throw new Error("it has no mistake of its own");
  const where = { folder, env: process.env, log: quietLog };
  const all = await withHandlerProblems(parsed.problems, config, where);
  return all.map(({ line, message }) => `${line} ${message.replaceAll(folder, "<folder>")}`);
};

describe("a mistake in the file hides nothing that is wrong with its handlers", () => {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the file's own notation.
  it.each<[string, string, readonly string[]]>([
    [
      "in the same handler, in its neighbour and in another rule",
      `[[hooks.pre_tool_call]]
handlers = [
  { type = "command", command = ["node", "gone.mjs"], async = "yes" },
  { type = "http", url = "https://x.example", headers = { A = "\${NO_SUCH_NAME}" }, timeout = "1s" },
  { type = "command", command = "true", env = { T = "\${NO_SUCH_NAME}", "A-B" = "x" } },
]
[[hooks.run_end]]
handlers = [{ type = "callable", target = "./gone.ts:fn" }]`,
      [
        "3 there is no file <folder>/gone.mjs",
        '3 `hooks.pre_tool_call[0].handlers[0].async` must be true or false, not the text "yes"',
        "4 the environment has no variable NO_SUCH_NAME",
        '4 `hooks.pre_tool_call[0].handlers[1].timeout` must be a number, not the text "1s"',
        "5 the environment has no variable NO_SUCH_NAME",
        "5 `hooks.pre_tool_call[0].handlers[2].env.A-B`: this name must be the name of a variable",
        "8 there is no file ./gone.ts",
      ],
    ],
    [
      "but nothing is said of a handler whose place is what is wrong",
      `[[hooks.pre_tool_call]]
handlers = [
  { type = "command", command = ["./here.sh"], cwd = 5 },
  { type = "command", command = ["./here.sh"], cwdd = "sub" },
  { type = "command", command = 7 },
  { type = "command", command = ["here"], env = { PATH = 5 } },
  { type = "command", command = "make", reaches = "Makefile" },
]`,
      [
        "3 `hooks.pre_tool_call[0].handlers[0].cwd` must be text, not 5",
        "4 unknown key `cwdd` in a command handler",
        "5 `hooks.pre_tool_call[0].handlers[2].command` must be text or a list, not 7",
        "6 `hooks.pre_tool_call[0].handlers[3].env.PATH` must be text, not 5",
        '7 `hooks.pre_tool_call[0].handlers[4].reaches` must be a list, not the text "Makefile"',
      ],
    ],
    ["nor of a text that is no TOML", "[[hooks", ["1 "]],
  ])("%s", async (_, text, expected) => {
    const said = await allOf(text);
    expect(said).toHaveLength(expected.length);
    for (const [index, line] of expected.entries()) expect(said[index]).toContain(line);
  });
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the file's own notation.
});

describe("what cannot be built is told when it is loaded, at its place", () => {
  const start = "command = ".length + 'type = "command", '.length + "  { ".length;
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the file's own notation.
  it.each([
    [
      "a program that is nowhere",
      cmd(["no-such-program", "x"]),
      "there is no program no-such-program on PATH",
      '"no-such-program"',
    ],
    [
      "a whole line in a list",
      cmd(["python3 check.py"]),
      "there is no program python3 check.py on PATH",
      '"python3 check.py"',
    ],
    ["a script that is not there", cmd(["./check.sh"]), "there is no file", '"./check.sh"'],
    ["a script that may not be run", cmd(["./plain.txt"]), "may not be run", '"./plain.txt"'],
    [
      "an interpreter's script that is not there",
      cmd(["python3", "-u", "check.py"]),
      "there is no file",
      '"check.py"',
    ],
    ["the same behind env", cmd(["env", "A=1", "python3", "check.py"]), "there is no file", '"check.py"'],
    [
      "a text's script that is not there",
      cmd("python3 check.py --strict"),
      "there is no file",
      '"python3 check.py --strict"',
    ],
    ["a text's program that is not there", cmd("./check.sh"), "there is no file", '"./check.sh"'],
    ["a folder that is not there", cmd("true", ', cwd = "nowhere"'), "there is no folder", '"nowhere"'],
    [
      "a variable that is not there",
      cmd("true", ', env = { A = "${NO_SUCH_NAME}" }'),
      "the environment has no variable NO_SUCH_NAME",
      '"${NO_SUCH_NAME}"',
    ],
    [
      "our own variable",
      cmd("true", ', env = { COUNTERSIGN_SOCKET = "x" }'),
      "COUNTERSIGN_SOCKET is Countersign's own",
      '"x"',
    ],
    ["a pipe in a script's place", cmd(["sh", "pipe"]), "is not a regular file", '["sh","pipe"]'],
  ])("%s", async (_, handler, message, at) => {
    const scene = sceneOf([handler], { "plain.txt": "x" });
    if (at.includes("pipe"))
      (await import("node:child_process")).execFileSync("mkfifo", [join(scene.folder, "pipe")]);
    const [problem, ...rest] = await problemsOf(scene);
    expect(rest).toEqual([]);
    expect(problem?.message).toContain(message);
    const line = scene.source.config.text.split("\n")[(problem?.line ?? 0) - 1] ?? "";
    expect(line.slice((problem?.column ?? 0) - 1, (problem?.endColumn ?? 0) - 1)).toBe(at);
    expect(start).toBeGreaterThan(0);
  });
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the file's own notation.

  it("every one of several, and nothing is left running", async () => {
    const scene = sceneOf([
      cmd(["./a.sh"]),
      cmd("true"),
      cmd(["./b.sh"]),
      'type = "callable", target = "./c.ts:fn"',
    ]);
    expect((await problemsOf(scene)).map(({ line }) => line)).toEqual([4, 6, 7]);
  });

  it.each([
    ["what a text may make itself", "echo x >y.sh; sh y.sh"],
    ["what a text asks for", "[ -x ./maybe.sh ] && ./maybe.sh; true"],
    ["another folder", "cd sub && sh inner.sh"],
    ["a builtin", "true"],
  ])("but not %s", async (_, text) => {
    expect(await problemsOf(sceneOf([cmd(text)], { "sub/inner.sh": "true" }))).toEqual([]);
  });
});

const reached = async (handler: string, files: Files): Promise<readonly string[]> => {
  const scene = sceneOf([handler], files);
  const reach = await reachOfHandlers(scene.source);
  if (!reach.ok) throw new Error(JSON.stringify(reach.problems));
  return [...reach.value.files].map(
    ([path, digest]) => path.slice(scene.folder.length + 1) + (digest === "absent" ? " absent" : ""),
  );
};

describe("the local files that a handler reaches", () => {
  const files: Files = {
    "check.sh": "#!/bin/sh\n. ./lib.sh\npython3 tools/p.py\nnode tools/n.mjs\n",
    "lib.sh": "x=1\n./other.sh\n",
    "other.sh": "#!/bin/sh\ntrue\n",
    "tools/p.py": "import q, json\nfrom sub.r import x\n",
    "tools/q.py": "",
    "tools/sub/__init__.py": "",
    "tools/sub/r.py": "x = 1",
    "tools/n.mjs": 'import "./m.mjs"; import "node:fs"; await import("./late.mjs"); export const fn = 1;',
    "tools/m.mjs": "export {}",
    "tools/late.mjs": "export {}",
    "tool.sh": "#!/usr/bin/env python3\nimport beside\n",
    "beside.py": "",
    Makefile: "all:\n\ttrue\n",
    "data.txt": "",
  };
  const python = ["tools/p.py", "tools/q.py", "tools/sub/__init__.py", "tools/sub/r.py"];
  const node = ["tools/late.mjs", "tools/m.mjs", "tools/n.mjs"];
  const shell = ["check.sh", "lib.sh", "other.sh", ...node, ...python];
  it.each([
    ["a script by path", cmd(["./check.sh"]), shell],
    ["a text", cmd("./check.sh | cat"), shell],
    ["an interpreter's script", cmd(["python3", "-u", "tools/p.py", "data.txt"]), python],
    ["behind wrappers", cmd(["env", "A=1", "nice", "-n", "5", "python3", "tools/p.py"]), python],
    ["a shell in a shell", cmd("sh -c 'python3 tools/p.py'"), python],
    ["a module", cmd("node --import ./tools/m.mjs tools/late.mjs"), ["tools/late.mjs", "tools/m.mjs"]],
    ["python -m", cmd("cd . && python3 -m tools.q"), ["tools/q.py"]],
    ["a first line that names the interpreter", cmd(["./tool.sh"]), ["beside.py", "tool.sh"]],
    ["make", cmd(["make", "all"], ", reaches = []"), ["Makefile"]],
    ["a script handed to a program of the system", cmd(["/bin/cat", "tools/q.py"]), ["tools/q.py"]],
    ["what may appear", cmd("test -e ./late.sh && ./late.sh; true"), ["late.sh absent"]],
    ["none", cmd("echo hello"), []],
    ["inline code", cmd(["python3", "-c", "pass", "data.txt"]), []],
    ["a callable", 'type = "callable", target = "./tools/n.mjs:fn"', node],
    [
      "a callable of Python",
      'type = "callable", target = "tools.sub.r:x"',
      ["tools/sub/__init__.py", "tools/sub/r.py"],
    ],
  ])("%s", async (_, handler, wanted) => {
    expect([...(await reached(handler, files))].sort()).toEqual([...wanted].sort());
  });

  it("have one digest, wherever the folder lies, that changes with any of them", async () => {
    const digest = async (given: Files) => {
      const reach = await reachOfHandlers(sceneOf([cmd(["./check.sh"])], given).source);
      return reach.ok ? reach.value.digest : "";
    };
    const first = await digest(files);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await digest(files)).toBe(first);
    expect(await digest({ ...files, "tools/q.py": " " })).not.toBe(first);
    expect(await digest({ ...files, "tools/late.mjs": "export {};" })).not.toBe(first);
    expect(await digest({ ...files, "data.txt": "y" })).toBe(first);
  });

  it("are read without running any of them", async () => {
    const trap = {
      "guard.py": "open('ran', 'w')\ndef fn(e): pass",
      "guard.ts": "process.exit(1); export const fn = 1;",
      "x.sh": "touch ran",
    };
    const handlers = [
      cmd(["./x.sh"]),
      'type = "callable", target = "guard:fn"',
      'type = "callable", target = "./guard.ts:fn"',
    ];
    const scene = sceneOf(handlers, trap);
    expect((await reachOfHandlers(scene.source)).ok).toBe(true);
    const inert = await buildHandlers({ ...scene.source, inert: "not trusted yet" });
    if (!inert.ok) throw new Error("not built");
    for (const handler of inert.value.rules[0]?.handlers ?? []) {
      expect(short(await handler.run(event, idle))).toBe("broken: not trusted yet");
    }
    expect((await import("node:fs")).existsSync(join(scene.folder, "ran"))).toBe(false);
  });
});

describe("a file that is not what was trusted", () => {
  const files: Files = {
    "check.sh": "#!/bin/sh\n. ./lib.sh\necho no >&2; exit 2\n",
    "lib.sh": "",
    "guard.ts": 'import { why } from "./why"; export const fn = () => ({ decision: "deny", reason: why })',
    "why.ts": 'export const why = "no"',
    "guard.py": "import why\ndef fn(event): return {'decision': 'deny', 'reason': why.why}",
    "why.py": "why = 'no'",
  };
  const handlers: readonly (readonly [string, string, string])[] = [
    ["a script", cmd(["./check.sh"]), "check.sh"],
    ["what it reads in", cmd(["./check.sh"]), "lib.sh"],
    ["a callable", 'type = "callable", target = "./guard.ts:fn"', "guard.ts"],
    ["what it imports", 'type = "callable", target = "./guard.ts:fn"', "why.ts"],
    ["a callable of Python", 'type = "callable", target = "guard:fn"', "guard.py"],
    ["what that imports", 'type = "callable", target = "guard:fn"', "why.py"],
  ];
  it.each(handlers)("breaks the guard: %s", async (_, handler, name) => {
    const scene = sceneOf([handler], files);
    const { rules } = await built(scene);
    const one = rules[0]?.handlers[0];
    if (one === undefined) throw new Error("no handler");
    expect(short(await one.run(event, idle))).toBe("deny: no");
    put(scene.folder, name, `${files[name]}\n`);
    expect(short(await one.run(event, idle))).toBe(
      `broken: ${join(scene.folder, name)} has changed since it was trusted`,
    );
    put(scene.folder, name, files[name] ?? "");
    expect(short(await one.run(event, idle))).toBe("deny: no");
    rmSync(join(scene.folder, name));
    expect(short(await one.run(event, idle))).toBe(
      `broken: ${join(scene.folder, name)} is gone since it was trusted`,
    );
  });

  it("breaks the guard: one that was not there", async () => {
    const scene = sceneOf([cmd("test -e ./late.sh && ./late.sh; true")]);
    const handler = await handlerOf(scene);
    expect(short(await handler.run(event, idle))).toBe("allow");
    put(scene.folder, "late.sh", "true");
    expect((await handler.run(event, idle)).kind).toBe("broken");
  });

  it("breaks the guard: swapped while it runs", async () => {
    const scene = sceneOf([cmd(["sh", "check.sh"])], { "check.sh": "echo '# x' >>check.sh\nexit 0\n" });
    expect(short(await answerOf(scene))).toBe(
      `broken: ${join(scene.folder, "check.sh")} has changed while it ran`,
    );
  });

  it.each([
    ["moved away and back", "mv lib away; mv away lib"],
    [
      "another one in its place for a moment",
      "mv lib away; cp -r evil lib; sh lib/check.sh; rm -r lib; mv away lib",
    ],
    ["the folder above it", "mv ../deep ../away; mv ../away ../deep"],
    ["one that must not be there, for a moment", "echo 'exit 0' > late.sh; rm late.sh"],
  ])("breaks the guard: a whole folder is exchanged while it runs and put back: %s", async (_, swap) => {
    const folder = folderOf({
      "deep/lib/check.sh": `#!/bin/sh\n${swap}\nexit 0\n`,
      "deep/evil/check.sh": "exit 0\n",
    });
    const own = join(folder, "deep");
    const handler = await handlerOf(
      sceneOf([cmd("sh ./lib/check.sh; test -e ./late.sh && ./late.sh; exit 0")], {}, { folder: own }),
    );
    const answer = await handler.run(event, idle);
    expect(short(answer)).toMatch(/^broken: .* was exchanged while it ran$/u);
  });

  it("but not what it writes beside itself, nor what others do there", async () => {
    const busy =
      "echo x > tmp.txt; mkdir -p runs/a; mv tmp.txt runs/a/b.txt; rm -r runs; touch lib/new; rm lib/new";
    const scene = sceneOf([cmd(["sh", "lib/check.sh"])], {
      "lib/check.sh": `${busy}\nexit 0\n`,
    });
    expect(short(await answerOf(scene))).toBe("allow");
  });

  it("breaks the guard: a link that leads elsewhere", async () => {
    const scene = sceneOf([cmd(["sh", "link.sh"])], { "a.sh": "exit 2", "b.sh": "exit 0" });
    symlinkSync("a.sh", join(scene.folder, "link.sh"));
    const handler = await handlerOf(scene);
    expect((await handler.run(event, idle)).kind).toBe("deny");
    rmSync(join(scene.folder, "link.sh"));
    symlinkSync("b.sh", join(scene.folder, "link.sh"));
    expect((await handler.run(event, idle)).kind).toBe("broken");
  });

  it("breaks the guard: a module of Python's own, put beside the script", async () => {
    const scene = sceneOf([cmd(["python3", "check.py"])], { "check.py": "import json, sys\nsys.exit(2)\n" });
    const handler = await handlerOf(scene);
    expect((await handler.run(event, idle)).kind).toBe("deny");
    put(scene.folder, "notes.py", "");
    expect((await handler.run(event, idle)).kind).toBe("deny");
    put(scene.folder, "json.py", "import os\nos._exit(0)\n");
    expect((await handler.run(event, idle)).kind).toBe("broken");
  });

  it("is not run where a person accepted others", async () => {
    const scene = sceneOf([cmd(["./check.sh"]), 'type = "deny", reason = "closed"'], files);
    const reach = await reachOfHandlers(scene.source);
    const accepted = reach.ok ? reach.value.digest : "";
    const with_ = async (digest: string) => {
      const result = await buildHandlers({ ...scene.source, accepted: digest });
      const all = result.ok ? (result.value.rules[0]?.handlers ?? []) : [];
      return Promise.all(all.map(async (one) => short(await one.run(event, idle))));
    };
    expect(await with_(accepted)).toEqual(["deny: no", "deny: closed"]);
    put(scene.folder, "lib.sh", "exit 0");
    const why = "broken: the files that the rules reach are not those that a person accepted";
    expect(await with_(accepted)).toEqual([why, "deny: closed"]);
  });

  it("is no link out of the configuration's folder", async () => {
    const outside = folderOf({ "evil.ts": "export const fn = () => null", "evil.py": "def fn(e): pass" });
    const scene = sceneOf([
      'type = "callable", target = "./link.ts:fn"',
      'type = "callable", target = "link:fn"',
    ]);
    symlinkSync(join(outside, "evil.ts"), join(scene.folder, "link.ts"));
    symlinkSync(join(outside, "evil.py"), join(scene.folder, "link.py"));
    const problems = await problemsOf(scene);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("lies outside the configuration's folder"),
      expect.stringContaining("leads out of the folder"),
    ]);
  });
});

describe("what rules become", () => {
  it("keeps names, filters, limits and order", async () => {
    const scene = sceneOf([
      'type = "deny"',
      `${cmd("true")}, name = "second", timeout = 1.5, on_error = "deny"`,
      `${cmd("true")}, async = true`,
    ]);
    const { rules } = await built(scene);
    const shape = rules.map(({ name, event: on, before, handlers }) => ({
      name,
      on,
      before,
      handlers: handlers.map(({ run: _, changed: __, ...rest }) => rest),
    }));
    expect(shape).toEqual([
      {
        name: "guard",
        on: "pre_tool_call",
        before: false,
        handlers: [
          { name: "guard", kind: "deny" },
          { name: "second", kind: "command", timeoutMs: 1500, onError: "deny" },
          { name: "guard", kind: "command", timeoutMs: 30_000, async: true },
        ],
      },
    ]);
    expect(short((await rules[0]?.handlers[0]?.run(event, idle)) ?? { kind: "failed", why: "" })).toBe(
      "deny: denied by rule guard",
    );
  });
});
