/**
 * Measures how much everyday SQL of public collections `countersign judge` would ask about or deny. Holds no SQL itself.
 * `node scripts/everydaySql.mjs FILE...`: files are named NAME.DIALECT.csv (a column `query`) or NAME.DIALECT.sql
 * (statements that end with `;` at a line's end, or lines that begin with `SQL:`). Each is judged under its dialect and
 * under none. Fit are, for example, defog-ai/sql-eval `data/*.csv`, taoyds/spider `evaluation_examples/dev.sql` and
 * sqlc-dev/sqlc `examples` on GitHub.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "csv-parse/sync";

const CLI = join(import.meta.dirname, "../dist/cli.js");
/** These are meant to be asked about. */
const CHANGES =
  /\b(?:update|delete|drop|alter|truncate|merge|replace\s+into|grant|revoke|call|exec|comment\s+on)\b/i;

for (const file of process.argv.slice(2)) {
  const dialect = basename(file).split(".").at(-2) ?? "unknown";
  const texts = statementsOf(file).filter((text) => !CHANGES.test(text));
  for (const named of [dialect, undefined]) {
    const counts = { allow: 0, ask: 0, deny: 0 };
    for (const [index, verdict] of judge(texts, named).entries()) {
      counts[verdict.decision] += 1;
      if (verdict.decision !== "allow")
        console.log(`  ${verdict.decision}: ${verdict.reason}\n    ${texts[index]}`);
    }
    console.log(`${basename(file)} as ${named ?? "unknown"}: ${texts.length} ${JSON.stringify(counts)}`);
  }
}

/** @param {string} file @returns {string[]} */
function statementsOf(file) {
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".csv"))
    return parse(text, { columns: true, relax_quotes: true, relax_column_count: true }).flatMap(
      (row) => row.query ?? [],
    );
  const marked = [...text.matchAll(/^SQL:\s*(.*)$/gm)].map(([, sql]) => sql);
  const list = marked.length > 0 ? marked : text.split(/;[ \t]*$/m);
  return list.map((one) => one.trim()).filter((one) => one !== "");
}

/** @param {string[]} texts @param {string | undefined} dialect @returns {{ decision: "allow" | "ask" | "deny", reason: string | null }[]} */
function judge(texts, dialect) {
  if (texts.length === 0) return [];
  const lines = texts.map((sql, id) =>
    JSON.stringify({
      id,
      tool: "mcp_database_query",
      args: { sql },
      ...(dialect === undefined ? {} : { dialect }),
    }),
  );
  const done = spawnSync(process.execPath, [CLI, "judge"], {
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (done.status !== 0) throw new Error(done.stderr);
  return done.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
