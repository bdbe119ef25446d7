/** The native dialog behind the `Ask` port, with the dialog itself played by the test. */
import { beforeEach, describe, expect, test } from "vitest";
import { untranslated } from "../../src/core/askText";
import { askModal, type MoreAnswer, PERSON_MS } from "../../src/host/askModal";
import type { Ask, AskAnswer, AskRequest } from "../../src/ports";
import { type FakeClock, fakeClock } from "./fakeClock";

interface Dialog {
  readonly title: string;
  readonly detail: string;
  readonly buttons: readonly string[];
  answer(button: string | undefined): void;
}

let clock: FakeClock;
let dialogs: Dialog[];
let waiting: number[];
let late: [string, AskAnswer["kind"]][];
let details: { request: AskRequest; done: () => void; signal: AbortSignal }[];
let moreAnswers: MoreAnswer[];
let ask: Ask;

beforeEach(() => {
  clock = fakeClock();
  dialogs = [];
  waiting = [];
  late = [];
  details = [];
  moreAnswers = [];
  ask = askModal({
    show: (title, { detail }, ...buttons) =>
      new Promise((resolve) => dialogs.push({ title, detail, buttons, answer: resolve })),
    more: async () => moreAnswers.shift(),
    openDetails: (request, signal) => new Promise((done) => details.push({ request, done, signal })),
    clock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    t: untranslated,
    onWaiting: (count) => waiting.push(count),
    onLate: (request, answer) => late.push([request.askId, answer.kind]),
  });
});

function request(
  id: string,
  changes: Partial<AskRequest> & { session?: string; agent?: string } = {},
): AskRequest {
  const { session = "s1", agent = "vscode", ...rest } = changes;
  return {
    askId: id,
    prompt: `prompt ${id}`,
    by: ["destructive_sql"],
    details: { sql: `DELETE FROM ${id}` },
    finalArgs: { sql: `DELETE FROM ${id}` },
    call: {
      callId: id,
      runId: "r",
      sessionId: session,
      agent,
      toolName: "db_query_sql",
      canonicalName: "db_query_sql",
      input: {},
      profile: "p",
      traceId: "t",
      extra: {},
    },
    ...rest,
  };
}

/** Asks, and keeps the answer once it is there. */
function pose(what: AskRequest): { answer: AskAnswer | null; cancel: () => void } {
  const controller = new AbortController();
  const posed: { answer: AskAnswer | null; cancel: () => void } = {
    answer: null,
    cancel: () => controller.abort(),
  };
  void ask.ask(what, controller.signal).then((answer) => {
    posed.answer = answer;
  });
  return posed;
}

const newest = (): Dialog => {
  const dialog = dialogs.at(-1);
  if (dialog === undefined) throw new Error("no dialog is open");
  return dialog;
};
const long = { finalArgs: { sql: "DELETE FROM a", rest: "x".repeat(2000) } };

describe("one question", () => {
  test("Deny is first, and allow is offered once", async () => {
    pose(request("a"));
    await clock.pass(0);
    expect(newest().buttons).toEqual(["Deny", "Allow once", "Show details", "More…"]);
    expect(newest().title).toBe("Agent “VS Code” wants to run: DELETE FROM a");
  });

  test("the session is offered only where the guard permits it", async () => {
    pose(request("a", { sessionScope: { key: "k", label: "UPDATE on users" } }));
    await clock.pass(0);
    expect(newest().buttons).toEqual([
      "Deny",
      "Allow once",
      "Allow in this session",
      "Show details",
      "More…",
    ]);
  });

  test.each<[string | undefined, AskAnswer]>([
    ["Deny", { kind: "deny" }],
    [undefined, { kind: "dismissed" }],
    ["Cancel", { kind: "dismissed" }],
    ["Allow once", { kind: "allow", scope: "once" }],
    ["Allow in this session", { kind: "allow", scope: "session" }],
  ])("%s", async (button, answer) => {
    const posed = pose(request("a", { sessionScope: { key: "k", label: "l" } }));
    await clock.pass(800);
    newest().answer(button);
    await clock.pass(0);
    expect(posed.answer).toEqual(answer);
    expect(waiting).toEqual([1, 0]);
  });

  test("a dialog that cannot be shown denies", async () => {
    const refusing = askModal({
      show: () => Promise.reject(new Error("refused to show dialog in tests")),
      more: async () => undefined,
      openDetails: async () => undefined,
      clock,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      t: untranslated,
    });
    expect(await refusing.ask(request("a"), new AbortController().signal)).toEqual({ kind: "dismissed" });
  });
});

describe("clicks that do not count", () => {
  test("an allow within 800 ms is asked again, a second later", async () => {
    const posed = pose(request("a"));
    await clock.pass(799);
    newest().answer("Allow once");
    await clock.pass(999);
    expect([dialogs.length, posed.answer]).toEqual([1, null]);
    await clock.pass(1);
    expect(newest().detail).toContain("too fast to count");
    await clock.pass(800);
    newest().answer("Allow once");
    await clock.pass(0);
    expect(posed.answer).toEqual({ kind: "allow", scope: "once" });
  });

  test("a deny within 800 ms counts", async () => {
    const posed = pose(request("a"));
    await clock.pass(10);
    newest().answer("Deny");
    await clock.pass(0);
    expect(posed.answer?.kind).toBe("deny");
  });

  test("a double click allows one call only", async () => {
    const first = pose(request("a"));
    const second = pose(request("b"));
    await clock.pass(2000);
    newest().answer("Allow once");
    await clock.pass(0);
    expect(dialogs).toHaveLength(1);
    await clock.pass(1000);
    newest().answer("Allow once");
    await clock.pass(0);
    expect([first.answer?.kind, second.answer]).toEqual(["allow", null]);
  });
});

describe("what does not fit", () => {
  test("only Deny and Show details; allow comes after the details", async () => {
    const posed = pose(request("a", long));
    await clock.pass(900);
    expect(newest().buttons).toEqual(["Deny", "Show details"]);
    newest().answer("Show details");
    await clock.pass(5000);
    expect([dialogs.length, details.length, posed.answer]).toEqual([1, 1, null]);
    details[0]?.done();
    await clock.pass(900);
    expect(newest().buttons).toEqual(["Deny", "Allow once", "Show details", "More…"]);
    newest().answer("Allow once");
    await clock.pass(0);
    expect(posed.answer).toEqual({ kind: "allow", scope: "once" });
  });

  test("an allow that was not offered does not count", async () => {
    const posed = pose(request("a", long));
    await clock.pass(900);
    newest().answer("Allow once");
    await clock.pass(0);
    expect(posed.answer).toEqual({ kind: "dismissed" });
  });
});

describe("more", () => {
  test.each<[MoreAnswer, AskAnswer]>([
    [
      { kind: "sentence", sentence: "use a copy" },
      { kind: "deny", sentence: "use a copy" },
    ],
    [{ kind: "pause" }, { kind: "deny", pauseAgent: true }],
  ])("%o", async (more, answer) => {
    moreAnswers.push(more);
    const posed = pose(request("a"));
    await clock.pass(900);
    newest().answer("More…");
    await clock.pass(0);
    expect(posed.answer).toEqual(answer);
  });

  test("going back asks again", async () => {
    moreAnswers.push(undefined);
    const posed = pose(request("a"));
    await clock.pass(900);
    newest().answer("More…");
    await clock.pass(1000);
    expect([dialogs.length, posed.answer]).toEqual([2, null]);
  });

  test("deny all answers what this agent's session has waiting, and nobody else", async () => {
    moreAnswers.push({ kind: "pause" });
    const first = pose(request("a"));
    const same = pose(request("b"));
    const other = pose(request("c", { session: "s2", agent: "claude" }));
    await clock.pass(900);
    newest().answer("More…");
    await clock.pass(1000);
    expect([first.answer?.kind, same.answer?.kind, other.answer]).toEqual(["deny", "deny", null]);
    expect(newest().title).toContain("DELETE FROM c");
  });
});

describe("the queue", () => {
  test("first in, first out, a second apart", async () => {
    const posed = ["a", "b", "c"].map((id) => pose(request(id)));
    for (const id of ["a", "b", "c"]) {
      await clock.pass(1000);
      expect(newest().title).toContain(`DELETE FROM ${id}`);
      newest().answer("Deny");
    }
    await clock.pass(0);
    expect(posed.map((one) => one.answer?.kind)).toEqual(["deny", "deny", "deny"]);
    expect(waiting).toEqual([1, 2, 3, 2, 1, 0]);
  });

  test("a session has at most three unanswered; other sessions still get theirs", async () => {
    const posed = ["a", "b", "c", "d"].map((id) => pose(request(id)));
    const other = pose(request("e", { session: "s2" }));
    await clock.pass(0);
    expect(posed.map((one) => one.answer?.kind)).toEqual([undefined, undefined, undefined, "busy"]);
    expect(other.answer).toBeNull();
    newest().answer("Deny");
    const again = pose(request("f"));
    await clock.pass(0);
    expect(again.answer?.kind).toBe("busy");
    const later = pose(request("g"));
    await clock.pass(0);
    expect(later.answer).toBeNull();
  });
});

describe("nobody answers", () => {
  test("the clock starts when the question is shown", async () => {
    const first = pose(request("a"));
    const second = pose(request("b"));
    await clock.pass(PERSON_MS - 1000);
    newest().answer("Deny");
    await clock.pass(1000);
    await clock.pass(PERSON_MS - 1);
    expect([first.answer?.kind, second.answer]).toEqual(["deny", null]);
    await clock.pass(1);
    expect(second.answer).toEqual({ kind: "expired" });
  });

  test("a late answer is told, and changes nothing", async () => {
    const posed = pose(request("a"));
    await clock.pass(PERSON_MS);
    expect(posed.answer).toEqual({ kind: "expired" });
    newest().answer("Allow once");
    await clock.pass(0);
    expect([posed.answer, late]).toEqual([{ kind: "expired" }, [["a", "allow"]]]);
  });

  test("those behind an abandoned dialog expire too, and a returning person gets the rest", async () => {
    pose(request("a"));
    const behind = pose(request("b"));
    await clock.pass(PERSON_MS);
    expect(behind.answer).toBeNull();
    const newcomer = pose(request("c"));
    await clock.pass(PERSON_MS - 1);
    expect(behind.answer).toBeNull();
    newest().answer(undefined);
    await clock.pass(1000);
    expect(newest().title).toContain("DELETE FROM b");
    await clock.pass(PERSON_MS);
    expect(behind.answer).toEqual({ kind: "expired" });
    await clock.pass(PERSON_MS);
    expect(newcomer.answer).toEqual({ kind: "expired" });
  });

  test("the details do not stop the clock", async () => {
    const posed = pose(request("a"));
    await clock.pass(900);
    newest().answer("Show details");
    await clock.pass(PERSON_MS);
    expect(posed.answer).toEqual({ kind: "expired" });
    expect(details[0]?.signal.aborted).toBe(true);
    details[0]?.done();
    await clock.pass(2000);
    expect(dialogs).toHaveLength(1);
    const next = pose(request("b"));
    await clock.pass(1000);
    expect([dialogs.length, next.answer]).toEqual([2, null]);
  });
});

describe("the caller goes away", () => {
  test.each([0, 900])("while waiting or shown (%i ms)", async (ms) => {
    const first = pose(request("a"));
    const second = pose(request("b"));
    await clock.pass(ms);
    second.cancel();
    await clock.pass(0);
    expect(second.answer).toEqual({ kind: "cancelled" });
    first.cancel();
    await clock.pass(0);
    expect(first.answer).toEqual({ kind: "cancelled" });
    newest().answer("Allow once");
    await clock.pass(0);
    expect(late).toEqual([["a", "allow"]]);
    expect(waiting.at(-1)).toBe(0);
  });

  test("before it is shown: no dialog at all", async () => {
    const posed = pose(request("a"));
    posed.cancel();
    const aborted = new AbortController();
    aborted.abort();
    expect(await ask.ask(request("b"), aborted.signal)).toEqual({ kind: "cancelled" });
    await clock.pass(5000);
    expect(posed.answer).toEqual({ kind: "cancelled" });
  });
});
