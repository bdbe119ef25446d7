import { createHmac } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { BrokerRequest } from "../../src/agents/hookRequest";
import { askBroker } from "../../src/node/askBroker";
import { type Broker, type BrokerOptions, startBroker } from "../../src/node/broker";
import { MAX_FRAME, readReply, requestLine } from "../../src/node/brokerWire";
import { tempFolder } from "../agents/pluginBench";
import { quietLog } from "../core/fixtures";

const temp = tempFolder();
const started: Broker[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((broker) => broker.close()));
});
afterAll(() => temp.remove());

async function open(options: Partial<BrokerOptions>): Promise<Broker> {
  const broker = await startBroker({
    handle: async () => ({ stdout: "" }),
    log: quietLog,
    folder: temp.path,
    ...options,
  });
  started.push(broker);
  return broker;
}

const request: BrokerRequest = {
  event: "pre",
  agent: "vscode",
  observer: "plugin",
  payload: "{}",
  cwd: "/ws",
};
const patience = { silence: 2_000, total: 5_000 };
const challenge = "c".repeat(32);

/** Sends raw bytes; resolves with what came back once the broker closed the connection. */
function talk(broker: Broker, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(broker.socket, () => socket.write(bytes));
    socket.on("data", (chunk) => (text += chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
}

describe("its place", () => {
  test("is a socket in a folder that only we can enter, short enough for every system, gone after close", async () => {
    const broker = await open({});
    const folder = dirname(broker.socket);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(Buffer.byteLength(broker.socket)).toBeLessThan(104);
    expect(broker.nonce).toMatch(/^[0-9a-f]{64}$/);
    await broker.close();
    expect(existsSync(folder)).toBe(false);
  });

  test("is refused rather than cut when its path is too long", async () => {
    const deep = join(temp.path, "d".repeat(90));
    mkdirSync(deep);
    await expect(open({ folder: deep })).rejects.toThrow("too long");
    expect(readdirSync(deep)).toEqual([]);
  });

  test("differs for each window, and so does the nonce", async () => {
    const [a, b] = [await open({}), await open({})];
    expect(a.socket).not.toBe(b.socket);
    expect(a.nonce).not.toBe(b.nonce);
  });
});

describe("a request", () => {
  test("reaches the handler whole, and its answer comes back", async () => {
    const seen: BrokerRequest[] = [];
    const broker = await open({
      handle: async (r) => {
        seen.push(r);
        return { stdout: "out\n", stderr: "err", exitCode: 2 };
      },
    });
    const payload = `{"a":"${"é\\n\u2028".repeat(1000)}"}`;
    const reply = await askBroker(broker, { ...request, payload }, patience);
    expect(reply).toEqual({ kind: "answer", answer: { stdout: "out\n", stderr: "err", exitCode: 2 } });
    expect(seen).toEqual([{ ...request, payload }]);
  });

  test("in single bytes is one request", async () => {
    const broker = await open({});
    const line = Buffer.from(requestLine(broker.nonce, challenge, { ...request, payload: "é" }));
    const text = await new Promise<string>((resolve) => {
      let got = "";
      const socket = connect(broker.socket, async () => {
        socket.setNoDelay(true);
        for (const byte of line) {
          socket.write(Buffer.from([byte]));
          await new Promise((next) => setImmediate(next));
        }
      });
      socket.on("data", (chunk) => (got += chunk)).on("close", () => resolve(got));
    });
    expect(readReply(broker.nonce, challenge, text.trimEnd())).toEqual({
      kind: "answer",
      answer: { stdout: "" },
    });
  });

  const refused: readonly [string, (broker: Broker) => string | Buffer, RegExp][] = [
    ["no line of ours", () => "GET / HTTP/1.1\n", /could not read/],
    ["empty", () => "\n", /could not read/],
    ["bytes that are no text", () => Buffer.from([0xff, 0x00, 0x0a]), /could not read/],
    ["of another window", () => requestLine("0".repeat(64), challenge, request), /does not belong/],
    [
      "changed on the way",
      (b) => requestLine(b.nonce, challenge, request).replace("vscode", "claude"),
      /does not belong/,
    ],
    ["without JSON", (b) => signed(b, "{"), /could not read/],
    ["with a missing field", (b) => signed(b, '{"event":"pre"}'), /could not read/],
    [
      "of an unknown event",
      (b) => requestLine(b.nonce, challenge, { ...request, event: "maybe" as "pre" }),
      /could not read/,
    ],
  ];
  /** A line with a proper proof around any body; also pins the format for clients in other languages. */
  function signed(broker: Broker, body: string): string {
    const proof = createHmac("sha256", broker.nonce).update(`request\n${challenge}\n${body}`).digest("hex");
    return `CSB1 ${challenge} ${proof} ${body}\n`;
  }
  test.each(refused)("that is %s is refused", async (_, bytes, reason) => {
    let asked = 0;
    const broker = await open({
      handle: async () => {
        asked += 1;
        return { stdout: "" };
      },
    });
    const text = await talk(broker, bytes(broker));
    expect(text).toContain('"kind":"broken"');
    expect(text).toMatch(reason);
    expect(asked).toBe(0);
  });

  test("that never ends is refused after a while", async () => {
    const broker = await open({ frameMs: 200 });
    expect(await talk(broker, "CSB1 half")).toMatch(/did not arrive in time/);
  });

  test("over the cap is refused before it is read to its end", async () => {
    const broker = await open({});
    expect(await talk(broker, Buffer.alloc(MAX_FRAME + 10, "x"))).toMatch(/too large/);
  });

  test("whose handler throws is answered as broken", async () => {
    const broker = await open({
      handle: async () => {
        throw new Error("audit is full");
      },
    });
    expect(await askBroker(broker, request, patience)).toEqual({ kind: "broken", reason: "audit is full" });
  });
});

describe("a held call", () => {
  test("is aborted when its client goes away, and only it", async () => {
    const signals: AbortSignal[] = [];
    const release: (() => void)[] = [];
    const broker = await open({
      handle: (_, { signal }) => {
        signals.push(signal);
        return new Promise((resolve) => release.push(() => resolve({ stdout: "done" })));
      },
    });
    const leaver = connect(broker.socket, () => leaver.write(requestLine(broker.nonce, challenge, request)));
    await expect.poll(() => signals.length).toBe(1);
    const stayer = askBroker(broker, request, patience);
    await expect.poll(() => signals.length).toBe(2);
    leaver.destroy();
    await expect.poll(() => signals[0]?.aborted).toBe(true);
    expect(signals[1]?.aborted).toBe(false);
    for (const go of release) go();
    expect(await stayer).toEqual({ kind: "answer", answer: { stdout: "done" } });
    expect(signals[1]?.aborted).toBe(false);
  });

  test("does not keep others waiting: 500 held, and the next is answered at once", async () => {
    let count = 0;
    const broker = await open({
      handle: (r) => {
        if (r.payload !== "hold") return Promise.resolve({ stdout: "now" });
        count += 1;
        return new Promise(() => undefined);
      },
    });
    const held = Array.from({ length: 500 }, () =>
      askBroker(broker, { ...request, payload: "hold" }, patience),
    );
    await expect.poll(() => count, { timeout: 10_000 }).toBe(500);
    const began = performance.now();
    expect(await askBroker(broker, request, patience)).toEqual({ kind: "answer", answer: { stdout: "now" } });
    expect(performance.now() - began).toBeLessThan(1_000);
    await broker.close();
    for (const reply of await Promise.all(held)) expect(reply.kind).toBe("broken");
  });

  test("hears that the broker is alive", async () => {
    const broker = await open({
      heartbeatMs: 50,
      handle: () => new Promise((resolve) => setTimeout(() => resolve({ stdout: "late" }), 800)),
    });
    expect(await askBroker(broker, request, { silence: 400, total: 5_000 })).toMatchObject({
      kind: "answer",
    });
    expect(await askBroker(broker, request, { silence: 400, total: 500 })).toMatchObject({
      reason: "no verdict in time",
    });
  });
});
