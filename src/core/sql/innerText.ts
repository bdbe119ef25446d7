/** Refuses a whole database's end that stands in a text which the statement runs (EXEC, DO, PREPARE, a body). Knows no dialect. */
import type { SqlVerdict, StatementVerdict } from "./classify";
import { setOf } from "./wordList";

/** Operations that run a text, keep one to be run later, or call what may run one. */
const RUNS_TEXT = setOf("EXEC EXECUTE PREPARE DO CALL CREATE REPLACE ALTER");

/** Of these only what carries code: `ALTER TABLE .. COMMENT 'drop schema'` runs nothing. */
const CARRIES_CODE = /\b(?:function|procedure|proc|trigger|event|task|rule|package|macro|job)\b/i;

const GAP = String.raw`(?:[\s'"|+&]|--[^\n]*\n|/\*[\s\S]{0,500}?\*/)`;
const DROPS_WHOLE = new RegExp(
  String.raw`\bdrop${GAP}{1,200}(?:(?:external|pluggable|foreign)${GAP}{1,200})?(?:database|schema|catalog)\b`,
  "i",
);
const PLUGGABLE = /\bdrop\s+pluggable\s+database\b/i;

/** What was to be asked is denied when it runs such a text; every other verdict stays. */
export function refuseInnerDrop(verdict: SqlVerdict, text: string): SqlVerdict {
  if (verdict.verdict !== "ask") return verdict;
  const at = verdict.statements.findIndex((one) => runsText(one) || PLUGGABLE.test(one.words));
  if (at < 0 || !DROPS_WHOLE.test(text)) return verdict;
  return {
    ...verdict,
    verdict: "deny",
    rule: "drop_database",
    reason: "DROP DATABASE, SCHEMA or CATALOG is never run, nor a text that holds it",
    worst: at,
    unparseable: false,
  };
}

function runsText(one: StatementVerdict): boolean {
  if (!RUNS_TEXT.has(one.op) || one.verdict === "allow") return false;
  return !/^(?:CREATE|REPLACE|ALTER)$/.test(one.op) || CARRIES_CODE.test(`${one.kind} ${one.words}`);
}
