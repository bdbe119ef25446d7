/** `countersign judge`: JSON lines in, verdicts out. Runs no tool, and rules' code only where told to; asks nothing, records nothing. */
import type { Evaluation } from "../core/evaluation";
import { callOf, readCallLine } from "./callLine";
import type { Run } from "./io";
import {
  JUDGE_OPTIONS,
  type JudgeFlag,
  type JudgeText,
  judgeFlags,
  judgeTexts,
  readTrust,
} from "./judgeOptions";
import { judgeWith } from "./judging";
import { answerUsage, type CommandLine, readOptions } from "./options";

const USAGE = `usage: countersign judge [options] < calls.jsonl

Judges one call per line of standard input and prints one verdict per line. By the
defaults, or by FILE: a gateway-hooks.toml of this folder is not used unless it is
named, and neither are the editor's settings and COUNTERSIGN__HOOKS__ variables.
A line has tool and args, and may have id, agent, vendor, cwd, dialect, shell.
${JUDGE_OPTIONS}

  echo '{"id":1,"tool":"db_query_sql","args":{"sql":"DROP TABLE users"}}' | countersign judge

Exit: 0 all judged, 1 a line was no call, 2 wrong usage or configuration.
`;

const LINE: CommandLine<JudgeText, JudgeFlag> = {
  name: "judge",
  usage: USAGE,
  texts: judgeTexts,
  flags: judgeFlags,
};

export const runJudge: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const trust = readTrust(asked);
  if (trust.kind !== "read") return answerUsage(trust, LINE, io);
  const judging = await judgeWith({ config: asked.values.config, io, ...trust.value });
  if (judging === undefined) return 2;
  let bad = 0;
  let index = 0;
  try {
    for await (const text of io.lines) {
      index += 1;
      if (text.trim() === "") continue;
      const given = readCallLine(text);
      if (given.ok) {
        const evaluation = await judging.evaluate(callOf(given.value, { index, cwd: io.cwd }));
        await io.stdout(`${JSON.stringify({ id: given.value.id ?? null, ...verdictOf(evaluation) })}\n`);
      } else {
        bad += 1;
        await io.stdout(`${JSON.stringify({ id: null, error: `line ${index}: ${given.error}` })}\n`);
      }
    }
  } finally {
    await judging.close();
  }
  return bad === 0 ? 0 : 1;
};

/** What a verdict looks like outside: an ask stays an ask. */
export function verdictOf(evaluation: Evaluation): Record<string, unknown> {
  return {
    decision: evaluation.kind,
    by: evaluation.by,
    reason: evaluation.reason ?? (evaluation.kind === "ask" ? (evaluation.ask?.prompt ?? null) : null),
    ...(evaluation.rewritten ? { args: evaluation.args } : {}),
    ...(evaluation.findings.length === 0 ? {} : { findings: evaluation.findings }),
    ...(evaluation.contexts.length === 0 ? {} : { contexts: evaluation.contexts }),
    trail: evaluation.trail,
  };
}
