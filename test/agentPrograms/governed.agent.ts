/** Each real program, started against a scripted model, is held to the verdicts of a real governor through our real launcher. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { agentDoors } from "../../src/agents/agentDoors";
import { type Broker, startBroker } from "../../src/node/broker";
import { hookProgram } from "../../src/node/launcherFiles";
import type { AskAnswer } from "../../src/ports";
import { type DoorBench, doorBench } from "../agents/doorBench";
import { quietLog } from "../core/fixtures";
import { note } from "./findings";
import { makePlace, type Place, put, type Ran } from "./place";
import { programs } from "./programs";

type Answers = NonNullable<NonNullable<Parameters<typeof doorBench>[0]>["answers"]>;

const wanted = process.env.COUNTERSIGN_TEST_AGENTS?.split(",");
const once: AskAnswer = { kind: "allow", scope: "once" };
const no: AskAnswer = { kind: "deny", sentence: "use the copy" };

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

describe.each(programs.filter(({ id }) => wanted?.includes(id) ?? true))("$title", (program) => {
  async function governed(
    answers: Answers = [],
  ): Promise<{ place: Place; bench: DoorBench; broker: Broker }> {
    const place = makePlace(program);
    open.push(() => place.remove());
    const bench = doorBench({ answers });
    const broker = await startBroker({ handle: bench.door, log: quietLog });
    open.push(() => broker.close());
    place.install();
    place.openWindow(broker);
    return { place, bench, broker };
  }
  const told = (ran: Ran): string => ran.heard.results.map(({ content }) => content).join("\n");
  /** The model reads that the guard failed, and never that somebody decided so. */
  function expectBroken(ran: Ran): void {
    expect(ran.heard.results).toHaveLength(1);
    if (program.isMute) expect(told(ran)).toMatch(/denied|hook/i);
    else expect(told(ran)).toContain("guard broken: ");
  }

  test("a call that is allowed runs, and its result is on record", async () => {
    const { place, bench } = await governed();
    const command = "echo ran > marker && echo said-by-the-tool";
    const ran = await place.run([program.shell(command)]);
    expect(place.has("marker"), ran.output).toBe(true);
    expect(eventsOf(bench)).toEqual(["call allow", "result allow"]);
    expect(bench.records[0]).toMatchObject({ agent: program.id, args: { command } });
    expect(told(ran)).toContain("said-by-the-tool");
    note(program, {
      allow: "runs; call and result on record",
      "rewrite out": "as the tool gave it; recorded",
    });
  });

  test("a call that is denied does not run, and the model is told why", async () => {
    const { place, bench } = await governed();
    const ran = await place.run([program.shell("echo DENY > marker")]);
    expect(place.has("marker"), ran.output).toBe(false);
    expect(told(ran)).toContain("not here");
    expect(eventsOf(bench)).toEqual(["call denied"]);
    note(program, { deny: "denied; the model reads the reason" });
  });

  test("a call that a person confirms runs without another question", async () => {
    const { place, bench } = await governed([once]);
    const ran = await place.run([program.shell("echo ASK > marker")]);
    expect(place.has("marker"), ran.output).toBe(true);
    expect(bench.requests).toHaveLength(1);
    expect(bench.requests[0]?.call).toMatchObject({ agent: program.id, cwd: place.workspace });
    expect(eventsOf(bench)).toEqual(["call asks_user", "human_choice", "call allow", "result allow"]);
    note(program, { ask: "held; runs after the click" });
  });

  test("a call that a person declines does not run, and the model reads their sentence", async () => {
    const { place, bench } = await governed([() => setTimeout(3_000, no)]);
    const ran = await place.run([program.shell("echo ASK > marker")]);
    expect(place.has("marker"), ran.output).toBe(false);
    expect(told(ran)).toContain("use the copy");
    expect(eventsOf(bench)).toEqual(["call asks_user", "human_choice", "call denied"]);
  });

  test("rewritten arguments are the ones that run, or the model is told which to use", async () => {
    const { place } = await governed();
    const ran = await place.run([program.shell("echo REWRITE > marker")]);
    const { rewrite } = agentDoors[program.id].capabilities;
    if (rewrite) expect(place.read("marker")).toBe("SAFE\n");
    else {
      expect(place.has("marker"), ran.output).toBe(false);
      expect(told(ran)).toContain("echo SAFE > marker");
    }
    note(program, { "rewrite in": rewrite ? "runs as rewritten" : "denied; the model is told what to use" });
  });

  test("a file tool is judged as well", async () => {
    const { place, bench } = await governed();
    await place.run([program.write(`${place.workspace}/made.txt`, "text\n")]);
    expect(place.read("made.txt")).toBe("text\n");
    expect(eventsOf(bench)).toEqual(["call allow", "result allow"]);
  });

  test("with a window that does not answer, nothing runs", async () => {
    const { place, broker } = await governed();
    await broker.close();
    const ran = await place.run([program.shell("echo ran > marker")]);
    expect(place.has("marker"), ran.output).toBe(false);
    expectBroken(ran);
    note(program, { "broker down": "denied" });
  });

  test("with an answer that is not ours, nothing runs", async () => {
    const { place, broker } = await governed();
    place.openWindow({ ...broker, http: await talker(broker, '{"ok":true}') });
    const ran = await place.run([program.shell("echo ran > marker")]);
    expect(place.has("marker"), ran.output).toBe(false);
    expectBroken(ran);
    note(program, { garbage: "denied" });
  });

  test("our own deadline comes before the program's, and denies", async () => {
    // Somebody agrees after all, far too late.
    const { place } = await governed([() => setTimeout(200_000, once, { ref: false })]);
    const file = hookProgram(place.home);
    writeFileSync(file, readFileSync(file, "utf8").replace("most=1800", "most=2"));
    const ran = await place.run([program.shell("echo ASK > marker")]);
    expect(place.has("marker"), ran.output).toBe(false);
    expectBroken(ran);
    note(program, { timeout: "denied" });
  });

  test("a hook that is killed while it waits", async () => {
    const { place, bench } = await governed([() => setTimeout(200_000, no, { ref: false })]);
    const running = place.run([program.shell("echo ASK > marker")]);
    await expect.poll(() => bench.requests.length, { timeout: 120_000 }).toBe(1);
    killHooksOf(place.home);
    const ran = await running;
    expect(place.has("marker"), ran.output).toBe(false);
    note(program, { crash: "denied" });
  });

  test("without the launcher, nothing runs", async () => {
    const { place } = await governed();
    rmSync(hookProgram(place.home));
    const ran = await place.run([program.shell("echo ran > marker")]);
    expect(place.has("marker"), ran.output).toBe(false);
    expect(ran.heard.results).toHaveLength(1);
    note(program, { "launcher gone": "denied" });
  });

  describe("where no window has the folder open", () => {
    test("our own core judges, records, and denies what needs a person", async () => {
      const place = makePlace(program);
      open.push(() => place.remove());
      place.install();
      put(`${place.workspace}/gateway-hooks.toml`, "version = 1\n");
      const drop = "sqlite3 app.db 'DROP TABLE users'";
      const ran = await place.run([
        program.shell("echo ran > marker"),
        program.shell(`${drop}; echo gone > dropped`),
      ]);
      expect(place.has("marker"), ran.output).toBe(true);
      expect(place.has("dropped"), ran.output).toBe(false);
      expect(told(ran)).toContain("no editor window with Countersign");
      expect(logOf(place)).toMatchObject([
        { event: "call", decision: "allow" },
        { event: "result", decision: "allow" },
        { event: "call", decision: "denied" },
      ]);
      note(program, { "no window": "judged in the hook; an ask is a denial" });
    });

    test("the program does not take out its own hook", async () => {
      const place = makePlace(program);
      open.push(() => place.remove());
      place.install();
      const installed = readFileSync(place.settings, "utf8");
      const ran = await place.run([
        program.shell(`rm -f ${place.settings}`),
        program.shell(`cd ${dirname(place.settings)} && echo '{}' > ${basename(place.settings)}`),
        program.write(place.settings, "{}\n"),
        program.shell(`rm -rf ${place.home}/.countersign/bin`),
        program.shell("echo ran > marker"),
      ]);
      const now = readFileSync(place.settings, "utf8");
      if (program.adds === undefined) expect(now, ran.output).toBe(installed);
      else expect(JSON.parse(now)).toEqual({ ...JSON.parse(installed), [program.adds]: expect.anything() });
      expect(existsSync(hookProgram(place.home))).toBe(true);
      expect(place.has("marker"), ran.output).toBe(true);
      const why = ran.heard.results.map(({ content }) =>
        /no editor window with Countersign/.test(content)
          ? "us"
          : program.fence?.test(content)
            ? "the program"
            : content,
      );
      const fenced = program.fence !== undefined;
      expect(why.slice(0, 4)).toEqual(["us", "us", fenced ? "the program" : "us", "us"]);
      note(program, { "own hook": fenced ? "denied; to its file tool by the program itself" : "denied" });
    });
  });

  test("uninstalled, the settings are what they were, and the program works without us", async () => {
    const place = makePlace(program);
    open.push(() => place.remove());
    const { theirs = '{\n    "theirs": [ 1, 2 ]\n}\n' } = program;
    if (!existsSync(place.settings)) put(place.settings, theirs);
    const before = readFileSync(place.settings, "utf8");
    place.install();
    expect(readFileSync(place.settings, "utf8")).not.toBe(before);
    place.uninstall();
    expect(readFileSync(place.settings, "utf8")).toBe(before);
    rmSync(hookProgram(place.home));
    await place.run([program.shell("echo ran > marker")]);
    expect(place.has("marker")).toBe(true);
    note(program, { uninstall: "byte for byte" });
  });
});

const eventsOf = ({ records }: DoorBench): string[] =>
  records.map(({ event, decision }) => [event, decision].filter((part) => part !== undefined).join(" "));

function logOf(place: Place): unknown[] {
  const file = `${place.workspace}/.countersign/storage/default/audit.jsonl`;
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === "call" || event === "result");
}

/** A server in the broker's own folder that says `text` to everybody. */
async function talker(broker: Broker, text: string): Promise<string> {
  const socket = `${dirname(broker.socket)}/x`;
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end(text));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return socket;
}

/** Kills every process whose command line names this home's launcher: the hook's shell. */
function killHooksOf(home: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (words.some((word) => word === hookProgram(home))) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}
