/** What MariaDB and MySQL would do beside the words of a statement, read from their catalogue: triggers, cascades, views. */
import type { Connection } from "mysql2";
import { type Act, covers, exactParts, excess, type Intent } from "./intent";
import { askMysql } from "./mysqlConnection";
import { leadingWords } from "./split";

/** Words that a READ ONLY transaction is known to hold. Others could leave it, by a block or a procedure. */
const READING = new Set([
  "SELECT",
  "WITH",
  "VALUES",
  "TABLE",
  "SHOW",
  "DESCRIBE",
  "DESC",
  "EXPLAIN",
  "HELP",
  "USE",
  "SAVEPOINT",
  "RELEASE",
  "ROLLBACK",
]);

/** One setting that changes neither data nor what later statements may do. */
const HARMLESS_SET = /^set\s+(?:names\b|(?:session\s+|@@session\.|@@)?time_zone\b)[^,;]*$/i;

const NAME = "(?:`(?:[^`]|``)+`|[\\w$\\u0080-\\uffff]+)";
const TABLE = `(${NAME}(?:\\s*\\.\\s*${NAME})?)`;
const TARGETS: Readonly<Record<string, RegExp>> = {
  INSERT: new RegExp(
    `^insert\\s+(?:(?:low_priority|delayed|high_priority|ignore)\\s+)*(?:into\\s+)?${TABLE}`,
    "i",
  ),
  REPLACE: new RegExp(`^replace\\s+(?:(?:low_priority|delayed)\\s+)*(?:into\\s+)?${TABLE}`, "i"),
  UPDATE: new RegExp(`^update\\s+(?:(?:low_priority|ignore)\\s+)*${TABLE}\\s+set\\b`, "i"),
  DELETE: new RegExp(
    `^delete\\s+(?:(?:low_priority|quick|ignore)\\s+)*from\\s+${TABLE}\\s*(?:where\\b|order\\b|limit\\b|returning\\b|$)`,
    "i",
  ),
  TRUNCATE: new RegExp(`^truncate\\s+(?:table\\s+)?${TABLE}\\s*$`, "i"),
  DROP: new RegExp(`^drop\\s+(?:temporary\\s+)?table\\s+(?:if\\s+exists\\s+)?${TABLE}\\s*$`, "i"),
  ALTER: new RegExp(`^alter\\s+(?:ignore\\s+|online\\s+)*table\\s+(?:if\\s+exists\\s+)?${TABLE}`, "i"),
};

/** What the statement would do beyond the intent, as far as its words and the catalogue tell. */
export async function actsBeyondWords(
  connection: Connection,
  statement: string,
  intent: Intent,
): Promise<readonly Act[]> {
  const [verb = ""] = leadingWords(statement).split(" ");
  const hidden = /\/\*M?!/.test(statement);
  if (intent.kind !== "approved" && hidden) return [{ verb: "EXECUTABLE COMMENT", table: null }];
  if (READING.has(verb) || HARMLESS_SET.test(bare(statement))) return [];
  if (intent.kind === "read") return [{ verb, table: targetOf(verb, statement) }];
  const kind = verb === "CREATE" ? leadingWords(statement) : verb;
  if (intent.kind === "add" && verb === "CREATE" && !isPlainCreate(statement))
    return [{ verb: kind, table: null }];
  const table = targetOf(verb, statement);
  const beyond = excess(intent, [{ verb, table }]);
  if (beyond.length > 0 || table === null) {
    if (intent.kind === "add" && verb === "INSERT" && table === null) return [{ verb, table }];
    return beyond;
  }
  return (await sideActs(connection, { verb, table })).filter((act) => !covers(intent, act));
}

function isPlainCreate(statement: string): boolean {
  return /^create\s+(?:temporary\s+|unique\s+|fulltext\s+|spatial\s+|algorithm\s*=\s*\w+\s+)*(?:table|view|index|database|schema|sequence)\b/i.test(
    bare(statement),
  );
}

function targetOf(verb: string, statement: string): string | null {
  return TARGETS[verb]?.exec(bare(statement))?.[1] ?? null;
}

function bare(statement: string): string {
  return statement.replace(/^(?:\s+|--[^\n]*|#[^\n]*|\/\*(?!M?!)[\s\S]*?\*\/)+/, "").replace(/\s+$/, "");
}

/** Events that fire for a verb. REPLACE deletes and inserts; LOAD and upserts only come with an approval of their own. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  INSERT: ["INSERT"],
  REPLACE: ["INSERT", "DELETE"],
  UPDATE: ["UPDATE"],
  DELETE: ["DELETE"],
};

async function sideActs(connection: Connection, act: Act): Promise<readonly Act[]> {
  const events = EVENTS[act.verb] ?? [];
  if (events.length === 0 || act.table === null) return [];
  const parts = exactPartsOf(act.table);
  const table = parts.at(-1) ?? "";
  const schema = parts.length > 1 ? parts[0] : null;
  const found: Act[] = [];
  const views = await askMysql(
    connection,
    "SELECT TABLE_NAME AS name FROM information_schema.VIEWS WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?",
    [schema, table],
  );
  if (views.length > 0) found.push({ ...act, via: `view ${table}` });
  const triggers = await askMysql(
    connection,
    `SELECT TRIGGER_NAME AS name FROM information_schema.TRIGGERS
      WHERE EVENT_OBJECT_SCHEMA = COALESCE(?, DATABASE()) AND EVENT_OBJECT_TABLE = ? AND EVENT_MANIPULATION IN (?)`,
    [schema, table, events],
  );
  found.push(...triggers.map((row) => ({ ...act, via: `trigger ${String(row.name)}` })));
  if (events.includes("DELETE") || events.includes("UPDATE"))
    found.push(...(await cascades(connection, { schema, table, events })));
  return found;
}

interface Parent {
  readonly schema: string | null | undefined;
  readonly table: string;
  readonly events: readonly string[];
}

/** InnoDB cascades inside the engine, where neither triggers nor counters see it. */
async function cascades(connection: Connection, { schema, table, events }: Parent): Promise<readonly Act[]> {
  const rows = await askMysql(
    connection,
    `WITH RECURSIVE reach AS (
       SELECT TABLE_NAME AS child, CAST(IF(DELETE_RULE IN ('CASCADE'), 'DELETE', 'UPDATE') AS CHAR(10)) AS verb, CONSTRAINT_SCHEMA AS s, DELETE_RULE, UPDATE_RULE
         FROM information_schema.REFERENTIAL_CONSTRAINTS
        WHERE CONSTRAINT_SCHEMA = COALESCE(?, DATABASE()) AND REFERENCED_TABLE_NAME = ?
          AND ((? AND DELETE_RULE IN ('CASCADE', 'SET NULL')) OR (? AND UPDATE_RULE IN ('CASCADE', 'SET NULL')))
       UNION
       SELECT r.TABLE_NAME, CAST(IF(r.DELETE_RULE IN ('CASCADE'), 'DELETE', 'UPDATE') AS CHAR(10)), r.CONSTRAINT_SCHEMA, r.DELETE_RULE, r.UPDATE_RULE
         FROM information_schema.REFERENTIAL_CONSTRAINTS r JOIN reach ON r.REFERENCED_TABLE_NAME = reach.child AND r.CONSTRAINT_SCHEMA = reach.s
        WHERE r.DELETE_RULE IN ('CASCADE', 'SET NULL') OR r.UPDATE_RULE IN ('CASCADE', 'SET NULL')
     ) SELECT DISTINCT child, verb FROM reach`,
    [schema, table, events.includes("DELETE"), events.includes("UPDATE")],
  );
  return rows.map((row) => ({
    verb: events.includes("DELETE") ? String(row.verb) : "UPDATE",
    table: String(row.child),
  }));
}

function exactPartsOf(table: string): readonly string[] {
  // Without quotes MariaDB keeps the case as written.
  return (table.match(/`(?:[^`]|``)*`|[^.\s`]+/g) ?? []).map((part) =>
    part.startsWith("`") ? (exactParts(part)[0] ?? "") : part,
  );
}
