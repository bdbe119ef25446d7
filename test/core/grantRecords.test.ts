import { describe, expect, test } from "vitest";
import type { RecordBody } from "../../src/core/audit/record";
import { AskUser } from "../../src/core/decision";
import { grantRecord } from "../../src/core/grantRecord";
import type { Hook } from "../../src/core/hook";
import type { AskAnswer } from "../../src/ports";
import { call, rig } from "./fixtures";

const session: AskAnswer = { kind: "allow", scope: "session" };
const pause: AskAnswer = { kind: "deny", pauseAgent: true };
const dismissed: AskAnswer = { kind: "dismissed" };

/** Asks about everything; `wide` things may be allowed for the session. */
const asker: Hook = {
  name: "asker",
  guard: true,
  preToolUse: (_ctx, _tool, args) =>
    AskUser({
      prompt: `Do ${String(args.what)}?`,
      confirm_args: { confirm: true },
      ...(args.what === "wide" ? { sessionScope: { key: "wide", label: "wide things" } } : {}),
    }),
};

const grantsOf = (records: readonly RecordBody[]) => records.filter(({ event }) => event === "grant");
const ends = (records: readonly RecordBody[]) =>
  grantsOf(records)
    .slice(1)
    .map(({ ask_id, data }) => ({ ask_id, ...data }));

async function times(r: ReturnType<typeof rig>, count: number, what = "wide"): Promise<void> {
  for (let i = 0; i < count; i += 1) await r.governor.govern(call("t", { what }), () => "done");
}

describe("a session grant on record", () => {
  test("where it begins: whose answer, what it covers, how far", async () => {
    const r = rig({ hooks: [asker], answers: [session] });
    await times(r, 3);
    const until = new Date(r.clock.now() + 30 * 60_000).toISOString();
    expect(grantsOf(r.records)).toEqual([
      {
        event: "grant",
        call_id: "c1",
        trace_id: call("t", {}).traceId,
        profile: call("t", {}).profile,
        tool: "t",
        session_id: call("t", {}).sessionId,
        agent: call("t", {}).agent,
        approver: "person",
        ask_id: "ask_1",
        policy_digest: "policy-1",
        data: { scope: "session", shape: "wide things", caps: { calls: 10, until } },
        error: null,
      },
    ]);
    // It stands before the first call that runs under it, and every one of them names the question.
    const events = r.records.map(({ event, ask_id, decision }) => [event, ask_id, decision]);
    expect(events).toEqual([
      ["call", "ask_1", "asks_user"],
      ["human_choice", "ask_1", undefined],
      ["grant", "ask_1", undefined],
      ["call", "ask_1", "allow"],
      ["call", "ask_1", "allow"],
      ["call", "ask_1", "allow"],
    ]);
  });

  test("used up", async () => {
    const r = rig({ hooks: [asker], answers: [session, dismissed] });
    await times(r, 9);
    expect(ends(r.records)).toEqual([]);
    await times(r, 2);
    expect(ends(r.records)).toEqual([{ ask_id: "ask_1", scope: "session", ended: "used_up", used: 10 }]);
    expect(r.requests).toHaveLength(2);
  });

  test("expired", async () => {
    const r = rig({ hooks: [asker], answers: [session, dismissed] });
    await times(r, 2);
    r.clock.advance(30 * 60_000);
    await times(r, 1);
    expect(ends(r.records)).toEqual([{ ask_id: "ask_1", scope: "session", ended: "expired", used: 2 }]);
    expect(r.requests).toHaveLength(2);
  });

  test("taken back when the person pauses the agent, also after it goes on", async () => {
    const r = rig({ hooks: [asker], answers: [session, pause, dismissed] });
    await times(r, 1);
    await times(r, 1, "other");
    expect(ends(r.records)).toEqual([{ ask_id: "ask_1", scope: "session", ended: "revoked", used: 1 }]);
    r.grants.resume();
    await times(r, 1);
    expect(r.requests).toHaveLength(3);
  });

  test("taken back when the window closes", async () => {
    const r = rig({ hooks: [asker], answers: [session, dismissed] });
    await times(r, 4);
    const records = r.grants.endAll().map((grant) => grantRecord(grant, { ended: "window_closed" }));
    expect(records).toMatchObject([
      { event: "grant", ask_id: "ask_1", data: { scope: "session", ended: "window_closed", used: 4 } },
    ]);
    expect(r.grants.endAll()).toEqual([]);
    await times(r, 1);
    expect(r.requests).toHaveLength(2);
  });

  test("one that cannot be recorded is not given: nothing runs on it", async () => {
    let refuse = true;
    const r = rig({
      hooks: [asker],
      answers: [session, dismissed],
      audit: {
        async append(body) {
          if (refuse && body.event === "grant") throw new Error("locked");
          return body as never;
        },
      },
    });
    const first = await r.governor.govern(call("t", { what: "wide" }), () => "done");
    refuse = false;
    const second = await r.governor.govern(call("t", { what: "wide" }), () => "done");
    expect([first.outcome.kind, second.outcome.kind, r.requests.length]).toEqual(["denied", "denied", 2]);
  });
});

test("an approval for a call that comes back later is a grant for one call", async () => {
  const r = rig({ hooks: [asker], answers: [{ kind: "allow", scope: "once" }] });
  await r.governor.authorize(call("t", { what: "narrow" }), { detached: () => true });
  await times(r, 1, "narrow");
  expect(r.requests).toHaveLength(1);
  expect(grantsOf(r.records)).toMatchObject([
    { ask_id: "ask_1", data: { scope: "once", caps: { calls: 1 } } },
    { ask_id: "ask_1", data: { scope: "once", ended: "used_up", used: 1 } },
  ]);
  expect(r.records.at(-1)).toMatchObject({ event: "call", decision: "allow", ask_id: "ask_1" });
});
