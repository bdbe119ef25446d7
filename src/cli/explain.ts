/** `countersign explain`: one call, and which hook said what. Runs nothing, asks nothing, records nothing. */
import { parseArgs } from "node:util";
import type { Evaluation } from "../core/evaluate";
import { callOf, readCallLine } from "./callLine";
import type { Run } from "./io";
import { judgeWith } from "./judging";

const USAGE = `usage: countersign explain TOOL ARGS-JSON [--config FILE] [--cwd DIR] [--dialect NAME] [--shell NAME]
       countersign explain --sql TEXT | --command TEXT

  countersign explain db_query_sql '{"sql":"DROP TABLE users"}'
  countersign explain --command 'rm -rf build'
`;

export const runExplain: Run = async (argv, io) => {
  const asked = readOptions(argv);
  if (asked === undefined) {
    io.stderr(USAGE);
    return 2;
  }
  const given = readCallLine(asked.line);
  if (!given.ok) {
    io.stderr(`countersign explain: ${given.error}\n${USAGE}`);
    return 2;
  }
  const judging = await judgeWith({ config: asked.config, io });
  if (judging === undefined) return 2;
  try {
    const evaluation = await judging.evaluate(callOf(given.value, { index: 1, cwd: io.cwd }));
    io.stdout(explanation(given.value.tool, evaluation));
    return 0;
  } finally {
    await judging.close();
  }
};

export function explanation(tool: string, evaluation: Evaluation): string {
  const rows = evaluation.trail.map((entry) => {
    const note = entry.note === undefined ? "" : `  ${entry.note}`;
    return `  ${entry.by.padEnd(18)}${entry.decision.padEnd(10)}${entry.ms.toFixed(2).padStart(8)} ms${note}`;
  });
  const reason = evaluation.reason ?? evaluation.ask?.prompt;
  const findings = evaluation.findings.map((f) => `  finding ${f.code}: ${f.message}`);
  return [
    `${tool} → ${evaluation.kind}${evaluation.by === null ? "" : ` (${evaluation.by})`}`,
    ...(reason === undefined ? [] : reason.split("\n").map((l) => `  ${l}`)),
    "",
    ...rows,
    ...findings,
    ...(evaluation.rewritten ? [`  runs with: ${JSON.stringify(evaluation.args)}`] : []),
    "",
  ].join("\n");
}

function readOptions(argv: readonly string[]): { line: string; config: string | undefined } | undefined {
  const string = { type: "string" } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: {
        config: string,
        cwd: string,
        dialect: string,
        shell: string,
        agent: string,
        sql: string,
        command: string,
      },
      allowPositionals: true,
    });
    const { config, sql, command, ...rest } = values;
    const [tool, args] = shorthand({ sql, command }) ?? positionals;
    if (tool === undefined || positionals.length > 2) return undefined;
    return { line: JSON.stringify({ tool, ...rest, args: JSON.parse(args ?? "{}") }), config };
  } catch {
    return undefined;
  }
}

function shorthand(given: {
  sql: string | undefined;
  command: string | undefined;
}): [string, string] | undefined {
  if (given.sql !== undefined) return ["db_query_sql", JSON.stringify({ sql: given.sql })];
  if (given.command !== undefined) return ["run_in_terminal", JSON.stringify({ command: given.command })];
  return undefined;
}
