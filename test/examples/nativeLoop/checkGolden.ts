/** What must hold of the golden calls after any backend ran them. */
import { expect } from "vitest";
import type { GoldenCase } from "../../golden/cases";
import type { GoldenPlaces } from "../../golden/places";
import { calls, type Ran } from "./goldenCalls";

interface Expected {
  readonly kind: "ok" | "denied" | "asks_user";
  readonly decision: string;
  /** The hook whose word it was. */
  readonly by: string | undefined;
}

/** Where arguments are consent, a call that brings it runs, as the library's default has it; a denial stays one. */
function expectedOf(one: GoldenCase, consent: "args" | "human"): Expected {
  const by = one.by ?? undefined;
  const lifted = consent === "args" && one.args.confirm_destructive === true;
  if (one.decision === "allow" || (one.decision === "ask" && lifted))
    return { kind: "ok", decision: one.by === "black_tea" ? "rewrite" : "allow", by };
  if (one.decision === "ask" && consent === "args") return { kind: "asks_user", decision: "asks_user", by };
  return { kind: "denied", decision: "denied", by };
}

export function checkGolden(
  ran: Ran | undefined,
  { places, consent }: { places: GoldenPlaces; consent: "args" | "human" },
): void {
  if (ran === undefined) throw new Error("this backend did not run");
  const expected = calls.map((one) => ({ ...expectedOf(one, consent), name: one.name }));
  const told = ran.told.map(({ kind }, at) => `${calls[at]?.name}: ${kind}`);
  expect(told).toEqual(expected.map(({ name, kind }) => `${name}: ${kind}`));

  // A question that a person answers has a record of its own before the decision's.
  const lines = calls.flatMap((one, at) => {
    const { decision, by } = expected[at] ?? {};
    const asked = { tool: one.tool, decision: "asks_user", by };
    const decided = { tool: one.tool, decision, by };
    return consent === "human" && one.decision === "ask" ? [asked, { ...decided, by: "person" }] : [decided];
  });
  expect(ran.records.map(({ tool, decision, by }) => ({ tool, decision, by }))).toEqual(lines);
  const asks = calls.filter(({ decision }) => decision === "ask");
  expect(ran.asked).toEqual(consent === "human" ? asks.map(({ by }) => by) : []);

  const runs = calls.filter((_one, at) => expected[at]?.kind === "ok");
  expect(ran.handled).toEqual(
    runs.map((one) => ({ tool: one.tool, args: handledArgs(one, places.placed(one.args)) })),
  );
  const refused = expected.filter(({ kind }) => kind !== "ok").length;
  expect([runs.length > 10, refused > 10]).toEqual([true, true]);
}

/** Consent, and what nobody declared, never reaches a handler. */
function handledArgs(one: GoldenCase, args: GoldenCase["args"]): GoldenCase["args"] {
  const { confirm_destructive: _confirm, sugar: _sugar, ...rest } = args;
  return one.by === "black_tea" ? { ...rest, kind: "black" } : rest;
}
