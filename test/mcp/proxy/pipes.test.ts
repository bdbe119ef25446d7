/** Streams of the proxy: whoever is slow holds the other back; whoever goes ends it. */
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Judge } from "../../../src/mcp/proxy/judge";
import type { PinStore } from "../../../src/mcp/proxy/pinFile";
import { relayStreams } from "../../../src/mcp/proxy/pipes";
import { stdioUpstream } from "../../../src/mcp/proxy/stdioUpstream";
import type { StartUpstream, UpstreamEvents } from "../../../src/mcp/proxy/upstream";

const judge: Judge = { govern: () => new Promise(() => undefined), close: async () => undefined };
const pins: PinStore = {
  listed: async () => undefined,
  of: async () => ({ state: "unlisted" }),
  approve: async () => undefined,
};
const log = { info() {}, warn() {}, error() {} };
const notice = (text: string) =>
  `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${text}"}}\n`;

function scripted() {
  const did: string[] = [];
  const state: { events?: UpstreamEvents; room: boolean; drained: () => void } = {
    room: true,
    drained: () => undefined,
  };
  const upstream: StartUpstream = (events) => {
    state.events = events;
    return {
      send(line) {
        did.push(`send ${line.toString().trim().length}`);
        return state.room;
      },
      drained: () => new Promise((resolve) => (state.drained = resolve)),
      pause: () => void did.push("pause"),
      resume: () => void did.push("resume"),
      finish() {
        did.push("finish");
        events.onEnd({ why: "done", code: 7 });
      },
      kill() {
        did.push("kill");
        events.onEnd({ why: "killed", code: 7 });
      },
    };
  };
  return { did, state, upstream };
}

function client(write: (line: Buffer | string) => boolean = () => true) {
  const stop = new AbortController();
  const [stdin, state] = [new PassThrough(), { drained: (): void => undefined }];
  const drained = () => new Promise<void>((resolve) => (state.drained = resolve));
  return { stdin, stop, state, io: { stdin, write, drained, stop: stop.signal, log } };
}

describe("pressure", () => {
  test("a client that reads slowly stops the server from being read, until it has caught up", async () => {
    const { did, state, upstream } = scripted();
    const { stdin, io, state: slow } = client(() => false);
    const done = relayStreams(io, { upstream, judge, pins });
    state.events?.onLine({ kind: "line", bytes: Buffer.from(notice("x")) });
    await sleep(10);
    expect(did).toEqual(["pause"]);
    slow.drained();
    await sleep(10);
    expect(did).toEqual(["pause", "resume"]);
    stdin.end();
    await done;
  });

  test("a server that reads slowly stops the client from being read, until it has caught up", async () => {
    const { did, state, upstream } = scripted();
    const { stdin, io } = client();
    const done = relayStreams(io, { upstream, judge, pins });
    state.room = false;
    stdin.write(notice("x"));
    await sleep(10);
    expect([did.length, stdin.isPaused()]).toEqual([1, true]);
    state.room = true;
    state.drained();
    await sleep(10);
    expect(stdin.isPaused()).toBe(false);
    stdin.end();
    await done;
  });

  test("of a server that never stops talking little is kept for a client that does not listen", async () => {
    const flood = `const line = ${JSON.stringify(notice("x".repeat(100_000)))};(function more(){while(process.stdout.write(line));process.stdout.once("drain", more)})()`;
    const upstream = stdioUpstream({
      command: process.execPath,
      args: ["-e", flood],
      cwd: "/",
      env: process.env,
    });
    let taken = 0;
    const { stop, io } = client((line) => {
      taken += line.length;
      return taken < 1_000_000;
    });
    const done = relayStreams(io, { upstream, judge, pins });
    while (taken < 1_000_000) await sleep(10);
    await sleep(300);
    expect(taken).toBeLessThan(2_000_000);
    stop.abort();
    await done;
  });
});

describe("ends", () => {
  test("the client closes its end: the server is let go, and that is no failure", async () => {
    const { did, upstream } = scripted();
    const { stdin, io } = client();
    const done = relayStreams(io, { upstream, judge, pins });
    stdin.end(notice("last").trim());
    expect(await done).toBe(0);
    expect(did).toEqual([`send ${notice("last").length - 1}`, "finish"]);
  });

  test("the process is told to end: the server is ended", async () => {
    const { did, upstream } = scripted();
    const { stop, io } = client();
    const done = relayStreams(io, { upstream, judge, pins });
    stop.abort();
    expect(await done).toBe(0);
    expect(did).toEqual(["kill"]);
  });

  test("the server ends: the proxy ends as it did", async () => {
    const { state, upstream } = scripted();
    const { io } = client();
    const done = relayStreams(io, { upstream, judge, pins });
    state.events?.onEnd({ why: "gone", code: 7 });
    expect(await done).toBe(7);
  });

  test("a server that does not listen to being told is ended for certain", async () => {
    const deaf = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("{}")`;
    const upstream = stdioUpstream({
      command: process.execPath,
      args: ["-e", deaf],
      cwd: "/",
      env: process.env,
    });
    const { stop, io } = client();
    const done = relayStreams(io, { upstream, judge, pins });
    await sleep(500);
    stop.abort();
    expect(await done).toBe(0);
  }, 20_000);
});
