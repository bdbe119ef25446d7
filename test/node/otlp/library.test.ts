import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHooks } from "../../../src/library";
import { allEntries, type Receiver, startReceiver } from "./receiver";

let folder: string;
let receiver: Receiver;

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "countersign-otlp-library-"));
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const open = (endpoint: string) =>
  createHooks({
    auditPath: path.join(folder, "audit.jsonl"),
    roots: [folder],
    otlpEndpoint: endpoint,
    env: { OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=k1" },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });

test("each record of the log arrives, and the tool gets its arguments as they were", async () => {
  const hooks = await open(receiver.url);
  const given: unknown[] = [];
  const args = { text: "password=hunter2x", token: "ghp_0123456789abcdefghijABCDEFGHIJ012345" };
  await hooks.govern("a_tool", args, (received) => given.push(received));
  await hooks.govern("b_tool", { n: 1 }, () => "ran");
  await hooks.close();
  expect(given).toEqual([args]);
  const lines = fs.readFileSync(path.join(folder, "audit.jsonl"), "utf8").trimEnd().split("\n");
  expect(allEntries(receiver).map(({ body }) => body)).toEqual(lines);
  expect(receiver.received[0]?.headers["x-api-key"]).toBe("k1");
  expect(JSON.stringify(receiver.received)).not.toContain("hunter2x");
});

test("a dead receiver fails and holds no call, and its queue is sent by the next run", async () => {
  const { url } = receiver;
  await receiver.close();
  const hooks = await open(url);
  const ran = await hooks.govern("a_tool", { n: 1 }, () => "ran");
  expect(ran).toMatchObject({ result: "ran" });
  await hooks.close();
  receiver = await startReceiver(Number(new URL(url).port));
  const again = await open(url);
  for (let i = 0; i < 200 && allEntries(receiver).length === 0; i += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await again.close();
  expect(allEntries(receiver)).toHaveLength(1);
});

test("an address that is none is told at once", async () => {
  await expect(open("localhost")).rejects.toThrow(/no http or https address/);
});
