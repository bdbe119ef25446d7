/** Puts verdicts together: of a text's statements, and of the ways in which one text can be read. Reads no text itself. */
import type { SqlVerdict, StatementVerdict, Verdict } from "./classify";
import type { Floor } from "./lexState";
import { mayDropWhole } from "./mayDropWhole";

const RANK: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** Of equals the first, so that the named or most common dialect words the prompt. */
export function pick(readings: readonly SqlVerdict[]): SqlVerdict | undefined {
  let best: SqlVerdict | undefined;
  for (const reading of readings) {
    if (best === undefined || RANK[reading.verdict] > RANK[best.verdict]) best = reading;
  }
  return best;
}

/** What one engine takes for a comment and no other one can read is not harmless: "nothing to run" is the weakest reading. */
export function asked(unread: SqlVerdict): SqlVerdict {
  return {
    ...unread,
    verdict: "ask",
    statements: unread.statements.map((one) => (one.verdict === "deny" ? { ...one, verdict: "ask" } : one)),
    reason: "only one kind of server reads this, as a comment",
    unparseable: false,
  };
}

interface Whole {
  readonly dialect: string;
  readonly floors: readonly Floor[];
  readonly nul: boolean;
}

export function summary(
  statements: readonly StatementVerdict[],
  { dialect, floors, nul }: Whole,
): SqlVerdict {
  let one: StatementVerdict | undefined;
  for (const other of statements) if (one === undefined || severity(other) > severity(one)) one = other;
  const hard = one?.rule === "drop_database";
  let { verdict, rule, reason } = one ?? NOTHING;
  let unparseable = verdict === "deny" && !hard;
  if (nul && !hard) {
    [verdict, rule, reason] = ["deny", "unreadable", "the text holds a NUL character"];
    unparseable = true;
  } else if (floors[0] !== undefined && verdict === "allow")
    [verdict, rule, reason] = ["ask", "floor", `${floors[0]}: servers read this text differently`];
  const worst = one === undefined ? -1 : statements.indexOf(one);
  return { statements, worst, dialect, floors, verdict, rule, reason, unparseable };
}

const NOTHING: Pick<StatementVerdict, "verdict" | "rule" | "reason"> = {
  verdict: "allow",
  rule: "none",
  reason: "nothing to run",
};

function severity(one: StatementVerdict): number {
  if (one.rule === "drop_database") return 4;
  // A statement without a condition is the one a person must see.
  return one.verdict === "ask" ? (one.hasWhere ? 1 : 2) : one.verdict === "deny" ? 3 : 0;
}

export function completePart(reading: SqlVerdict): SqlVerdict {
  // In Transact-SQL a name at the start of a batch calls the procedure of that name; `#` alone is none.
  const complete = reading.statements.flatMap((one): readonly StatementVerdict[] => {
    if (one.rule === "not_sql")
      return reading.dialect === "tsql" && /[^#]/.test(one.op) ? [{ ...one, verdict: "ask" }] : [];
    return one.rule === "unreadable" ? [] : [one];
  });
  return summary(complete, { dialect: reading.dialect, floors: [], nul: false });
}

const UNREAD = "text is longer than 256 KiB and was not read";

export function tooLong(text: string, dialect: string): SqlVerdict {
  const drops = mayDropWhole(text);
  return {
    verdict: drops ? "deny" : "ask",
    statements: [],
    rule: drops ? "drop_database" : "too_long",
    reason: drops ? `The ${UNREAD}, and it may drop a whole database or schema` : `the ${UNREAD}`,
    worst: -1,
    unparseable: false,
    dialect,
    floors: [],
  };
}
