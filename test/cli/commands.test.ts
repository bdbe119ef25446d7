/** The command line as a process would use it: bad input, exit codes, what it prints. Memory and signals are the process's own. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runExplain } from "../../src/cli/explain";
import { runHelloHooks } from "../../src/cli/helloHooks";
import type { Io, Run } from "../../src/cli/io";
import { runJudge } from "../../src/cli/judge";
import { verifyAuditLog } from "../../src/node/auditVerify";

let folder: string;
beforeAll(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "countersign-cli-")));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

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
    env: {},
    cwd: folder,
  };
  return { code: await run(argv, io), ...said };
}

const file = (name: string, text: string): string => {
  fs.writeFileSync(path.join(folder, name), text);
  return name;
};

describe("judge", () => {
  test.each<[string, string, RegExp]>([
    ["no JSON", "bad", /not JSON/],
    ["a list", "[]", / a call must be an object, not a list$/],
    ["null", "null", / a call must be an object, not null$/],
    ["no tool", '{"id":2}', / tool is missing$/],
    ["an empty tool", '{"tool":""}', / tool must not be empty$/],
    ["a tool that is a number", '{"tool":7}', / tool must be a text, not a number$/],
    ["arguments in a list", '{"tool":"t","args":[]}', / args must be an object, not a list$/],
    ["arguments in a text", '{"tool":"t","args":"{}"}', / args must be an object, not a text$/],
    ["an id that is no id", '{"tool":"t","id":{}}', / id must be a text or a number or null, not an object$/],
    ["a shell there is not", '{"tool":"t","shell":"fish"}', / shell must be one of bash, .*, not "fish"$/],
    ["an empty cwd", '{"tool":"t","cwd":""}', / cwd must not be empty$/],
    ["a world without a system", '{"tool":"t","world":{}}', / world\.os is missing$/],
    [
      "arguments under another name",
      '{"tool":"t","arguments":{}}',
      / a call has no key "arguments", did you mean args\?$/,
    ],
    ["an input", '{"tool":"t","tool_input":{}}', / a call has no key "tool_input", did you mean args\?$/],
    ["a misspelt key", '{"tool":"t","vendr":"x"}', / a call has no key "vendr", did you mean vendor\?$/],
    ["a strange key", '{"tool":"t","zzzzzz":1}', / a call has no key "zzzzzz"; known: id, tool, args, /],
    [
      "a world with more",
      '{"tool":"t","world":{"os":"linux","rots":[]}}',
      / world has no key "rots", did you mean roots\?$/,
    ],
    [
      "a shell without a command",
      '{"tool":"run_in_terminal"}',
      / args is missing: run_in_terminal does nothing without/,
    ],
    ["SQL without any", '{"tool":"mcp_x_db_query_sql"}', / args is missing: /],
    [
      "a link to a number",
      '{"tool":"t","world":{"os":"linux","links":{"/a":1}}}',
      / world\.links\.\/a must be/,
    ],
    [
      "roots with a gap",
      '{"tool":"t","world":{"os":"linux","roots":[null]}}',
      / world\.roots\.0 must be a text/,
    ],
  ])("%s: an error for that line, the others are judged, exit 1", async (_name, line, error) => {
    const { code, out } = await cli(runJudge, [], ["", line, '{"id":"b","tool":"t"}']);
    const [bad, good] = out
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(bad).toEqual({ id: null, error: expect.stringMatching(error) });
    expect(bad.error).toMatch(/^line 2: /);
    expect(good).toMatchObject({ id: "b", decision: "allow" });
    expect(code).toBe(1);
  });

  test("a key named __proto__ is judged, not dropped", async () => {
    const line = '{"tool":"run_in_terminal","args":{"command":"ls","__proto__":{"command":"rm -rf src"}}}';
    const { out } = await cli(runJudge, [], [line]);
    expect(JSON.parse(out).decision).not.toBe("allow");
  });

  test("a rule for a vendor meets the calls of that vendor", async () => {
    const rules = '[[hooks.pre_tool_call]]\nvendor = "acme"\nhandlers = [{ type = "deny" }]\n';
    const lines = ['{"tool":"t","vendor":"acme"}', '{"tool":"t","vendor":"other"}', '{"tool":"t"}'];
    const { out } = await cli(runJudge, ["--config", file("vendor.toml", rules)], lines);
    const decisions = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).decision);
    expect(decisions).toEqual(["deny", "allow", "allow"]);
  });

  test("an ask stays an ask, and consent in the arguments is none", async () => {
    const line = '{"id":7,"tool":"db_query_sql","args":{"sql":"DELETE FROM t","confirm_destructive":true}}';
    const { code, out } = await cli(runJudge, [], [line]);
    expect(JSON.parse(out)).toMatchObject({ id: 7, decision: "ask", findings: [{ code: "forged_consent" }] });
    expect(code).toBe(0);
  });

  test("each line is written before the next is judged: a slow reader fills no memory", async () => {
    const order: string[] = [];
    const io: Io = {
      stdout: async (text) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(`wrote ${JSON.parse(text).id}`);
      },
      stderr: () => undefined,
      lines: (async function* () {
        for (const id of [1, 2, 3]) {
          order.push(`read ${id}`);
          yield JSON.stringify({ id, tool: "t" });
        }
      })(),
      stdin: (async function* () {})(),
      env: {},
      cwd: folder,
    };
    await runJudge([], io);
    expect(order).toEqual(["read 1", "wrote 1", "read 2", "wrote 2", "read 3", "wrote 3"]);
  });

  test.each<[string, () => string[], RegExp]>([
    [
      "an argument",
      () => ["x"],
      /^countersign judge: unexpected argument "x"\ncountersign judge --help tells more\n$/,
    ],
    [
      "an unknown option",
      () => ["--bogus"],
      /^countersign judge: unknown option --bogus\ncountersign judge --help tells more\n$/,
    ],
    [
      "a misspelt one",
      () => ["--confg", "f"],
      /^countersign judge: unknown option --confg, did you mean --config\?\n/,
    ],
    ["a value that is missing", () => ["--config"], /: --config needs a value\n/],
    ["an empty value", () => ["--config="], /: --config needs a value\n/],
    ["an option as value", () => ["--config", "--config"], /: --config needs a value; write --config=VALUE/],
    ["an option twice", () => ["--config", "a", "--config", "b"], /: --config is given twice\n/],
    ["a configuration that is not there", () => ["--config", "nofile"], /there is no such file/],
    ["a folder", () => ["--config", "."], /not a regular file/],
    [
      "an unknown key",
      () => ["--config", file("bad.toml", "version = 1\nnope = 2\n")],
      /bad.toml:2:1: .*nope/,
    ],
  ])("%s: exit 2, and nothing is judged", async (_name, argv, error) => {
    const { code, out, err } = await cli(runJudge, argv(), ['{"tool":"t"}']);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(error);
  });

  test.skipIf(process.platform === "win32")("a pipe as configuration does not hold it", async () => {
    execFileSync("mkfifo", [path.join(folder, "pipe")]);
    const { code, err } = await cli(runJudge, ["--config", "pipe"]);
    expect(code).toBe(2);
    expect(err).toContain("not a regular file");
  });
});

describe("explain", () => {
  test.each<[string[], string]>([
    [[], "which call?"],
    [["--sql"], "--sql needs a value"],
    [["--sql", "-- x"], "--sql needs a value; write --sql=VALUE"],
    [["--slq", "SELECT 1"], "unknown option --slq, did you mean --sql?"],
    [["--sql", "SELECT 1", "--command", "ls"], "--sql and --command exclude each other"],
    [["--sql", "SELECT 1", "t"], '--sql is the whole call; leave out "t"'],
    [["t"], "the arguments of t are missing"],
    [["t", "{bad"], "the arguments of t are not JSON: "],
    [["t", "[]"], "args must be an object, not a list"],
    [["t", '"x"'], "args must be an object, not a text"],
    [["t", '{"a":1},"tool":"other"'], "the arguments of t are not JSON: "],
    [["t", "{}", "more"], 'unexpected argument "more"'],
    [["t", "{}", "--dialect", "postgrs"], 'there is no dialect "postgrs", did you mean postgres?'],
    [["t", "{}", "--dialect", "zzzz"], 'there is no dialect "zzzz"; there are postgresql, '],
    [["t", "{}", "--shell", "fish"], "shell must be one of bash, "],
    [["t", "{}", "--cwd", "nowhere"], "--cwd: there is no folder "],
  ])("%j: exit 2, what is wrong, the usage", async (argv, why) => {
    const { code, out, err } = await cli(runExplain, argv);
    expect([code, out]).toEqual([2, ""]);
    expect(err.startsWith(`countersign explain: ${why}`), err).toBe(true);
    expect(err).toContain("\ncountersign explain --help tells more\n");
  });

  test("names the rules, the verdict and who took it", async () => {
    const { code, out } = await cli(runExplain, ["--sql", "DROP TABLE users"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^rules: defaults \(no --config\)\ndb_query_sql → ask \(destructive_sql\)/);
    const argv = ["--config", file("good.toml", "version = 1\n"), "--sql", "DROP TABLE users"];
    expect((await cli(runExplain, argv)).out).toMatch(/^rules: good\.toml\ndb_query_sql → ask/);
  });

  test.each(["postgres", "PSQL", "SQLServer", "generic", "unknown"])("the dialect %s", async (dialect) => {
    const { code } = await cli(runExplain, ["--sql", "SELECT 1", "--dialect", dialect]);
    expect(code).toBe(0);
  });

  test("a relative --cwd is the folder it names from here", async () => {
    fs.mkdirSync(path.join(folder, "inner"), { recursive: true });
    const { out } = await cli(runExplain, [
      "kb_add_file",
      JSON.stringify({ path: path.join(folder, "inner", "a.txt") }),
      "--cwd",
      "inner",
    ]);
    expect(out).toContain("kb_add_file → allow");
  });
});

test.each<[string, Run]>([
  ["judge", runJudge],
  ["explain", runExplain],
  ["hello-hooks", runHelloHooks],
])("%s --help and -h: the usage on standard output, exit 0", async (name, run) => {
  for (const argv of [["--help"], ["-h"]]) {
    const { code, out, err } = await cli(run, argv, ["bad"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out.startsWith(`usage: countersign ${name} `), out).toBe(true);
  }
});

describe("hello-hooks", () => {
  test.each<[string[], string]>([
    [["--kep", "x"], "unknown option --kep, did you mean --keep?"],
    [["--keep"], "--keep needs a value"],
    [["x"], 'unexpected argument "x"'],
  ])("%j: exit 2 and what is wrong", async (argv, why) => {
    const { code, out, err } = await cli(runHelloHooks, argv);
    expect([code, out]).toEqual([2, ""]);
    expect(
      err.startsWith(`countersign hello-hooks: ${why}\ncountersign hello-hooks --help tells more\n`),
      err,
    ).toBe(true);
  });

  const verified = (count: number) => `audit chain verified: ${count} record(s), no tampering detected`;

  test("twice into one folder: the log goes on and still verifies", async () => {
    const first = await cli(runHelloHooks, ["--keep", "kept"]);
    const second = await cli(runHelloHooks, ["--keep", "kept"]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.out).toContain(verified(4));
    expect(second.out).toContain(verified(8));
    const log = path.join(folder, "kept", "audit.jsonl");
    expect(await verifyAuditLog(log)).toMatchObject({ ok: true, count: 8 });
  });

  test("into a folder whose log was changed: broken, and where", async () => {
    await cli(runHelloHooks, ["--keep", "changed"]);
    const log = path.join(folder, "changed", "audit.jsonl");
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").replace("/etc/passwd", "/etc/shadow"));
    const { code, out } = await cli(runHelloHooks, ["--keep", "changed"]);
    expect(code).toBe(1);
    expect(out).toContain("audit chain BROKEN at record 1 of ");
  });
});
