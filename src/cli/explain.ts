/** `countersign explain`: one call, and which hook or rule said what. Runs no tool, and rules' code only where told to; asks nothing, records nothing. */
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "../core/errors";
import type { Evaluation } from "../core/evaluation";
import { dialectNames } from "../core/rules/schemaOptions";
import { findDialect } from "../core/sql/dialects";
import { CONFIG_JSON, CONFIG_TOML } from "../node/configFiles";
import { type CallLine, callOf, readCallLine } from "./callLine";
import type { Run } from "./io";
import { JUDGE_OPTIONS, type JudgeFlag, judgeFlags, judgeTexts, readTrust } from "./judgeOptions";
import { judgeWith } from "./judging";
import { type Asked, answerUsage, didYouMean, type NotAsked, readOptions } from "./options";

const USAGE = `usage: countersign explain TOOL ARGS-JSON [options]
       countersign explain --sql TEXT | --command TEXT [options]

Judges one call and shows which hook said what. By the defaults, or by FILE: a
gateway-hooks.toml of this folder is not used unless it is named, and neither are
the editor's settings and COUNTERSIGN__HOOKS__ variables.
${JUDGE_OPTIONS}
  --cwd DIR              the call's working directory, its workspace; default: this one
  --dialect NAME         how the SQL is read; default: the strictest of all readings
  --shell NAME           how the command is read: bash, sh, zsh, pwsh, powershell or cmd
  --agent NAME           the agent that makes the call

  countersign explain db_query_sql '{"sql":"DROP TABLE users"}'
  countersign explain --command 'rm -rf build'
`;

const LINE = {
  name: "explain",
  usage: USAGE,
  texts: [...judgeTexts, "cwd", "dialect", "shell", "agent", "sql", "command"],
  flags: judgeFlags,
  words: 2,
} as const;

type Options = Asked<(typeof LINE.texts)[number], JudgeFlag>;
type Read<T> = { readonly kind: "read"; readonly value: T } | NotAsked;

export const runExplain: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const call = readCall(asked, io.cwd);
  if (call.kind !== "read") return answerUsage(call, LINE, io);
  const trust = readTrust(asked);
  if (trust.kind !== "read") return answerUsage(trust, LINE, io);
  const { config } = asked.values;
  const judging = await judgeWith({ config, io, ...trust.value });
  if (judging === undefined) return 2;
  try {
    const evaluation = await judging.evaluate(callOf(call.value, { index: 1, cwd: io.cwd }));
    io.stdout(`rules: ${config ?? defaultsOf(io.cwd)}\n${explanation(call.value.tool, evaluation)}`);
    return 0;
  } finally {
    await judging.close();
  }
};

/** A file that is there is not used without being named: nobody has said that it is accepted. */
function defaultsOf(folder: string): string {
  const there = [CONFIG_TOML, CONFIG_JSON].find((name) => existsSync(join(folder, name)));
  return there === undefined
    ? "defaults (no --config)"
    : `defaults; ${there} here is not used without --config ${there}`;
}

export function explanation(tool: string, evaluation: Evaluation): string {
  const rows = evaluation.trail.map((entry) => {
    const again = entry.stage === "recheck" ? "again, on the rewritten arguments" : undefined;
    const notes = [again, entry.note].filter((one) => one !== undefined);
    const note = notes.length === 0 ? "" : `  ${notes.join("; ")}`;
    return `  ${entry.by.padEnd(18)}${entry.decision.padEnd(10)}${entry.ms.toFixed(2).padStart(8)} ms${note}`;
  });
  const reason = evaluation.reason ?? evaluation.ask?.prompt;
  const told = evaluation.contexts.flatMap((text) => [
    "  tells the agent:",
    ...text.split("\n").map((line) => `    ${line}`),
  ]);
  const findings = evaluation.findings.map((f) => `  finding ${f.code}: ${f.message}`);
  return [
    `${tool} → ${evaluation.kind}${evaluation.by === null ? "" : ` (${evaluation.by})`}`,
    ...(reason === undefined ? [] : reason.split("\n").map((l) => `  ${l}`)),
    "",
    ...rows,
    ...findings,
    ...told,
    ...(evaluation.rewritten ? [`  runs with: ${JSON.stringify(evaluation.args)}`] : []),
    "",
  ].join("\n");
}

const wrong = (why: string): NotAsked => ({ kind: "wrong", why });

function readCall(asked: Options, here: string): Read<CallLine> {
  const { dialect, shell, agent } = asked.values;
  if (dialect !== undefined && !knownDialect(dialect))
    return wrong(
      `there is no dialect "${dialect}"${didYouMean(dialect, dialectNames) || `; there are ${dialectNames.join(", ")}`}`,
    );
  const cwd = asked.values.cwd === undefined ? undefined : resolve(here, asked.values.cwd);
  if (cwd !== undefined && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return wrong(`--cwd: there is no folder ${cwd}`);
  const named = toolAndArgs(asked);
  if (named.kind !== "read") return named;
  const given = readCallLine(JSON.stringify({ ...named.value, cwd, dialect, shell, agent }));
  return given.ok ? { kind: "read", value: given.value } : wrong(given.error);
}

/** As the SQL guard understands names, its synonyms too. */
function knownDialect(name: string): boolean {
  const plain = name.trim().toLowerCase();
  return findDialect(plain) !== undefined || dialectNames.some((known) => known === plain);
}

function toolAndArgs({ values, words }: Options): Read<{ tool: string; args: unknown }> {
  const { sql, command } = values;
  const [tool, text] = words;
  if (sql !== undefined && command !== undefined) return wrong("--sql and --command exclude each other");
  if (sql !== undefined || command !== undefined) {
    if (tool !== undefined)
      return wrong(`--${sql === undefined ? "command" : "sql"} is the whole call; leave out "${tool}"`);
    return {
      kind: "read",
      value:
        sql === undefined
          ? { tool: "run_in_terminal", args: { command } }
          : { tool: "db_query_sql", args: { sql } },
    };
  }
  if (tool === undefined) return wrong("which call? Give TOOL and ARGS-JSON, --sql or --command");
  if (text === undefined) return wrong(`the arguments of ${tool} are missing; write '{}' where it has none`);
  try {
    return { kind: "read", value: { tool, args: JSON.parse(text) } };
  } catch (error) {
    return wrong(`the arguments of ${tool} are not JSON: ${messageOf(error)}`);
  }
}
