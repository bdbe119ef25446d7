import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHookDoor } from "../../src/agents/hookDoor";
import { canonicalName } from "../../src/agents/toolFacts";
import { runJudge } from "../../src/cli/judge";
import type { Args } from "../../src/core/call";
import { createHooks, type Hooks } from "../../src/node/hooks";
import { nodeClock, nodeIds, sha256 } from "../../src/node/ports";
import type { AskRequest } from "../../src/ports";
import { quietLog } from "../core/fixtures";
import { type GoldenCase, goldenCases } from "./cases";
import { type GoldenPlaces, goldenPlaces } from "./places";

let places: GoldenPlaces;
let hooks: Hooks;
const requests: AskRequest[] = [];

beforeAll(async () => {
  places = await goldenPlaces();
  const config = { chain: { options: { destructive_sql: { consent: "human" } } } } as const;
  const ask = {
    available: true,
    ask: async (request: AskRequest) => {
      requests.push(request);
      return { kind: "deny" } as const;
    },
  };
  hooks = await createHooks({ roots: [places.ws], config, env: {}, ask, log: quietLog });
});
afterAll(async () => {
  await hooks.close();
  await places.remove();
});

const placed = (args: Args): Args => places.placed(args);

const throughCore = async (one: GoldenCase): Promise<[string, string | null]> => {
  const extra = one.dialect === undefined ? {} : { dialect: one.dialect };
  const evaluation = await hooks.governor.evaluate(hooks.call(one.tool, placed(one.args), { extra }));
  return [evaluation.kind, evaluation.by];
};

const throughCommandLine = async (one: GoldenCase): Promise<[string, string | null]> => {
  const { ws } = places;
  const line = JSON.stringify({
    id: 1,
    tool: one.tool,
    args: placed(one.args),
    cwd: ws,
    ...(one.dialect === undefined ? {} : { dialect: one.dialect }),
  });
  let out = "";
  const io = {
    stdout(text: string) {
      out += text;
    },
    stderr: () => undefined,
    lines: (async function* () {
      yield line;
    })(),
    stdin: (async function* () {})(),
    env: {},
    cwd: tmpdir(),
  };
  expect(await runJudge([], io)).toBe(0);
  const verdict = JSON.parse(out) as { decision: string; by: string | null };
  return [verdict.decision, verdict.by];
};

const throughHook = async (one: GoldenCase): Promise<[string, string | null]> => {
  requests.length = 0;
  const denied: string[] = [];
  const listening = hooks.onHookDenied((event) => denied.push(event.by));
  const door = createHookDoor({
    governor: hooks.governor,
    isOwnTool: () => false,
    canonicalName,
    profile: () => "default",
    hash: sha256,
    clock: nodeClock,
    ids: nodeIds,
    log: quietLog,
  });
  const payload = JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "s1",
    tool_name: one.tool,
    tool_input: placed(one.args),
    tool_use_id: "call_1__vscode-1",
    cwd: places.ws,
  });
  const answer = await door(
    { event: "pre", agent: "vscode", observer: "plugin", payload, cwd: places.ws },
    { signal: new AbortController().signal },
  );
  listening.dispose();
  const [request] = requests;
  if (request !== undefined) {
    expect(answer.stdout).toContain('"permissionDecision":"deny"');
    return ["ask", request.by[0] ?? null];
  }
  if (answer.stdout === "") return ["allow", null];
  expect(answer.stdout).toContain('"permissionDecision":"deny"');
  return ["deny", denied[0] ?? null];
};

describe.each(goldenCases)("$name", (one) => {
  const expected = [one.decision, one.by];
  test("core", async () => expect(await throughCore(one)).toEqual(expected));
  test("command line", async () => expect(await throughCommandLine(one)).toEqual(expected));
  // The hook names no dialect: there the strictest reading counts.
  test("hook client", async () => expect(await throughHook(one)).toEqual(expected));
});
