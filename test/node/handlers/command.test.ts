import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerOf, atEnd, event, handlerOf, idle, sceneOf, short, until } from "./scene";

const sh = (text: string, more = "") => `type = "command", command = ${JSON.stringify(text)}${more}`;
const list = (...words: string[]) => `type = "command", command = ${JSON.stringify(words)}`;
const node = (code: string, more = "") => `${list(process.execPath, "-e", code)}${more}`;

/** A handler, and what it comes to. */
const answers: readonly (readonly [string, string, string | RegExp])[] = [
  ["nothing on standard output allows", sh("exit 0"), "allow"],
  ["null allows", sh("echo null"), "allow"],
  ["a result in JSON counts", sh(`echo '{"decision":"deny","reason":"no"}'`), "deny: no"],
  ["a rewrite", sh(`echo '{"decision":"rewrite","updated_input":{"a":1}}'`), 'rewrite {"a":1}'],
  ["plain text is context", sh("echo hello"), "context: hello"],
  ["text of several lines", sh("printf 'a\\nb\\n'"), "context: a\nb"],
  ["exit 2 denies with standard error", sh("echo no >&2; exit 2"), "deny: no"],
  ["exit 2 ignores standard output", sh(`echo '{"decision":"allow"}'; echo no >&2; exit 2`), "deny: no"],
  ["exit 2 without a reason", sh("exit 2"), "deny: denied by hook guard"],
  ["exit 1 has failed", sh("echo oops >&2; exit 1"), "failed: exit status 1: oops"],
  ["exit 1 with an allow has failed", sh(`echo '{"decision":"allow"}'; exit 1`), "failed: exit status 1"],
  ["a crash has failed", sh("kill -SEGV $$"), "failed: ended by SIGSEGV"],
  ["no such program in a text", `${sh("no-such-program-here")}, reaches = []`, /^failed: exit status 127/],
  ["half JSON", sh(`printf '{"decision":"al'`), /^failed: its answer is no JSON/],
  ["JSON with a tail", sh(`echo '{"decision":"allow"} and more'`), /^failed: its answer is no JSON/],
  ["an unknown decision", sh(`echo '{"decision":"maybe"}'`), /^failed: decision must be allow/],
  ["a misspelt key", sh(`echo '{"decison":"deny"}'`), /^failed: the answer has an unknown key/],
  ["a wrong type", sh(`echo '{"decision":"rewrite","updated_input":[1]}'`), /^failed: updated_input must be/],
  ["no UTF-8", sh("printf '\\377\\376'"), "failed: it printed what is no UTF-8"],
  ["10 MB of answer", node("process.stdout.write('x'.repeat(1e7))"), "failed: it printed more than 1 MiB"],
  ["1 MiB less one is an answer", node("process.stdout.write('x'.repeat(1048575))"), /^context: x+$/],
  ["an endless answer", sh("yes"), "failed: it printed more than 1 MiB"],
  [
    "a flood of errors",
    node("process.stderr.write('x'.repeat(5e6), () => process.exit(2))"),
    /^deny: x{4000}$/,
  ],
  ["input never read", sh("exec 0<&-; echo fine"), "context: fine"],
  ["standard output closed at once", sh("exec 1>&-; exit 0"), "allow"],
  ["a list has no shell", list("/bin/echo", "$HOME", "; exit 2"), "context: $HOME ; exit 2"],
  [
    "the event on standard input",
    sh("cat | tr -d '\\n' | sed 's/^/got /'"),
    /^context: got \{"event":"pre_tool_call".*Grüße ✓/,
  ],
];

describe("what a command's exit and output mean", () => {
  it.each(answers)("%s", async (_, handler, wanted) => {
    const answer = short(await answerOf(sceneOf([handler])));
    if (typeof wanted === "string") expect(answer).toBe(wanted);
    else expect(answer).toMatch(wanted);
  });

  it("does not choke on a command that ends before it has read 8 MB", async () => {
    const big = { ...event, tool_input: { text: "x".repeat(8_000_000) } };
    expect(short(await answerOf(sceneOf([sh("head -c 1 >/dev/null; echo read")]), big))).toBe(
      "context: read",
    );
  });

  it("is broken by an event that cannot be handed over", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const handler = await handlerOf(sceneOf([sh("exit 0")]));
    expect((await handler.run({ ...event, tool_input: cyclic }, idle)).kind).toBe("broken");
    expect((await handler.run({ ...event, tool_input: { n: 1n } }, idle)).kind).toBe("broken");
    const long = { ...event, tool_input: { text: "x".repeat(17 * 1024 * 1024) } };
    expect((await handler.run(long, idle)).kind).toBe("broken");
  });
});

/** Pids that run with this word in their command line. */
function running(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/cmdline`, "latin1");
      return (
        /^\d+$/.test(pid) && text.includes(word) && !/ Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
      );
    } catch {
      return false;
    }
  });
}

let serial = 0;
/** A number of seconds that no other process sleeps. */
const seconds = () => String(100_000 + process.pid + ++serial / 1000);

const SLOW = ", timeout = 0.4";

/** Commands that hang, each with a way to outlive its end; SLEEP is a program that can be told apart. */
const hanging: readonly (readonly [string, string])[] = [
  ["itself", "exec SLEEP"],
  ["a child", "SLEEP; true"],
  ["background children", "SLEEP & SLEEP & wait"],
  ["deaf to SIGTERM", "trap '' TERM HUP INT; SLEEP; true"],
  ["a session of its own", "setsid SLEEP & sleep 60"],
  ["twice forked", "(setsid sh -c 'SLEEP & true' &) ; sleep 60"],
  ["a session without the outputs", "setsid SLEEP </dev/null >/dev/null 2>&1 & sleep 60"],
  ["outputs closed", "exec 1>&- 2>&-; SLEEP; true"],
];

describe("the tree of processes", () => {
  it.each(hanging)("is ended at the timeout: %s", async (_, text) => {
    const sleep = `sleep ${seconds()}`;
    const handler = await handlerOf(sceneOf([sh(text.replaceAll("SLEEP", sleep), SLOW)]));
    const answer = handler.run(event, idle);
    expect(await until(() => running(sleep.replace(" ", "\0")).length > 0)).toBe(true);
    expect(short(await answer)).toBe("failed: it did not answer in time and was ended");
    expect(running(sleep.replace(" ", "\0"))).toEqual([]);
  });

  const started = "sh -c 'echo $$ >pid; exec SLEEP'";
  it.each([
    ["in its group", `${started} & READY`],
    ["holding the output", `setsid ${started} & READY`],
    ["in another session", `setsid ${started} >/dev/null 2>&1 & READY`],
  ])("leaves nothing behind when it is done: %s", async (_, text) => {
    const sleep = `sleep ${seconds()}`;
    const ready = "while [ ! -s pid ]; do sleep 0.01; done; echo done";
    const scene = sceneOf([sh(text.replaceAll("SLEEP", sleep).replace("READY", ready))]);
    expect(short(await answerOf(scene))).toBe("context: done");
    expect(readFileSync(join(scene.folder, "pid"), "utf8")).toMatch(/^\d+\n$/);
    expect(await until(() => running(sleep.replace(" ", "\0")).length === 0)).toBe(true);
  });

  it("is ended when the caller goes away", async () => {
    const sleep = `sleep ${seconds()}`;
    const gone = new AbortController();
    const answer = (await handlerOf(sceneOf([sh(`${sleep}; true`)]))).run(event, gone.signal);
    expect(await until(() => running(sleep.replace(" ", "\0")).length > 0)).toBe(true);
    gone.abort();
    expect(short(await answer)).toBe("failed: it was ended before it answered");
    expect(running(sleep.replace(" ", "\0"))).toEqual([]);
  });

  it("is not started for a caller that is gone already", async () => {
    const scene = sceneOf([sh("touch ran")]);
    expect((await (await handlerOf(scene)).run(event, AbortSignal.abort())).kind).toBe("failed");
    expect(existsSync(join(scene.folder, "ran"))).toBe(false);
  });

  it("leaves no zombies", async () => {
    const handler = await handlerOf(sceneOf([sh("true & true & exit 0")]));
    await Promise.all(Array.from({ length: 20 }, () => handler.run(event, idle)));
    const own = () =>
      readdirSync("/proc").filter((pid) => {
        try {
          const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
          const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
          return state === "Z" && parent === String(process.pid);
        } catch {
          return false;
        }
      });
    expect(await until(() => own().length === 0)).toBe(true);
  });
});

describe("what a command sees", () => {
  it("is few variables, none of them secret, and those that are named", async () => {
    process.env.API_TOKEN = "s3cret";
    process.env.COUNTERSIGN_SOCKET = "/run/x";
    atEnd(() => {
      delete process.env.API_TOKEN;
      delete process.env.COUNTERSIGN_SOCKET;
    });
    const plain = short(await answerOf(sceneOf([sh("env")])));
    expect(plain).not.toMatch(/s3cret|COUNTERSIGN_SOCKET|NODE_OPTIONS|VITEST/);
    expect(plain).toMatch(/^PATH=\//m);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own notation.
    const table = ', env = { MODE = "strict", BOTH = "a-${API_TOKEN}", API_TOKEN = "${API_TOKEN}" }';
    const named = sceneOf([sh("echo $API_TOKEN $MODE $BOTH", table)]);
    expect(short(await answerOf(named))).toBe("context: s3cret strict a-s3cret");
  });

  it("is no relative entry of PATH", async () => {
    const scene = sceneOf(
      [`${sh("evil || echo none")}, reaches = []`],
      { "bin/evil.sh": "#!/bin/sh\necho ran\n" },
      { env: { PATH: "bin::.:/usr/bin:/bin" } },
    );
    expect(short(await answerOf(scene))).toBe("context: none");
  });

  it("runs in the configuration's folder, or where it says", async () => {
    const scene = sceneOf([sh("pwd")], { "sub/x": "" });
    expect(short(await answerOf(scene))).toBe(`context: ${scene.folder}`);
    const inner = sceneOf([sh("pwd", ', cwd = "sub"')], { "sub/x": "" });
    expect(short(await answerOf(inner))).toBe(`context: ${inner.folder}/sub`);
  });

  it("is the run's id and folder, as data only", async () => {
    const evil = { ...event, run_id: "a b$(touch ran);\"'" };
    for (const handler of [
      sh('echo {run_id} "{run_id}" {run_dir}'),
      list("/bin/echo", "{run_id}", "{run_id}", "{run_dir}"),
    ]) {
      const scene = sceneOf([handler]);
      expect(short(await answerOf(scene, evil))).toBe(
        `context: ${evil.run_id} ${evil.run_id} ${scene.folder}/runs/${evil.run_id}`,
      );
      expect(existsSync(join(scene.folder, "ran"))).toBe(false);
    }
  });
});
