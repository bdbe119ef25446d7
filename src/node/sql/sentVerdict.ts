/** A verdict in a form that is cheap to send between threads, however many statements it is about. Judges nothing. */

import type { SqlVerdict, StatementVerdict } from "../../core/sql/classify";
import { ADDING } from "../../core/sql/readsOnly";

/** A person is shown fewer; the rest is counted. */
const MAX_SENT = 60;

/** The statements that matter by their place; every other one is either harmless or only counted. */
export interface SentVerdict {
  readonly whole: Omit<SqlVerdict, "statements">;
  readonly count: number;
  readonly sent: readonly (readonly [number, StatementVerdict])[];
  /** Places of those that are not harmless and were not sent. */
  readonly counted: readonly number[];
}

export function packVerdict({ statements, ...whole }: SqlVerdict): SentVerdict {
  const sent: [number, StatementVerdict][] = [];
  const counted: number[] = [];
  // The first one that adds says that the text does more than read.
  const adding = statements.findIndex(({ verdict, op }) => verdict === "allow" && ADDING.has(op));
  for (const [index, one] of statements.entries()) {
    if (index === whole.worst || index === adding || (one.verdict !== "allow" && sent.length < MAX_SENT))
      sent.push([index, one]);
    else if (one.verdict !== "allow") counted.push(index);
  }
  return { whole, count: statements.length, sent, counted };
}

const HARMLESS: StatementVerdict = {
  op: "",
  kind: "ROWS",
  tables: [],
  hasWhere: false,
  condition: null,
  assigned: null,
  words: "",
  text: "",
  verdict: "allow",
  rule: "none",
  reason: "reads, inserts or creates only",
};

/** One that nobody is shown must weigh as much as the worst of its kind. */
const COUNTED: StatementVerdict = { ...HARMLESS, op: "UNKNOWN", verdict: "ask", reason: "one of many" };

export function unpackVerdict({ whole, count, sent, counted }: SentVerdict): SqlVerdict {
  const statements = new Array<StatementVerdict>(count).fill(HARMLESS);
  for (const index of counted) statements[index] = COUNTED;
  for (const [index, one] of sent) statements[index] = one;
  return { ...whole, statements };
}
