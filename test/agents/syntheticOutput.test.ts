/** A denial that brings what stands in for the result: each door gives it as near to a result as it can. */
import { describe, expect, it, test } from "vitest";
import { createOwnTools } from "../../src/agents/ownTools";
import { verdictOf } from "../../src/agents/verdict";
import type { Outcome } from "../../src/core/hook";
import { refusedResult } from "../../src/mcp/proxy/answers";
import { call, rig } from "../core/fixtures";
import { policiesOf, policy } from "../core/policies/rigs";

const denied = (syntheticOutput?: unknown): Outcome => ({
  kind: "denied",
  reason: "no",
  by: "p",
  broken: false,
  args: {},
  contexts: [],
  findings: [],
  trail: [],
  rewritten: false,
  ...(syntheticOutput === undefined ? {} : { syntheticOutput }),
});

describe("a hook tells it behind the reason", () => {
  const able = { basis: "run", rewrite: true, context: true, allow: true } as const;
  const rows: readonly (readonly [unknown, string])[] = [
    [undefined, "no"],
    ["blocked", "no\nblocked"],
    [{ rows: [] }, 'no\n{"rows":[]}'],
    [null, "no\nnull"],
  ];
  it.each(rows)("%j", (output, reason) => {
    const verdict = verdictOf({ agent: "claude", rawInput: {} } as never, denied(output), able as never);
    expect(verdict).toMatchObject({ kind: "deny", reason });
  });
});

describe("the relay gives it as the server's result", () => {
  const rows: readonly (readonly [object, unknown])[] = [
    [{ kind: "denied", output: "blocked" }, { content: [{ type: "text", text: "blocked" }] }],
    [{ kind: "denied", output: { content: [] } }, { content: [] }],
    [{ kind: "denied", reason: "no" }, { isError: true }],
    [{ kind: "other", output: "x" }, { isError: true }],
  ];
  it.each(rows)("%j", (said, expected) => {
    expect(refusedResult({ ...said })).toMatchObject(expected as object);
  });
});

test("a tool of ours gives it in its own shape, and the record says denied", async () => {
  const denies = policy({ action: "deny", reason: "no", syntheticOutput: { rows: [] } });
  const { governor, records } = rig({ policies: policiesOf([denies]) });
  const own = createOwnTools({ governor });
  const signal = new AbortController().signal;
  const said = await own.run(
    { name: "kb_search", call: call("kb_search", { query: "x" }), signal },
    {} as never,
  );
  expect(said).toEqual({ kind: "ok", tool: "kb_search", rows: [] });
  expect(records).toMatchObject([{ decision: "denied", by: "p", reason: "no" }]);
});
