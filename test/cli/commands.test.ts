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
import { verifyAuditLog } from "../../src/node/auditFile";

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
    ["a list", "[]", /line:/],
    ["null", "null", /line:/],
    ["no tool", '{"id":2}', /tool:/],
    ["an empty tool", '{"tool":""}', /tool:/],
    ["arguments in a list", '{"tool":"t","args":[]}', /args:/],
    ["an id that is no id", '{"tool":"t","id":{}}', /id:/],
    ["a shell there is not", '{"tool":"t","shell":"fish"}', /shell:/],
    ["an empty cwd", '{"tool":"t","cwd":""}', /cwd:/],
    ["a world without a system", '{"tool":"t","world":{}}', /world.os:/],
  ])("%s: an error for that line, the others are judged, exit 1", async (_name, line, error) => {
    const { code, out } = await cli(runJudge, [], ["", line, '{"id":"b","tool":"t","unknown":1}']);
    const [bad, good] = out
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(bad).toEqual({ id: null, error: expect.stringMatching(error) });
    expect(bad.error).toMatch(/^line 2: /);
    expect(good).toMatchObject({ id: "b", decision: "allow" });
    expect(code).toBe(1);
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
    ["an argument", () => ["x"], /usage:/],
    ["an unknown option", () => ["--bogus"], /usage:/],
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
  test.each<[string[]]>([
    [[]],
    [["--sql"]],
    [["t", "{bad"]],
    [["t", "[]"]],
    [["t", '{"a":1},"tool":"other"']],
    [["t", "{}", "more"]],
  ])("%j: exit 2 and the usage", async (argv) => {
    const { code, out, err } = await cli(runExplain, argv);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("usage: countersign explain");
  });

  test("names the verdict and who took it", async () => {
    const { code, out } = await cli(runExplain, ["--sql", "DROP TABLE users"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^db_query_sql → ask \(destructive_sql\)/);
  });
});

describe("hello-hooks", () => {
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
