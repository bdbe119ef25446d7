/** Finds the stored functions that a statement would run through views, in MariaDB and MySQL: what these do to tables without transactions no counter shows and no rollback undoes. */
import type { Connection } from "mysql2";
import type { Act } from "./intent";
import { askMysql } from "./mysqlConnection";

interface Reach {
  readonly view: string;
  readonly routine: string;
}

/** Views, by name, through which a stored function runs; asked once per call. */
export async function viewsThatCall(connection: Connection): Promise<readonly Reach[]> {
  const routines = await askMysql(
    connection,
    "SELECT ROUTINE_SCHEMA AS s, ROUTINE_NAME AS name FROM information_schema.ROUTINES WHERE ROUTINE_TYPE = 'FUNCTION' AND ROUTINE_SCHEMA NOT IN ('sys', 'mysql')",
  );
  if (routines.length === 0) return [];
  const views = await askMysql(
    connection,
    "SELECT TABLE_SCHEMA AS s, TABLE_NAME AS name, VIEW_DEFINITION AS body FROM information_schema.VIEWS WHERE TABLE_SCHEMA NOT IN ('sys', 'mysql')",
  );
  // The server leaves the schema out where the view's own is meant: the bare name and its bracket count.
  const targets = new Map(routines.map((row) => [`${quoted(row.name)}(`, String(row.name)]));
  const found = new Map<string, Reach>();
  // A view may stand on another one: its callers are found in the next round.
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of views) {
      const key = spelt(row);
      if (found.has(key)) continue;
      // A definition that this account may not see could hold anything.
      const body = String(row.body ?? "").toLowerCase();
      const hit =
        body === "" ? "a hidden definition" : [...targets].find(([name]) => body.includes(name))?.[1];
      if (hit === undefined) continue;
      found.set(key, { view: String(row.name), routine: hit });
      targets.set(key, hit);
      grown = true;
    }
  }
  return [...found.values()];
}

/** As the server writes names in a view's definition. */
function spelt(row: Record<string, unknown>): string {
  return `${quoted(row.s)}.${quoted(row.name)}`;
}

function quoted(name: unknown): string {
  return `\`${String(name).replaceAll("`", "``")}\``.toLowerCase();
}

/** A text that holds the view's name anywhere counts as one that reads it. */
export function routineActs(statement: string, views: readonly Reach[]): readonly Act[] {
  const text = statement.toLowerCase();
  return views
    .filter(({ view }) => holdsName(text, view.toLowerCase()))
    .map(({ view, routine }) => ({ verb: "CALL", table: routine, via: `view ${view}` }));
}

function holdsName(text: string, name: string): boolean {
  const isPart = (char: string | undefined) => char !== undefined && /[\w$\u0080-\uffff]/.test(char);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + name.length])) return true;
  return false;
}
