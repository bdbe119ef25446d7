/** SQL in the arguments of tool servers is judged; searches, titles and other query languages are not taken for SQL. */
import { expect, test } from "vitest";
import { decisionOf } from "../shell/sqlDecision";
import { type CallRow, OTHER_CALLS, SQL_CALLS } from "./sqlArgumentRows";

async function ofKind(rows: readonly CallRow[], wanted: (kind: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const [tool, args] of rows) {
    const decision = await decisionOf(tool, args);
    if (wanted(decision.kind)) found.push(`${decision.kind} ${tool} ${JSON.stringify(args)}`);
  }
  return found;
}

test("destructive SQL in arguments never passes", async () => {
  expect(SQL_CALLS.length).toBeGreaterThan(50);
  expect(await ofKind(SQL_CALLS, (kind) => kind === "allow")).toEqual([]);
});

test("searches and other query languages pass without a word", async () => {
  expect(OTHER_CALLS.length).toBeGreaterThan(70);
  expect(await ofKind(OTHER_CALLS, (kind) => kind !== "allow")).toEqual([]);
});
