/** `config`, `init`, and the rules in `judge` and `explain`: what a person is shown, and that no code runs unasked. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runConfig } from "../../src/cli/config";
import { runExplain } from "../../src/cli/explain";
import { runInit } from "../../src/cli/init";
import type { Io, Run } from "../../src/cli/io";
import { runJudge } from "../../src/cli/judge";
import { effective } from "../../src/core/rules/layers";
import { parseConfig } from "../../src/core/rules/parse";
import { defaultConfig } from "../../src/core/rules/schema";
import { starterText } from "../../src/core/rules/starter";

let folder: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "countersign-config-")));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

async function cli(run: Run, argv: readonly string[], input: readonly string[] = []) {
  const said = { out: "", err: "" };
  const io: Io = {
    stdout: (text) => {
      said.out += text;
    },
    stderr: (text) => {
      said.err += text;
    },
    lines: (async function* () {
      yield* input;
    })(),
    stdin: (async function* () {})(),
    env: { PATH: process.env.PATH },
    cwd: folder,
  };
  return { code: await run(argv, io), ...said };
}

const write = (name: string, text: string): string => {
  fs.writeFileSync(path.join(folder, name), text);
  return name;
};
const exists = (name: string): boolean => fs.existsSync(path.join(folder, name));

const DENY = `[[hooks.pre_tool_call]]
name = "no-deploy"
matcher = "deploy_.*"
handlers = [{ type = "deny", reason = "not from here" }]
`;
const CODE = `[[hooks.pre_tool_call]]
name = "asks-a-program"
handlers = [{ type = "command", command = ["node", "./check.mjs"], timeout = 20 }]
`;
const SCRIPT = `import { writeFileSync } from "node:fs";
writeFileSync("ran.txt", "");
process.stderr.write("the program says no");
process.exit(2);
`;
const CALL = JSON.stringify({ id: 1, tool: "deploy_site", args: {} });

describe("config", () => {
  test.each<[string, string, string, number, RegExp]>([
    ["no mistake", "a.toml", DENY, 0, /^$/u],
    ["an unknown key", "a.toml", "[chain]\nenabeld = true\n", 1, /^a\.toml:2:1: .*enabeld.*enabled/u],
    [
      "a misspelt key, told once",
      "a.toml",
      DENY.replace("handlers", "handlrs"),
      1,
      /^a\.toml:4:1: [^\n]*\n$/u,
    ],
    ["a wrong pattern", "a.toml", DENY.replace("deploy_.*", "deploy_("), 1, /^a\.toml:3:\d+: /u],
    ["a script that is not there", "a.toml", CODE, 1, /^a\.toml:3:\d+: .*check\.mjs/u],
    ["JSON, an unknown key", "a.json", '{\n "chian": {} }', 1, /^a\.json:2:2: .*chian.*chain/u],
    ["a file that is not there", "", "", 2, /no such file/u],
  ])("check: %s", async (_, name, text, code, err) => {
    if (name !== "") write(name, text);
    const said = await cli(runConfig, ["check", name === "" ? "none.toml" : name]);
    expect(said).toMatchObject({ code, out: "" });
    expect(said.err).toMatch(err);
  });

  test.each([
    ["./guard.ts:fn", /^a\.toml:2:\d+: guard\.ts imports "zod", and a callable may import only files/u],
    ["guards:fn", /^a\.toml:2:\d+: there is no module guards of Python below .*: \.\/guards\.ts\n$/u],
  ])("check: the callable %s, running none of its code", async (target, err) => {
    write("guard.ts", 'import { z } from "zod";\nexport const fn = () => z;\n');
    write("a.toml", `[[hooks.pre_tool_call]]\nhandlers = [{ type = "callable", target = "${target}" }]\n`);
    const said = await cli(runConfig, ["check", "a.toml"]);
    expect(said).toMatchObject({ code: 1, out: "" });
    expect(said.err).toMatch(err);
  });

  test.each<[string[], RegExp]>([
    [[], /say check, digest or show/u],
    [["chekc"], /there is no "config chekc", did you mean check\?/u],
    [["check"], /there is no gateway-hooks\.toml here/u],
    [["check", "a", "b"], /unexpected argument "b"/u],
  ])("%j is wrong usage", async (argv, why) => {
    const said = await cli(runConfig, argv);
    expect(said).toMatchObject({ code: 2, out: "" });
    expect(said.err).toMatch(why);
  });

  test("check: a mistake of the file and what is wrong with its handlers, all at once", async () => {
    write(
      "gateway-hooks.toml",
      `[[hooks.pre_tool_call]]
handlers = [
  { type = "command", command = ["node", "./gone.mjs"], async = "yes", env = { T = "\${NO_SUCH_NAME}" } },
]
`,
    );
    const { code, err } = await cli(runConfig, ["check"]);
    expect(code).toBe(1);
    expect(err).toMatch(/:3:\d+: .*handlers\[0\]\.async` must be true or false/u);
    expect(err).toMatch(/:3:\d+: .*the environment has no variable NO_SUCH_NAME/u);
    expect(
      err
        .trim()
        .split("\n")
        .filter((line) => line.includes(":3:")),
    ).toHaveLength(2);
  });

  test("digest changes with the file and with what its rules reach, and with nothing else", async () => {
    write("gateway-hooks.toml", CODE);
    write("check.mjs", SCRIPT);
    const digest = async () => (await cli(runConfig, ["digest"])).out.trim();
    const first = await digest();
    expect(first).toMatch(/^[0-9a-f]{64}$/u);
    write("beside.txt", "not reached");
    expect(await digest()).toBe(first);
    write("check.mjs", `${SCRIPT}\n`);
    const second = await digest();
    write("gateway-hooks.toml", `${CODE}\n`);
    const third = await digest();
    expect(new Set([first, second, third]).size).toBe(3);
    expect(exists("ran.txt")).toBe(false);
  });

  test("show: each value with its origin, each reached file with its digest, nothing run", async () => {
    write("gateway-hooks.toml", `[chain]\nquota = true\n\n${CODE}`);
    write("check.mjs", SCRIPT);
    const { code, out } = await cli(runConfig, ["show", "gateway-hooks.toml"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^chain\.quota = true {2}# workspace$/mu);
    expect(out).toMatch(/^chain\.enabled = true {2}# default$/mu);
    expect(out).toMatch(/^hooks\.pre_tool_call: "asks-a-program".*# workspace$/mu);
    expect(out).toMatch(/^# [0-9a-f]{64} {2}.*check\.mjs$/mu);
    expect(exists("ran.txt")).toBe(false);
  });
});

describe("init", () => {
  test("writes a file that changes nothing as it is, and is a configuration with its comments removed", async () => {
    expect(await cli(runInit, [])).toMatchObject({ code: 0, err: "" });
    const text = fs.readFileSync(path.join(folder, "gateway-hooks.toml"), "utf8");
    expect(text).toBe(starterText());
    const plain = parseConfig({ text, file: "f", format: "toml" });
    if (!plain.ok) expect.unreachable(JSON.stringify(plain.problems));
    expect(effective({ workspace: plain.value, environmentMode: "tighten" }).config).toEqual(defaultConfig);
    const all = text.replace(/^# /gmu, "").replace(/^dialect = .*$/mu, "");
    const used = parseConfig({ text: all, file: "f", format: "toml" });
    if (!used.ok) expect.unreachable(JSON.stringify(used.problems));
    const { hooks, ...rest } = effective({
      workspace: used.value,
      accepted: used.value,
      environmentMode: "full",
    }).config;
    const { hooks: _, ...defaults } = defaultConfig;
    expect(rest).toEqual(defaults);
    expect(hooks.pre_tool_call.map(({ name }) => name)).toEqual(["no-deploy", "no-force-push", "review-sql"]);
    expect(hooks.post_tool_call).toHaveLength(1);
  });

  test("each key can be used by removing its comment sign alone", () => {
    const lines = starterText().split("\n");
    const end = lines.findIndex((line) => line.startsWith("# [["));
    const keys = lines.flatMap((line, index) => (index < end && /^# \w+ = /u.test(line) ? [index] : []));
    expect(keys.length).toBeGreaterThan(20);
    for (const index of keys) {
      const text = lines.map((line, at) => (at === index ? line.slice(2) : line)).join("\n");
      expect(parseConfig({ text, file: "f", format: "toml" }), lines[index]).toMatchObject({ ok: true });
    }
  });

  test.each<[string, () => void]>([
    ["a file", () => write("gateway-hooks.toml", "mine")],
    ["the other file", () => write("gateway-hooks.json", "mine")],
    [
      "a link that leads nowhere",
      () => fs.symlinkSync("/nowhere/at/all", path.join(folder, "gateway-hooks.toml")),
    ],
  ])("%s that is there stays as it is", async (_, make) => {
    make();
    const before = fs.readdirSync(folder);
    const said = await cli(runInit, []);
    expect(said).toMatchObject({ code: 1, out: "" });
    expect(said.err).toMatch(/there is a gateway-hooks\.(toml|json) already/u);
    expect(fs.readdirSync(folder)).toEqual(before);
    const [name = ""] = before;
    if (!fs.lstatSync(path.join(folder, name)).isSymbolicLink())
      expect(fs.readFileSync(path.join(folder, name), "utf8")).toBe("mine");
  });
});

describe("rules in judge and explain", () => {
  test("a rule that only denies speaks, and `by` is its name", async () => {
    write("r.toml", DENY);
    const { code, out } = await cli(runJudge, ["--config", "r.toml"], [CALL]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ decision: "deny", by: "no-deploy", reason: "not from here" });
    const explained = await cli(runExplain, ["deploy_site", "{}", "--config", "r.toml"]);
    expect(explained.out).toMatch(/deploy_site → deny \(no-deploy\)\n {2}not from here/u);
    expect(explained.out).toMatch(/^ {2}no-deploy +deny/mu);
  });

  test("explain lists who spoke in the order in which they spoke: the guards, the rule that rewrote, the guards again", async () => {
    write(
      "r.toml",
      `[[hooks.pre_tool_call]]\nname = "one-table"\nhandlers = [{ type = "command", command = ["node", "./check.mjs"] }]\n`,
    );
    write(
      "check.mjs",
      'console.log(JSON.stringify({ updated_input: { sql: "SELECT 2" }, decision: "rewrite" }));',
    );
    const digest = (await cli(runConfig, ["digest", "r.toml"])).out.trim();
    const trusted = ["--run-handlers", "--trust-config", digest, "--config", "r.toml"];
    const { out } = await cli(runExplain, ["--sql", "SELECT 1", ...trusted]);
    expect(out).toMatch(/^db_query_sql → rewrite \(one-table\)$/mu);
    expect(out).toContain('runs with: {"sql":"SELECT 2"}');
    const rows = out.split("\n").filter((line) => / ms(?: |$)/u.test(line));
    const at = rows.findIndex((line) => line.includes("one-table"));
    expect(at).toBeGreaterThan(0);
    const again = (line: string): boolean => line.endsWith("again, on the rewritten arguments");
    expect(rows.slice(0, at).some(again)).toBe(false);
    expect(rows.slice(0, at).join("\n")).toContain("destructive_sql");
    expect(rows.slice(at + 1).length).toBeGreaterThan(0);
    expect(rows.slice(at + 1).every(again)).toBe(true);
    expect(rows.slice(at + 1).join("\n")).toContain("destructive_sql");
  });

  test("code of a rule does not run by itself, and the verdict says so", async () => {
    write("r.toml", CODE);
    write("check.mjs", SCRIPT);
    const { out } = await cli(runJudge, ["--config", "r.toml"], [CALL]);
    expect(JSON.parse(out)).toMatchObject({ findings: [{ code: "rule_inert" }] });
    expect(exists("ran.txt")).toBe(false);
  });

  test("it runs where the person names what exactly is to run", async () => {
    write("r.toml", CODE);
    write("check.mjs", SCRIPT);
    const digest = (await cli(runConfig, ["digest", "r.toml"])).out.trim();
    const argv = ["--config", "r.toml", "--run-handlers", "--trust-config", digest];
    const { out } = await cli(runJudge, argv, [CALL]);
    expect(JSON.parse(out)).toMatchObject({
      decision: "deny",
      by: "asks-a-program",
      reason: "the program says no",
    });
    expect(exists("ran.txt")).toBe(true);
  });

  test.each<[string, () => void]>([
    ["the file", () => write("r.toml", `${CODE}\n${DENY}`)],
    ["a file that it reaches", () => write("check.mjs", "process.exit(0)")],
  ])("%s that is not the trusted one: nothing is judged, nothing runs, exit 2", async (_, change) => {
    write("r.toml", CODE);
    write("check.mjs", SCRIPT);
    const digest = (await cli(runConfig, ["digest", "r.toml"])).out.trim();
    change();
    const argv = ["--config", "r.toml", "--run-handlers", "--trust-config", digest];
    const said = await cli(runJudge, argv, [CALL]);
    expect(said).toMatchObject({ code: 2, out: "" });
    expect(said.err).toMatch(/not what --trust-config names.*\n.*check\.mjs/u);
    expect(exists("ran.txt")).toBe(false);
  });

  test.each<[string[], RegExp]>([
    [["--run-handlers"], /--run-handlers needs --config/u],
    [["--config", "r.toml", "--run-handlers"], /config digest r\.toml/u],
    [["--trust-config", "a".repeat(64)], /--trust-config needs --config/u],
    [["--config", "r.toml", "--trust-config", "abc"], /64 hex digits/u],
  ])("%j is wrong usage and runs nothing", async (argv, why) => {
    write("r.toml", CODE);
    write("check.mjs", SCRIPT);
    for (const [run, words] of [
      [runJudge, []],
      [runExplain, ["deploy_site", "{}"]],
    ] as const) {
      const said = await cli(run, [...words, ...argv], [CALL]);
      expect(said).toMatchObject({ code: 2, out: "" });
      expect(said.err).toMatch(why);
    }
    expect(exists("ran.txt")).toBe(false);
  });
});
