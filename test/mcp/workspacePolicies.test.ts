/** Trusted policies where no window is: in the MCP server, and in a hook that judges alone. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canonicalName } from "../../src/agents/toolFacts";
import { judgeAlone } from "../../src/cli/hookAlone";
import { openMcpWorkspace } from "../../src/mcp/workspace";
import { nameCard } from "../../src/node/cards/configOnDisk";
import { createTrustStore } from "../../src/node/trustStore";
import { call, quietLog } from "../core/fixtures";
import { cardFiles, put } from "../node/cards/cardBench";
import { CARD, installedAt, installFrom, trustInstalled } from "../node/policies/trustedCard";
import { makePlace, type Place } from "./client";

let place: Place;
beforeEach(async () => {
  place = makePlace();
  put(join(place.home, "source"), cardFiles());
  await installFrom(place, join(place.home, "source"));
  await nameCard(place.root, CARD, "named");
});
afterEach(() => place.remove());

const mirror = (trusted: readonly string[]) =>
  createTrustStore({ home: place.home, now: () => 0 }).writeState({ user: {}, locked: [], trusted });

async function ask(
  command: string,
  tool = "run_in_terminal",
): Promise<{ readonly decision: string; readonly reason: string }> {
  const workspace = await openMcpWorkspace({
    cwd: place.root,
    home: place.home,
    mirror: "believed",
    env: {},
    log: quietLog,
  });
  try {
    const input = tool === "read_file" ? { filePath: join(place.root, "README.md") } : { command };
    const more = { canonicalName: canonicalName(tool), cwd: place.root };
    const outcome = await workspace.governor.authorize(call(tool, input, more));
    return { decision: outcome.kind, reason: "reason" in outcome ? String(outcome.reason) : "" };
  } finally {
    await workspace.close();
  }
}

const ROOT = 'echo "rm -rf /"';

test("a policy judges once it is trusted, in a workspace that is trusted", async () => {
  await mirror([place.root]);
  expect(await ask(ROOT)).toMatchObject({ decision: "run" });
  await trustInstalled(place);
  expect(await ask(ROOT)).toMatchObject({
    decision: "denied",
    reason: expect.stringContaining("Not the root."),
  });
  expect(await ask("echo fine")).toMatchObject({ decision: "run" });
  await mirror([]);
  expect(await ask(ROOT)).toMatchObject({ decision: "run" });
});

test("what was trusted to stop calls and is not that any more lets only reads pass", async () => {
  await mirror([place.root]);
  await trustInstalled(place);
  appendFileSync(installedAt(place, "hooks/no-root/policy.ts"), "// changed\n");
  expect(await ask("touch x")).toMatchObject({
    decision: "denied",
    reason: expect.stringMatching(/guard broken: @acme\/backend/),
  });
  expect(await ask("x", "read_file")).toMatchObject({ decision: "run" });
});

test("taking the card's name out of the configuration waits for a person, so it goes on judging", async () => {
  await mirror([place.root]);
  await trustInstalled(place);
  expect(await ask(ROOT)).toMatchObject({ decision: "denied" });
  writeFileSync(join(place.root, "gateway-hooks.toml"), "version = 1\n");
  expect((await ask(ROOT)).reason).toContain("Not the root.");
});

test("where the home folder is not this user's own, only reads pass while a card is named", async () => {
  const alone = async (tool_name: string, tool_input: object): Promise<string> => {
    const payload = JSON.stringify({
      session_id: "s",
      cwd: place.root,
      hook_event_name: "PreToolUse",
      tool_name,
      tool_input,
      tool_use_id: "t1",
    });
    const request = {
      event: "pre",
      agent: "claude",
      observer: "hook:claude",
      payload,
      cwd: place.root,
    } as const;
    const answer = await judgeAlone(request, { home: place.home, env: {} });
    return `${answer.stdout}${answer.stderr ?? ""}`;
  };
  await mirror([place.root]);
  await trustInstalled(place);
  expect(await alone("Bash", { command: "touch x" })).toContain("guard broken: @acme/backend");
  expect(await alone("Read", { file_path: join(place.root, "README.md") })).toBe("");
});
