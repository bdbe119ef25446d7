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

export function summary(statements: readonly StatementVerdict[], whole: Whole): SqlVerdict {
  let worst = -1;
  for (const [index, one] of statements.entries()) {
    const best = statements[worst];
    if (best === undefined || severity(one) > severity(best)) worst = index;
  }
  const one = statements[worst];
  const base = { statements, worst, dialect: whole.dialect, floors: whole.floors };
  const hard = one?.rule === "drop_database";
  if (whole.nul && !hard)
    return {
      ...base,
      verdict: "deny",
      rule: "unreadable",
      reason: "the text holds a NUL character",
      unparseable: true,
    };
  const floor = whole.floors[0];
  if (floor !== undefined && one?.verdict !== "ask" && one?.verdict !== "deny") {
    return {
      ...base,
      verdict: "ask",
      rule: "floor",
      reason: `${floor}: servers read this text differently`,
      unparseable: false,
    };
  }
  if (one === undefined)
    return { ...base, verdict: "allow", rule: "none", reason: "nothing to run", unparseable: false };
  return {
    ...base,
    verdict: one.verdict,
    rule: one.rule,
    reason: one.reason,
    unparseable: one.verdict === "deny" && !hard,
  };
}

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
