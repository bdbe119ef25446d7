/** What SQLite's authorizer does not report and the schema tells: rows replaced by a table's own clause. Runs in the SQLite process. */
import type { DatabaseSync } from "node:sqlite";
import { type Act, covers, type Intent, nameParts } from "./intent";

const GAP = "(?:\\s|--[^\\n]*\\n|/\\*(?:(?!\\*/)[\\s\\S])*\\*/)+";
const CONFLICT_REPLACE = new RegExp(`conflict${GAP}replace`, "i");
const QUOTED =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*(?:(?!\*\/)[\s\S])*\*\//g;

export interface SchemaQuestion {
  readonly db: DatabaseSync;
  readonly intent: Intent;
  readonly acts: readonly Act[];
  readonly text: string;
}

/** An INSERT that may delete rows is a REPLACE: by its own words, or by ON CONFLICT REPLACE in the table's definition. */
export function schemaActs({ db, intent, acts, text }: SchemaQuestion): readonly Act[] {
  const words = text.replace(QUOTED, " ");
  const inWords = /\breplace\s+into\b|\bor\s+replace\b/i.test(words);
  const found: Act[] = [];
  for (const act of acts) {
    if (act.verb !== "INSERT" && act.verb !== "UPDATE") continue;
    if (act.table === null) continue;
    const replaces = (inWords && act.verb === "INSERT") || CONFLICT_REPLACE.test(definitionOf(db, act.table));
    const real: Act = { ...act, verb: "REPLACE" };
    if (replaces && !covers(intent, real)) found.push(real);
  }
  return found;
}

function definitionOf(db: DatabaseSync, table: string): string {
  const name = nameParts(table).at(-1) ?? "";
  const row = db
    .prepare(
      "SELECT group_concat(sql, ' ') AS sql FROM (SELECT sql, name FROM sqlite_schema UNION ALL SELECT sql, name FROM sqlite_temp_schema) WHERE lower(name) = ?",
    )
    .get(name);
  return String(row?.sql ?? "");
}

/** For runtimes without an authorizer: every trigger of a table that is written must have been approved. */
export function triggerActs(db: DatabaseSync, intent: Intent): readonly Act[] {
  const rows = db.prepare("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger'").all();
  const written = writtenTables(intent);
  return rows
    .map((row): Act => ({ verb: "TRIGGER", table: String(row.tbl_name), via: String(row.name) }))
    .filter((act) => written === null || written.has((act.table ?? "").toLowerCase()))
    .filter((act) => !covers(intent, act));
}

/** null = the judge could not name them. */
function writtenTables(intent: Intent): ReadonlySet<string> | null {
  if (intent.kind === "read") return new Set();
  const tables = intent.kind === "add" ? intent.tables : intent.acts.flatMap((act) => act.table ?? []);
  if (tables.length === 0) return null;
  return new Set(tables.map((table) => nameParts(table).at(-1) ?? ""));
}
