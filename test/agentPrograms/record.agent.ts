/**
 * Records what the real programs hand to a hook, one payload per event and tool, into test/agents/fixtures. Runs only when asked to:
 * `node scripts/testAgents.mjs --record`. Paths of the machine are replaced.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { BrokerRequest } from "../../src/agents/hookRequest";
import { startBroker } from "../../src/node/broker";
import { quietLog } from "../core/fixtures";
import { makePlace, type Place } from "./place";
import { programs } from "./programs";

const wanted = process.env.COUNTERSIGN_TEST_AGENTS?.split(",");
const fixtures = join(import.meta.dirname, "../agents/fixtures");

describe
  .runIf(process.env.COUNTERSIGN_RECORD === "1")
  .each(programs.filter(({ id }) => wanted?.includes(id) ?? true))("$title", (program) => {
  let place: Place | undefined;
  afterAll(() => place?.remove());

  test("payloads", async () => {
    const seen: BrokerRequest[] = [];
    place = makePlace(program);
    const broker = await startBroker({
      handle: async (request) => {
        seen.push(request);
        return { stdout: "" };
      },
      log: quietLog,
    });
    place.install();
    place.openWindow(broker);
    const ran = await place.run([
      program.shell("echo hi"),
      program.shell("exit 3"),
      program.write(`${place.workspace}/made.txt`, "text\n"),
    ]);
    await broker.close();
    const folder = join(fixtures, program.id);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const written = new Set<string>();
    for (const { event, payload } of seen) {
      const plain = payload
        .replaceAll(place.workspace, "/home/ann/shop")
        .replaceAll(place.home, "/home/ann")
        .replaceAll(place.workspace.replaceAll("/", "-"), "-home-ann-shop");
      const { tool_name: tool = "" } = JSON.parse(plain);
      const name = [event, tool, /exit 3/.test(plain) ? "failing" : ""]
        .filter((part) => part !== "")
        .join("-");
      if (written.has(name)) continue;
      written.add(name);
      writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(JSON.parse(plain), null, 2)}\n`);
    }
    expect(written.size, ran.output).toBeGreaterThan(3);
    expect(
      readFileSync(join(folder, [...written][0] ? `${[...written][0]}.json` : ""), "utf8"),
    ).not.toContain(dirname(place.home));
  });
});
