/** Which files a command is said to run, and what is refused because nobody can say it. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reachOfHandlers } from "../../../src/node/handlers/build";
import { isSystem } from "../../../src/node/handlers/foundFiles";
import {
  event,
  type Files,
  folderOf,
  handlerOf,
  idle,
  problemsOf,
  put,
  sceneOf,
  short,
  until,
} from "./scene";

const cmd = (command: string | readonly string[], more = "") =>
  `type = "command", command = ${JSON.stringify(command)}${more}`;

const reached = async (handler: string, files: Files): Promise<readonly string[]> => {
  const scene = sceneOf([handler], files);
  const reach = await reachOfHandlers(scene.source);
  if (!reach.ok) return reach.problems.map(({ message }) => `problem: ${message}`);
  return [...reach.value.files.keys()].map((path) => path.slice(scene.folder.length + 1)).sort();
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own notation.
const OWN_FOLDER = 'source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"\n';

const files: Files = {
  "a.sh": OWN_FOLDER,
  "here.sh": 'HERE="$(cd "$(dirname "$0")" && pwd)"\n. "$HERE/lib.sh"\n',
  "sub/deep.sh": '. "$(dirname "$0")/in.sh"\n',
  "sub/in.sh": "true\n",
  "loop.sh": "x=1\nfor f in lib*.sh; do . ./$f; done\n",
  "function.sh": "say() { echo hi; }\nsay\n",
  "lib.sh": "echo lib\n",
  plain: "echo plain\n",
  "helper.sh": "#!/bin/sh\ntrue\n",
  "b.mjs": "export default 1",
  "check.mjs": "export default 1",
  "tpl.mjs": 'await import(`./b.mjs`); import "node:fs";',
  "late.mjs": "await import(process.argv[2])",
  "pkg.mjs": 'import "foo"',
  "spawn.mjs": 'import { execFileSync } from "node:child_process"; execFileSync("./helper.sh");',
  "two.cjs": 'require("./lib/one"); require("./schema.graphql");',
  "lib/one.js": "",
  "schema.graphql": "type A",
  "broken.mjs": "import {",
  "package.json": '{"scripts":{"check":"node check.mjs"}}',
  Makefile: "check:\n\tsh lib.sh\n",
};

describe("what a command runs", () => {
  it.each([
    ["its own folder, by BASH_SOURCE", cmd(["bash", "a.sh"]), ["a.sh", "lib.sh"]],
    ["its own folder, by $0 and a variable", cmd(["sh", "here.sh"]), ["here.sh", "lib.sh"]],
    ["a script of another folder", cmd("sh sub/deep.sh"), ["sub/deep.sh", "sub/in.sh"]],
    ["a function is no program", cmd(["sh", "function.sh"]), ["function.sh"]],
    ["standard input of a shell", cmd("sh < lib.sh"), ["lib.sh"]],
    ["a shell's option with a value", cmd(["bash", "-o", "pipefail", "plain"]), ["plain"]],
    ["a shell's text in a list", cmd(["bash", "-c", "./helper.sh && . ./lib.sh"]), ["helper.sh", "lib.sh"]],
    ["find -exec", cmd(["find", ".", "-exec", "./helper.sh", ";"]), ["helper.sh"]],
    ["xargs", cmd("echo 1 | xargs ./helper.sh"), ["helper.sh"]],
    ["node --import=", cmd(["node", "--import=./b.mjs", "check.mjs"]), ["b.mjs", "check.mjs"]],
    ["node's inline code", cmd(["node", "-e", 'require("./lib/one")']), ["lib/one.js"]],
    ["an import by a template", cmd(["node", "tpl.mjs"]), ["b.mjs", "tpl.mjs"]],
    ["files that are no code", cmd(["node", "two.cjs"]), ["lib/one.js", "schema.graphql", "two.cjs"]],
    ["what only reads", cmd("git diff | grep -q x && jq -r .tool_name | sed s/a/b/"), []],
    [
      "what is named",
      cmd("npm run check", ', reaches = ["lib", "b.mjs"]'),
      ["b.mjs", "lib/one.js", "package.json"],
    ],
  ])("%s", async (_, handler, wanted) => {
    expect(await reached(handler, files)).toEqual(wanted);
  });

  it.each([
    ["a loop", cmd(["sh", "loop.sh"]), "loop.sh:2: . ./$f"],
    ["a pipe into a shell", cmd("cat lib.sh | sh -s"), "sh -s"],
    ["eval", cmd('eval "$(cat lib.sh)"'), 'eval "$(cat lib.sh)"'],
    ["a variable in a program's place", cmd('"$HOOK" a'), '"$HOOK" a'],
    ["npm", cmd(["npm", "run", "check"]), "npm may run files of this folder"],
    ["make", cmd(["make", "-f", "other.mk"]), "make may run files of this folder"],
    ["npx", cmd("npx mytool"), "npx may run files of this folder"],
    ["env -S", cmd(["env", "-S", "bash lib.sh"]), "env -S bash lib.sh"],
    ["git's own settings", cmd("git -c core.fsmonitor=./helper.sh status"), "git may run files"],
    ["a variable that loads code", cmd("BASH_ENV=./lib.sh bash -c true"), "it sets BASH_ENV"],
    ["a folder put on PATH", cmd("PATH=./bin:$PATH tool"), "it sets PATH"],
    ["a package", cmd(["node", "pkg.mjs"]), "pkg.mjs loads the package foo"],
    ["an import by a value", cmd(["node", "late.mjs"]), "late.mjs:1 loads what its text does not name"],
    ["a script that starts programs", cmd(["node", "spawn.mjs"]), "spawn.mjs uses child_process"],
    ["a script that cannot be read", cmd(["node", "broken.mjs"]), "broken.mjs cannot be read"],
    ["an option that is not known", cmd(["node", "--env-file", "plain", "check.mjs"]), "node --env-file"],
    ["a filter that starts programs", cmd("awk 'BEGIN { system(\"./helper.sh\") }'"), "awk"],
    ["another language", cmd("ruby x.rb; true"), "what ruby loads cannot be read"],
  ])("cannot be listed: %s", async (_, handler, why) => {
    const [only, ...rest] = await reached(handler, files);
    expect(rest).toEqual([]);
    expect(only).toContain("it runs what cannot be listed");
    expect(only?.replaceAll("node:child_process", "child_process")).toContain(why);
    expect(await reached(`${handler}, reaches = []`, files)).not.toContainEqual(
      expect.stringContaining("cannot be listed"),
    );
  });

  it("is not asked of who runs the program and answers for it", async () => {
    expect(await problemsOf(sceneOf([cmd(["npm", "run", "check"])], files, { unlisted: "allowed" }))).toEqual(
      [],
    );
  });

  it("in Python: other imports stay where one leads out, and what runs files is told", async () => {
    const outside = folderOf({ "shared.py": "y = 1" });
    const scene = sceneOf([cmd(["python3", "use.py"])], {
      "use.py": 'import shared, near\nimport importlib\nimportlib.import_module("late")\n',
      "near.py": "",
      "late.py": "",
    });
    symlinkSync(join(outside, "shared.py"), join(scene.folder, "shared.py"));
    const reach = await reachOfHandlers(scene.source);
    const names = reach.ok ? [...reach.value.files.keys()] : [];
    for (const name of ["use.py", "near.py", "late.py", "shared.py"])
      expect(names).toContain(join(scene.folder, name));
    expect(
      await reached(cmd(["python3", "p.py"]), { "p.py": "import sys\nsys.path.insert(0, 'x')\n" }),
    ).toEqual(["problem: it runs what cannot be listed: p.py:2: sys.path"]);
    expect(
      await reached('type = "callable", target = "g:fn"', {
        "g.py": "import os\ndef fn(e): os.system('./x')\n",
      }),
    ).toEqual(["problem: it runs what cannot be listed: g.py:2: os.system"]);
  });

  it.each(["BASH_ENV", "ENV", "NODE_OPTIONS", "PYTHONPATH", "LD_PRELOAD", "GIT_SSH_COMMAND", "PERL5LIB"])(
    "is not chosen by %s",
    async (name) => {
      const [problem] = await problemsOf(sceneOf([cmd("true", `, env = { ${name} = "./x" }`)]));
      expect(problem?.message).toBe(`${name} makes programs load code that nobody has seen`);
    },
  );

  it("names what is not there in reaches", async () => {
    const [problem] = await problemsOf(sceneOf([cmd("npm test", ', reaches = ["nowhere"]')]));
    expect(problem?.message).toContain("there is no file or folder");
  });
});

describe("after a person has trusted it, it is broken by", () => {
  const broken = async (scene: ReturnType<typeof sceneOf>, change: () => void, before = "allow") => {
    const handler = await handlerOf(scene);
    expect(short(await handler.run(event, idle))).toBe(before);
    change();
    return short(await handler.run(event, idle));
  };

  it("a file that Node would take first", async () => {
    const scene = sceneOf([cmd(["node", "a.cjs"])], { "a.cjs": 'require("./lib")', "lib.js": "" });
    const why = await broken(scene, () => void put(scene.folder, "lib", "process.exit(0)"));
    expect(why).toBe(`broken: ${join(scene.folder, "lib")} has appeared since it was trusted`);
  });

  it("a link to a program of the system that leads elsewhere", async () => {
    const scene = sceneOf([cmd(["./bin/tool", "x"])]);
    mkdirSync(join(scene.folder, "bin"));
    symlinkSync("/bin/true", join(scene.folder, "bin/tool"));
    const before = await reachOfHandlers(scene.source);
    const why = await broken(scene, () => {
      rmSync(join(scene.folder, "bin/tool"));
      symlinkSync("/bin/echo", join(scene.folder, "bin/tool"));
    });
    expect(why).toBe(`broken: ${join(scene.folder, "bin/tool")} has changed since it was trusted`);
    const after = await reachOfHandlers(scene.source);
    expect(after.ok && before.ok && after.value.digest !== before.value.digest).toBe(true);
  });

  it("a file that a named folder gains", async () => {
    const scene = sceneOf([cmd("for f in lib/*; do . ./$f; done", ', reaches = ["lib"]')], {
      "lib/a.sh": "true",
    });
    const why = await broken(scene, () => void put(scene.folder, "lib/b.sh", "true"));
    expect(why).toBe(`broken: ${join(scene.folder, "lib")} holds other files since it was trusted`);
  });

  it("a file that is exchanged while it runs and put back", async () => {
    const scene = sceneOf([cmd(["sh", "check.sh"])], {
      "check.sh": "cp -p check.sh old; mv check.sh away; mv old check.sh; exit 0\n",
    });
    expect(short(await (await handlerOf(scene)).run(event, idle))).toBe(
      "broken: a file that it runs was written or exchanged while it ran",
    );
  });
});

it("a compiled file beside a script of Python is not what runs", async () => {
  const scene = sceneOf([cmd(["python3", "use.py"])], {
    "use.py": "import mod\n",
    "mod.py": "x = 1\n",
    "evil.py": "open('ran', 'w')\nx = 1\n",
  });
  const plant = `import py_compile, importlib.util; py_compile.compile("evil.py", cfile=importlib.util.cache_from_source("${scene.folder}/mod.py"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)`;
  execFileSync("python3", ["-c", plant], { cwd: scene.folder });
  expect(short(await (await handlerOf(scene)).run(event, idle))).toBe("allow");
  expect(existsSync(join(scene.folder, "ran"))).toBe(false);
});

it("a program of the folder that stands on PATH is neither asked nor taken", async () => {
  const scene = sceneOf(['type = "callable", target = "g:fn"', cmd("tool; true", ", reaches = []")], {
    "g.py": "def fn(e): pass",
  });
  for (const name of ["python3", "tool"]) {
    put(scene.folder, `bin/${name}`, `#!/bin/sh\ntouch ${scene.folder}/ran\n`);
    execFileSync("chmod", ["+x", join(scene.folder, "bin", name)]);
  }
  const env = { ...process.env, PATH: `${scene.folder}/bin:${process.env.PATH}` };
  const given = { ...scene, source: { ...scene.source, env } };
  expect(await problemsOf(given)).toEqual([]);
  const { handlersOf } = await import("./scene");
  for (const handler of await handlersOf(given)) await handler.run(event, idle);
  expect(existsSync(join(scene.folder, "ran"))).toBe(false);
});

describe.runIf(process.platform === "linux")("nothing outlives it", () => {
  const alive = (pidFile: string) => {
    try {
      process.kill(Number(readFileSync(pidFile, "utf8")), 0);
      return !/\) Z /.test(readFileSync(`/proc/${Number(readFileSync(pidFile, "utf8"))}/stat`, "utf8"));
    } catch {
      return false;
    }
  };
  const stray = "setsid env -i sh -c 'echo $$ > pid; exec sleep 62' >/dev/null 2>&1 </dev/null &";
  it.each([
    ["at the time limit", `${stray}\nsleep 60\n`, ", timeout = 1"],
    [
      "when the parent of it has gone before",
      `sh -c "${stray.replaceAll("$", "\\$")} sleep 0.2"\nsleep 60\n`,
      ", timeout = 1.5",
    ],
    ["at its end", `${stray}\nsleep 0.4\nexit 0\n`, ""],
  ])("%s", async (_, text, more) => {
    const scene = sceneOf([cmd(["sh", "x.sh"], `${more}, reaches = []`)], { "x.sh": text });
    writeFileSync(join(scene.folder, "pid"), "");
    await (await handlerOf(scene)).run(event, idle);
    const pidFile = join(scene.folder, "pid");
    expect(readFileSync(pidFile, "utf8")).toMatch(/\d/);
    expect(await until(() => !alive(pidFile))).toBe(true);
  });
});

it.each([
  ["/opt/w/a.sh", "/opt/w", false],
  ["/usr/src/w/lib/a.sh", "/usr/src/w", false],
  ["/usr/bin/env", "/opt/w", true],
  ["/opt/other/tool", "/opt/w", true],
])("%s belongs to the system for a folder %s: %s", (file, folder, wanted) => {
  expect(isSystem(file, folder)).toBe(wanted);
});
