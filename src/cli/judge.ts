/** `countersign judge`: JSON lines in, verdicts out. Runs nothing, asks nothing, records nothing. */
import { parseArgs } from "node:util";
import type { Evaluation } from "../core/evaluate";
import { callOf, readCallLine } from "./callLine";
import type { Run } from "./io";
import { judgeWith } from "./judging";

const USAGE = "usage: countersign judge [--config FILE] < calls.jsonl\n";

export const runJudge: Run = async (argv, io) => {
  const options = readOptions(argv);
  if (options === undefined) {
    io.stderr(USAGE);
    return 2;
  }
  const judging = await judgeWith({ config: options.config, io });
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
    trail: evaluation.trail,
  };
}

function readOptions(argv: readonly string[]): { config: string | undefined } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { config: { type: "string" } },
      allowPositionals: true,
    });
    return positionals.length === 0 ? { config: values.config } : undefined;
  } catch {
    return undefined;
  }
}
