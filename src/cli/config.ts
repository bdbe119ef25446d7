/** `countersign config`: checks a configuration, names its digest, shows what it puts in force. Runs no code of it, accepts nothing. */
import { dirname, resolve } from "node:path";
import { formatProblem, type Problem } from "../core/errors";
import { listEffective } from "../core/rules/effectiveDiff";
import { effective } from "../core/rules/layers";
import { type LoadedConfig, loadConfigFile, loadWorkspaceConfig } from "../node/configFiles";
import { type ConfigTrust, type ReadConfig, reachedLines, trustOf } from "../node/configTrust";
import { withHandlerProblems } from "../node/handlers/brokenFile";
import { stderrLog } from "../node/ports";
import type { Io, Run } from "./io";
import { answerUsage, didYouMean, readOptions } from "./options";

const USAGE = `usage: countersign config check|digest|show [FILE]

Reads a gateway-hooks.toml or gateway-hooks.json and runs none of its code.
FILE is the one in this folder where it is left out.
  check    every mistake with its place; nothing is printed where there is none
  digest   one digest over FILE and every local file that its rules reach,
           for --trust-config
  show     each value in force with its origin, and the files that its rules reach

  countersign config check gateway-hooks.toml

What handlers are given and may answer: docs/handlers.md of the package.

Exit: 0 done, 1 the file has mistakes, 2 wrong usage or no file.
`;

const LINE = { name: "config", usage: USAGE, texts: [], words: 2 } as const;

interface Checked {
  readonly loaded: ReadConfig;
  readonly trust: ConfigTrust;
  /** As the person wrote it. */
  readonly name: string;
}

const actions = new Map<string, (checked: Checked, io: Io) => void>([
  ["check", () => undefined],
  ["digest", printDigest],
  ["show", printEffective],
]);

export const runConfig: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const [word, file] = asked.words;
  const wrong = (why: string) => answerUsage({ kind: "wrong", why }, LINE, io);
  if (word === undefined) return wrong("say check, digest or show");
  const act = actions.get(word);
  if (act === undefined) return wrong(`there is no "config ${word}"${didYouMean(word, [...actions.keys()])}`);
  const loaded = await (file === undefined
    ? loadWorkspaceConfig(io.cwd)
    : loadConfigFile(resolve(io.cwd, file)));
  if (loaded.kind === "missing")
    return wrong("there is no gateway-hooks.toml here; name a FILE, or write one with `countersign init`");
  const name = file ?? loaded.file;
  if (loaded.kind === "broken") return refuse(await allProblems(loaded, io), name, io);
  const trust = await trustOf(loaded, io.env);
  if (!trust.ok) return refuse(trust.problems, name, io);
  act({ loaded, trust: trust.value, name }, io);
  return 0;
};

/** With what is wrong with its handlers: a mistake in one place hides none in another. */
async function allProblems(loaded: LoadedConfig & { kind: "broken" }, io: Io): Promise<readonly Problem[]> {
  const { problems, file, text } = loaded;
  if (text === undefined) return problems;
  const format = file.endsWith(".json") ? "json" : "toml";
  const where = { folder: dirname(file), env: io.env, log: stderrLog };
  return withHandlerProblems(problems, { text, file, format }, where);
}

function refuse(problems: readonly Problem[], name: string, io: Io): number {
  for (const problem of problems) io.stderr(`${formatProblem({ ...problem, file: name })}\n`);
  return problems.some(({ code }) => code === "config.unreadable") ? 2 : 1;
}

function printDigest({ trust, name }: Checked, io: Io): void {
  io.stdout(`${trust.digest}\n`);
  const count = trust.reached?.files.size ?? 0;
  const files = count === 1 ? "1 file that its rules reach" : `${count} files that its rules reach`;
  io.stderr(`of ${name} and ${files}; \`countersign config show ${name}\` lists them\n`);
}

function printEffective({ loaded, trust, name }: Checked, io: Io): void {
  const { parsed: workspace } = loaded;
  const inForce = effective({ workspace, accepted: workspace, environmentMode: "full" });
  const reached = trust.reached === undefined ? [] : reachedLines(trust.reached);
  const text = [
    `# ${name}, accepted as a whole; settings and environment are left out`,
    ...listEffective(inForce),
    ...(reached.length === 0 ? [] : ["", "# files that its rules reach", ...reached.map((l) => `# ${l}`)]),
    `# digest ${trust.digest}`,
  ];
  io.stdout(`${text.join("\n")}\n`);
}
