import { describe, expect, test } from "vitest";
import type { RecordBody } from "../../src/core/audit/record";
import type { Args } from "../../src/core/call";
import { AskUser, Deny, LogOnly, Rewrite } from "../../src/core/decision";
import type { Hook } from "../../src/core/hook";
import { answerRecord } from "../../src/core/recording";
import type { AskAnswer } from "../../src/ports";
import { call, rig, sha256 } from "./fixtures";

const once: AskAnswer = { kind: "allow", scope: "once" };
const session: AskAnswer = { kind: "allow", scope: "session" };
const asker: Hook = {
  name: "asker",
  guard: true,
  preToolUse: () =>
    AskUser({
      prompt: "Delete it?",
      confirm_args: { confirm_destructive: true },
      sessionScope: { key: "rows", label: "rows" },
    }),
};
const named = (name: string, preToolUse: NonNullable<Hook["preToolUse"]>): Hook => ({ name, preToolUse });

interface Case {
  readonly given: Parameters<typeof rig>[0];
  readonly input?: Args;
  /** One call after the other. */
  readonly times?: number;
  readonly handler?: () => unknown;
  /** What each record says, in order. */
  readonly records: readonly object[];
}

const asked = { event: "call", decision: "asks_user", by: "asker", reason: "Delete it?", ask_id: "ask_1" };
const choice = (data: Args) => ({ event: "human_choice", ask_id: "ask_1", data, decision: undefined });
const refused = { event: "call", decision: "denied", by: "person", ask_id: "ask_1", approver: undefined };
const given = { event: "grant", ask_id: "ask_1", approver: "person", decision: undefined };
const code = (name: string) => expect.arrayContaining([expect.objectContaining({ code: name })]);

const cases: Readonly<Record<string, Case>> = {
  "allowed, nobody asked": {
    given: {},
    records: [{ event: "call", decision: "allow", error: null, approver: undefined, result: { size: 4 } }],
  },
  denied: {
    given: { hooks: [named("no", () => Deny("never"))] },
    records: [{ decision: "denied", by: "no", reason: "never", result: undefined, error: null }],
  },
  rewritten: {
    given: { hooks: [named("pin", () => Rewrite({ x: 2 }))] },
    input: { x: 1 },
    records: [{ decision: "rewrite", by: "pin", rewritten: true, args: { x: 2 } }],
  },
  "log-only": {
    given: { hooks: [named("look", () => LogOnly({ findings: [] }))] },
    records: [{ decision: "log_only" }],
  },
  "the tool failed": {
    given: {},
    handler: () => {
      throw new Error("boom");
    },
    records: [{ decision: "error", error: "boom" }],
  },
  "confirmed by a person, once": {
    given: { hooks: [asker], answers: [once] },
    records: [
      asked,
      choice({ choice: "allow", scope: "once" }),
      { decision: "allow", by: "asker", approver: "person", data: { consent: "once" }, ask_id: "ask_1" },
    ],
  },
  "confirmed by a person, for the session, and a second call under it": {
    given: { hooks: [asker], answers: [session] },
    times: 2,
    records: [
      asked,
      choice({ choice: "allow", scope: "session" }),
      { ...given, data: { scope: "session", shape: "rows", caps: { calls: 10 } } },
      { decision: "allow", approver: "person", data: { consent: "session" }, ask_id: "ask_1" },
      { decision: "allow", approver: "person", data: { consent: "session" }, ask_id: "ask_1" },
    ],
  },
  "confirmed by arguments": {
    given: { hooks: [asker], consent: "args" },
    input: { confirm_destructive: true },
    records: [{ decision: "allow", approver: "arguments", data: { consent: "args" }, args: {} }],
  },
  "held back for arguments": {
    given: { hooks: [asker], consent: "args" },
    records: [{ decision: "asks_user", by: "asker", reason: "Delete it?", ask_id: "ask_1" }],
  },
  "denied by a person, with a sentence": {
    given: { hooks: [asker], answers: [{ kind: "deny", sentence: "Use the archive." }] },
    records: [
      asked,
      choice({ choice: "deny", sentence: "Use the archive." }),
      { ...refused, reason: expect.stringContaining("Use the archive.") },
    ],
  },
  "denied by a person, and the agent paused; the next call unasked": {
    given: { hooks: [asker], answers: [{ kind: "deny", pauseAgent: true }] },
    times: 2,
    records: [
      asked,
      choice({ choice: "deny", pause_agent: true }),
      refused,
      { decision: "denied", by: "person", ask_id: undefined },
    ],
  },
  dismissed: {
    given: { hooks: [asker], answers: [{ kind: "dismissed" }] },
    records: [asked, choice({ choice: "dismissed" }), refused],
  },
  expired: {
    given: { hooks: [asker], answers: [{ kind: "expired" }] },
    records: [
      asked,
      choice({ choice: "expired" }),
      { ...refused, reason: expect.stringContaining("in time") },
    ],
  },
  "the caller went away": {
    given: { hooks: [asker], answers: [{ kind: "cancelled" }] },
    records: [asked, choice({ choice: "cancelled" }), refused],
  },
  "too many questions wait": {
    given: { hooks: [asker], answers: [{ kind: "busy", reason: "3 questions wait" }] },
    records: [
      asked,
      choice({ choice: "busy" }),
      { decision: "denied", by: "security", reason: expect.stringContaining("3 questions wait") },
    ],
  },
  "nobody can be asked": {
    given: { hooks: [asker], person: "absent" },
    records: [{ decision: "denied", by: "asker", ask_id: undefined }],
  },
  "forged consent": {
    given: { hooks: [asker], answers: [{ kind: "dismissed" }] },
    input: { confirm_destructive: true },
    records: [
      { ...asked, findings: code("forged_consent"), args: {} },
      choice({ choice: "dismissed" }),
      { ...refused, findings: code("forged_consent") },
    ],
  },
  "chain disabled": {
    given: { hooks: [named("no", () => Deny("never"))], enabled: false },
    records: [{ decision: "allow", findings: code("chain_disabled") }],
  },
  "a guard that throws": {
    given: {
      hooks: [
        {
          ...named("bad", () => {
            throw new Error("oops");
          }),
          guard: true,
        },
      ],
    },
    records: [{ decision: "denied", by: "bad", reason: expect.stringMatching(/^guard broken/) }],
  },
  "the call cannot be judged": {
    given: { bind: () => Promise.reject(new Error("no folder")) },
    records: [{ decision: "denied", by: "security", findings: code("guard_broken") }],
  },
  "a guard changes its mind after the click": {
    given: {
      hooks: [
        {
          name: "asker",
          guard: true,
          preToolUse: ({ extra }) => {
            const seen = extra as { clicks?: number };
            seen.clicks = (seen.clicks ?? 0) + 1;
            return seen.clicks === 1 ? AskUser({ prompt: "Delete it?" }) : Deny("gone");
          },
        },
      ],
      answers: [once],
    },
    records: [
      asked,
      choice({ choice: "allow", scope: "once" }),
      { decision: "denied", reason: "gone", ask_id: "ask_1", approver: undefined },
    ],
  },
};

const present = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
const absent = (record: object): string[] =>
  Object.entries(record)
    .filter(([, value]) => value === undefined)
    .map(([key]) => key);

describe("what is on record, through govern()", () => {
  test.each(Object.entries(cases))(
    "%s",
    async (_name, { given, input = {}, times = 1, handler, records }) => {
      const r = rig(given);
      for (let n = 0; n < times; n += 1) {
        await r.governor.govern(call("t", input), handler ?? (() => "done")).catch(() => undefined);
      }
      expect(r.records).toMatchObject(records.map(present));
      for (const [index, wanted] of records.entries()) {
        for (const key of absent(wanted)) expect(r.records[index], `${index} ${key}`).not.toHaveProperty(key);
      }
      for (const record of r.records) {
        expect(record, "each names its call, its agent and the configuration").toMatchObject({
          call_id: "c1",
          session_id: "s1",
          trace_id: "t1",
          agent: "test",
          profile: "default",
          tool: "t",
          policy_digest: "policy-1",
        });
      }
    },
  );

  test("the same outcomes at a door that holds the call: one record before the answer, one for its result", async () => {
    for (const [name, { given, input = {}, records }] of Object.entries(cases)) {
      if (name === "the tool failed" || name.includes("second") || name.includes("next")) continue;
      const r = rig(given);
      const outcome = await r.governor.authorize(call("t", input));
      const told = r.records.map(({ event, decision }) => [event, decision]);
      expect(told, name).toEqual(
        (records as Partial<RecordBody>[]).map((record) => [record.event ?? "call", record.decision]),
      );
      if (outcome.kind !== "run") continue;
      await r.governor.settle(call("t", input), outcome, { result: "done", error: null });
      expect(r.records.at(-1), name).toMatchObject({ event: "result", call_id: "c1", result: { size: 4 } });
    }
  });
});

test("ran ungoverned: the result of a call that nobody announced", async () => {
  const r = rig({});
  await r.governor.ranUngoverned(call("t", { x: 1 }), { result: "r", error: null });
  expect(r.records).toMatchObject([
    {
      event: "result",
      args: { x: 1 },
      findings: [{ code: "ran_ungoverned", severity: "error" }],
      policy_digest: "policy-1",
    },
  ]);
});

test.each<[AskAnswer, Args]>([
  [once, { choice: "allow", scope: "once", late: true }],
  [session, { choice: "allow", scope: "session", late: true }],
  [
    { kind: "deny", sentence: "no" },
    { choice: "deny", sentence: "no", late: true },
  ],
  [{ kind: "dismissed" }, { choice: "dismissed", late: true }],
])("a late answer %j is on record as one that changed nothing", (answer, data) => {
  const facts = { call: call("t", {}), hasher: sha256, policyDigest: "p" };
  expect(answerRecord(facts, { askId: "ask_1", answer, late: true })).toMatchObject({
    event: "human_choice",
    ask_id: "ask_1",
    data,
    policy_digest: "p",
  });
});

test("a choice that cannot be recorded runs nothing", async () => {
  const written: RecordBody[] = [];
  const r = rig({
    hooks: [asker],
    answers: [once],
    audit: {
      async append(body) {
        if (body.event === "human_choice") throw new Error("locked");
        written.push(body);
        return body as never;
      },
    },
  });
  let ran = 0;
  const { outcome } = await r.governor.govern(call("t", {}), () => {
    ran += 1;
  });
  expect([outcome.kind, ran]).toEqual(["denied", 0]);
  expect(written.map(({ decision }) => decision)).toEqual(["asks_user", "denied"]);
});
