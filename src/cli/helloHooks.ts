/** `countersign hello-hooks`: the document's scenarios on the real chain, and its audit log verified. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Args } from "../core/call";
import type { Outcome } from "../core/hook";
import { verifyAuditLog } from "../node/auditVerify";
import { createHooks } from "../node/hooks";
import type { Io, Run } from "./io";
import { answerUsage, readOptions } from "./options";

interface Scenario {
  readonly title: string;
  readonly tool: string;
  readonly args: Args;
  readonly expected: "Deny" | "AskUser" | "Allow";
  /** Rows that must be left in the table afterwards: what was held back must not have run. */
  readonly rowsLeft: number;
}

const DELETE = "DELETE FROM employees WHERE left_on IS NOT NULL";
const scenarios: readonly Scenario[] = [
  {
    title: "kb_add_file('/etc/passwd')",
    tool: "kb_add_file",
    args: { path: "/etc/passwd" },
    expected: "Deny",
    rowsLeft: 3,
  },
  {
    title: "db_query_sql('DELETE FROM employees ...')",
    tool: "db_query_sql",
    args: { sql: DELETE },
    expected: "AskUser",
    rowsLeft: 3,
  },
  {
    title: "same SQL with confirm_destructive=True",
    tool: "db_query_sql",
    args: { sql: DELETE, confirm_destructive: true },
    expected: "Allow",
    rowsLeft: 2,
  },
  {
    title: "db_query_sql('SELECT ...')",
    tool: "db_query_sql",
    args: { sql: "SELECT name FROM employees" },
    expected: "Allow",
    rowsLeft: 2,
  },
];

const USAGE = `usage: countersign hello-hooks [--keep DIR]

Runs the self-check scenarios on the real chain and verifies the log they leave.
  --keep DIR   leave the audit log in this folder

Exit: 0 all as expected, 1 a scenario or the log differs, 2 wrong usage.
`;

const LINE = { name: "hello-hooks", usage: USAGE, texts: ["keep"] } as const;

export const runHelloHooks: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const { keep } = asked.values;
  const folder =
    keep === undefined ? await mkdtemp(join(tmpdir(), "countersign-hello-")) : resolve(io.cwd, keep);
  await mkdir(folder, { recursive: true });
  try {
    return await runScenarios(folder, io);
  } finally {
    if (keep === undefined) await rm(folder, { recursive: true, force: true });
  }
};

async function runScenarios(folder: string, io: Io): Promise<number> {
  const path = join(folder, "audit.jsonl");
  // A folder that was kept holds the records of earlier runs.
  const before = existsSync(path) ? await verifyAuditLog(path) : { ok: true, firstBad: null, count: 0 };
  const database = sampleDatabase();
  // The document builds its chain of these three and no other.
  const config = { chain: { self_protection: false, shell: false, egress: false } };
  const hooks = await createHooks({ auditPath: path, roots: [folder], env: io.env, config });
  io.stdout(
    `[hello_hooks] hooks       = [${hooks.chain
      .names()
      .map((name) => `'${name}'`)
      .join(", ")}]\n\n`,
  );
  let differs = 0;
  for (const [index, scenario] of scenarios.entries()) {
    io.stdout(`[hello_hooks] scenario ${index + 1}: ${scenario.title}\n`);
    const run = (args: Args): unknown => database.prepare(String(args.sql)).all();
    const { outcome } = await hooks.governor.govern(hooks.call(scenario.tool, scenario.args), run);
    const left = database.prepare("SELECT count(*) AS n FROM employees").get()?.n;
    const got = nameOf(outcome);
    io.stdout(`  → decision = ${got}\n`);
    if (outcome.kind === "asks_user") io.stdout(`    confirm  = ${pythonDict(outcome.confirm_args)}\n`);
    io.stdout("\n");
    if (got !== scenario.expected || left !== scenario.rowsLeft) {
      differs += 1;
      io.stderr(
        `scenario ${index + 1} differs: expected ${scenario.expected} with ${scenario.rowsLeft} rows left, got ${got} with ${left}\n`,
      );
    }
  }
  await hooks.close();
  database.close();
  const verified = await verifyAuditLog(path);
  if (!verified.ok) {
    io.stdout(`[hello_hooks] audit chain BROKEN at record ${verified.firstBad} of ${verified.count}\n`);
    return 1;
  }
  io.stdout(`[hello_hooks] audit chain verified: ${verified.count} record(s), no tampering detected\n`);
  if (verified.count - before.count !== scenarios.length) {
    io.stderr(`${scenarios.length} records were expected, ${verified.count - before.count} were written\n`);
    return 1;
  }
  return differs === 0 ? 0 : 1;
}

function sampleDatabase(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec(`CREATE TABLE employees (name TEXT, left_on TEXT);
    INSERT INTO employees VALUES ('Ada', NULL), ('Bo', '2024-01-31'), ('Cem', NULL)`);
  return database;
}

function nameOf(outcome: Outcome): "Deny" | "AskUser" | "Allow" {
  if (outcome.kind === "run") return "Allow";
  return outcome.kind === "denied" ? "Deny" : "AskUser";
}

/** The document prints Python's form. */
function pythonDict(args: Args): string {
  const text = (value: unknown): string =>
    value === true ? "True" : value === false ? "False" : JSON.stringify(value);
  return `{${Object.entries(args)
    .map(([key, value]) => `'${key}': ${text(value)}`)
    .join(", ")}}`;
}
