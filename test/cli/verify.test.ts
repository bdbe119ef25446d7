import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import * as esbuild from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runVerify } from "../../src/cli/verify";
import { fileHeadStore } from "../../src/node/auditHead";
import { savePublicKey } from "../../src/node/auditKeys";
import { headOf, linesOf, sampleBodies, textOf } from "../core/audit/logs";
import {
  fileText,
  noteOver,
  notesOver,
  openBody,
  signedLines,
  testKey,
  writeLog,
} from "../core/audit/signedLogs";
import { newFolder } from "../node/auditProcess";

let folder: string;
let heads: string;
const keys = (): string => path.join(folder, "keys");
const LINES = linesOf(sampleBodies(5));

beforeAll(() => {
  folder = newFolder();
  heads = path.join(folder, "heads");
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: Buffer | readonly string[]): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, Buffer.isBuffer(content) ? content : textOf(content as string[]));
  return file;
}

async function verify(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    stdout: (text: string) => void out.push(text),
    stderr: (text: string) => void err.push(text),
    cwd: folder,
  };
  const code = await runVerify(argv, io, {
    headFolder: heads,
    keyFolder: keys(),
    verifiedFolder: path.join(folder, "verified"),
  });
  return { code, out: out.join(""), err: err.join("") };
}

describe("countersign verify", () => {
  test("ok", async () => {
    const file = write("ok.jsonl", LINES);
    expect(await verify(file, "--json")).toEqual({
      code: 0,
      out: '{"ok":true,"firstBad":null,"count":5,"level":1,"damage":[],"warnings":[]}\n',
      err: "",
    });
    const human = await verify("ok.jsonl");
    expect(human.code).toBe(0);
    expect(human.out).toContain("ok: ok.jsonl: 5 record(s), no tampering detected");
    expect(human.out).toContain("level 1:");
  });

  test("broken: the line, the byte, the kind, what to do", async () => {
    write("broken.jsonl", LINES.with(2, (LINES[2] ?? "").replace("SELECT 2", "SELECT 3")));
    const offset = textOf(LINES.slice(0, 2)).length;
    const json = await verify("--json", "broken.jsonl");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toEqual({
      ok: false,
      firstBad: 3,
      count: 5,
      level: 0,
      damage: [{ line: 3, offset, kind: "modified" }],
      warnings: [],
    });
    const human = await verify("broken.jsonl");
    expect(human.code).toBe(1);
    expect(human.out).toContain(`first bad record at line 3, byte ${offset}`);
    expect(human.out).toMatch(/modified: .*\n.*What to do: /s);
  });

  test("the head on this machine is compared without being asked for", async () => {
    const file = write("headed.jsonl", LINES);
    await fileHeadStore(heads, file).store({ ...headOf(LINES), path: file });
    expect(JSON.parse((await verify("headed.jsonl", "--json")).out)).toMatchObject({ ok: true, level: 3 });
    write("headed.jsonl", LINES.slice(0, 3));
    const cut = await verify("headed.jsonl", "--json");
    expect(cut.code).toBe(1);
    expect(JSON.parse(cut.out)).toMatchObject({ firstBad: 4, damage: [{ line: 4, kind: "truncated" }] });
    fs.rmSync(file);
    expect((await verify("headed.jsonl")).code).toBe(2);
  });

  test("a head given by hand, a level required", async () => {
    write("plain.jsonl", LINES);
    write("head.json", Buffer.from(JSON.stringify(headOf(LINES))));
    expect((await verify("plain.jsonl", "--require-level", "1")).code).toBe(0);
    const missed = await verify("plain.jsonl", "--require-level=3");
    expect(missed.code).toBe(3);
    expect(missed.err).toContain("reaches level 1");
    expect((await verify("plain.jsonl", "--require-level", "3", "--head", "head.json")).code).toBe(0);
    write("plain.jsonl", LINES.slice(0, 2));
    expect((await verify("plain.jsonl", "--require-level", "3", "--head", "head.json")).code).toBe(1);
  });

  test.each<[string, string[], RegExp]>([
    [
      "a missing file",
      ["none.jsonl"],
      /^The audit log \S+none\.jsonl cannot be read: there is no such file\.\n$/,
    ],
    ["a folder with several logs", ["."], /it holds several logs: broken\.jsonl, ok\.jsonl/],
    ["a folder without a log", ["heads"], /it holds no audit log/],
    ["a key that is none", ["ok.jsonl", "--vkey", "mine"], /"mine" is neither a verifier key nor a file/],
    ["an anchor that is missing", ["ok.jsonl", "--anchor", "none"], /^The checkpoint \S+none cannot be read/],
    [
      "no file named",
      [],
      /^countersign verify: which audit log\? Give FILE\ncountersign verify --help tells more/,
    ],
    [
      "two files",
      ["ok.jsonl", "broken.jsonl"],
      /: unexpected argument "broken\.jsonl"\ncountersign verify --help/,
    ],
    ["an unknown option", ["ok.jsonl", "--lenient"], /: unknown option --lenient\ncountersign verify --help/],
    ["a misspelt option", ["ok.jsonl", "--jsn"], /: unknown option --jsn, did you mean --json\?\n/],
    ["a flag with a value", ["ok.jsonl", "--json=yes"], /: --json takes no value\n/],
    [
      "a level that is no number",
      ["ok.jsonl", "--require-level", "high"],
      /: --require-level must be 0 to 4, not "high"\n/,
    ],
    ["a level there is not", ["ok.jsonl", "--require-level", "5"], /must be 0 to 4, not "5"\n/],
    ["no level", ["ok.jsonl", "--require-level"], /: --require-level needs a value\n/],
    ["a head that is none", ["ok.jsonl", "--head", "ok.jsonl"], /is not the head of a log/],
    [
      "a head that is missing",
      ["ok.jsonl", "--head", "none.json"],
      /^The head \S+none\.json cannot be read: there is no such file\.\n$/,
    ],
  ])("%s: exit 2 and a reason", async (_name, argv, reason) => {
    const { code, out, err } = await verify(...argv);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(reason);
  });

  test("a missing file, for readers of the JSON", async () => {
    const { code, out, err } = await verify("none.jsonl", "--json");
    expect({ code, err }).toEqual({ code: 2, err: "" });
    const error = `The audit log ${path.join(folder, "none.jsonl")} cannot be read: there is no such file.`;
    expect(out).toBe(
      `{"ok":false,"firstBad":null,"count":0,"level":0,"damage":[],"warnings":[],"error":${JSON.stringify(error)}}\n`,
    );
  });

  test.each(["--help", "-h"])("%s", async (flag) => {
    const { code, out, err } = await verify(flag);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^usage: countersign verify /);
  });
});

describe("lines of hostile shape are named, and hide none of the others", () => {
  const huge = `{"args":{"x":"${"a".repeat(8 * 1024 * 1024)}"},"event":"call"}`;
  test.each<[string, readonly string[] | Buffer, number, string]>([
    ["8 MB", LINES.toSpliced(2, 0, huge), 3, "foreign"],
    ["longer than any record", LINES.toSpliced(2, 0, huge.repeat(3)), 3, "foreign"],
    [
      "longer than any record, without an end",
      Buffer.concat([textOf(LINES), Buffer.alloc(20 * 1024 * 1024, 97)]),
      6,
      "torn",
    ],
    ["NUL bytes", LINES.toSpliced(2, 0, "\u0000".repeat(500)), 3, "foreign"],
    ["a byte-order mark", LINES.with(0, `\ufeff${LINES[0]}`), 1, "respelt"],
    ["CR before LF", LINES.map((line) => `${line}\r`), 1, "respelt"],
    ["no UTF-8", Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), textOf(LINES)]), 1, "foreign"],
    ["100,000 brackets", LINES.toSpliced(2, 0, "[".repeat(100_000)), 3, "foreign"],
  ])("%s", async (_name, content, line, kind) => {
    const file = write("hostile.jsonl", content);
    const { code, out } = await verify(file, "--json");
    expect(code).toBe(1);
    const report: { damage: { line: number; offset: number; kind: string }[] } = JSON.parse(out);
    expect(report.damage[0]).toMatchObject({ line, kind });
    if (_name === "CR before LF") return;
    expect(report.damage).toHaveLength(1);
    const bytes = fs.readFileSync(file);
    expect(report.damage[0]?.offset === 0 || bytes[(report.damage[0]?.offset ?? 0) - 1] === 10).toBe(true);
  });
});

describe("a signed log", () => {
  const key = testKey(5);
  const signed = signedLines([openBody(key), ...sampleBodies(40)], { key });
  const notes = notesOver(signed, [10, 30], { key });
  const vkey = key.vkey("log_one");
  const home = () => path.join(folder, "signed");
  const put = (lines: readonly string[], beside: string): string =>
    path.dirname(writeLog(home(), { "audit.jsonl": fileText(lines), "audit.checkpoints": beside }));

  test("without a known key its word stands alone; the text says how to rely on it", async () => {
    const { code, out } = await verify(put(signed, notes));
    expect(code).toBe(0);
    expect(out).toContain("level 1:");
    expect(out).toContain("2 valid checkpoint(s), the newest over record 30 of file 1");
    expect(out).toContain(`--vkey '${vkey}'`);
    expect(out).toMatch(/not proven: .*events that were never recorded/);
  });

  test("--vkey as text, in a file, or known to this machine; --anchor and --head", async () => {
    const log = put(signed, notes);
    write("own.vkey", Buffer.from(`${vkey}\n`));
    write("outside.txt", Buffer.from(noteOver(signed, { size: 20, key })));
    write("signed-head.json", Buffer.from(JSON.stringify(headOf(signed))));
    const level = async (...argv: string[]) => JSON.parse((await verify(log, "--json", ...argv)).out).level;
    expect(await level("--vkey", vkey)).toBe(2);
    expect(await level("--vkey", "own.vkey")).toBe(2);
    expect(await level("--vkey", vkey, "--head", "signed-head.json")).toBe(3);
    expect(await level("--anchor", "outside.txt", "--head", "signed-head.json")).toBe(4);
    expect((await verify(log, "--vkey", vkey, "--require-level", "3")).code).toBe(3);
    await savePublicKey("log_one", vkey, keys());
    expect(await level()).toBe(2);
    fs.rmSync(keys(), { recursive: true });
    expect((await verify(log, "--vkey", testKey(6).vkey("log_one"))).code).toBe(1);
  });

  test("--vkey, but no checkpoint: 1 where one is due, else 0 below what is required", async () => {
    const old = signedLines([openBody(key), ...sampleBodies(90)], { key });
    expect((await verify(put(old, ""), "--vkey", vkey)).code).toBe(1);
    const young = await verify(put(signed, ""), "--vkey", vkey, "--require-level", "2");
    expect(young.code).toBe(3);
    expect(young.out).toContain("younger than its first one is due");
  });

  test("a log without signatures says so, whatever its level", async () => {
    write("bare.jsonl", LINES);
    write("bare-head.json", Buffer.from(JSON.stringify(headOf(LINES))));
    const { out } = await verify("bare.jsonl", "--head", "bare-head.json");
    expect(out).toContain("level 3:");
    expect(out).toContain("no signatures: the log names no key");
  });

  test("--from-checkpoint reads what is new, and says what it left out", async () => {
    const log = put(signed.slice(0, 25), notesOver(signed, [10], { key }));
    const first = await verify(log, "--vkey", vkey, "--from-checkpoint");
    expect(first.out).not.toContain("not read again");
    put(signed, notes);
    const second = await verify(log, "--vkey", vkey, "--from-checkpoint");
    expect(second.code).toBe(0);
    expect(second.out).toContain("audit.jsonl: 10 of 41 record(s) were not read again");
    put(signed.with(35, (signed[35] ?? "").replace("SELECT", "DELETE")), notes);
    expect((await verify(log, "--vkey", vkey, "--from-checkpoint")).out).toContain("line 36");
  });
});

test("needs no node:sqlite: the bundle runs where the module is not to be had", async () => {
  const outfile = path.join(folder, "verify.mjs");
  await esbuild.build({
    stdin: {
      contents: `import { runVerify } from ${JSON.stringify(path.resolve("src/cli/verify.ts"))};
        process.getBuiltinModule = undefined;
        process.exitCode = await runVerify(process.argv.slice(2), { stdout: (t) => process.stdout.write(t), stderr: (t) => process.stderr.write(t) }, { headFolder: "/nowhere" });`,
      resolveDir: process.cwd(),
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile,
    logLevel: "silent",
  });
  expect(fs.readFileSync(outfile, "utf8")).not.toContain("node:sqlite");
  const file = write("bundle.jsonl", LINES);
  const run = spawnSync(process.execPath, [outfile, file, "--json"], { encoding: "utf8" });
  expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(run.stdout)).toMatchObject({ ok: true, count: 5 });
});

test("a verifier of forty lines in another language agrees", () => {
  const python = `
import sys, json, hashlib
prev, n = None, 0
for line in open(sys.argv[1], encoding="utf8"):
    record = json.loads(line)
    stated = record.pop("record_hash")
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    n += 1
    if record["prev_hash"] != prev or hashlib.sha256(text.encode()).hexdigest() != stated:
        print(False, n); sys.exit()
    prev = stated
print(True, n)`;
  const run = (file: string) => execFileSync("python3", ["-c", python, file], { encoding: "utf8" }).trim();
  expect(run(write("twin.jsonl", LINES))).toBe("True 5");
  expect(run(write("twin.jsonl", LINES.with(3, (LINES[3] ?? "").replace("SELECT 3", "SELECT 4"))))).toBe(
    "False 4",
  );
});
