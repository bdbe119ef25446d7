/**
 * What guards must remember of a session whose every call is judged in a process of its own: `~/.countersign/memory.db`, 0600.
 * Only what makes verdicts stricter is kept: secrets that were seen, files that agents wrote. Knows no guard's rules.
 */
import { closeSync, constants, existsSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { CountersignError, messageOf } from "../core/errors";
import { type GuardMemory, guardMemory } from "../core/guards/guardMemory";
import { loadSqlite } from "./auditLock";
import { ensurePrivateFolder } from "./privateFile";

export interface KeptMemory {
  readonly memory: GuardMemory;
  close(): void;
}

/** A session that old has ended. */
const OLD_MS = 30 * 24 * 60 * 60_000;
const MOST_SEEN = 2000;
const MOST_WRITTEN = 5000;
/** Another hook of the same moment is done long before. */
const BUSY_MS = 5000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS seen (session TEXT, source TEXT, at INTEGER, PRIMARY KEY (session, source)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS wrote (path TEXT PRIMARY KEY, at INTEGER) WITHOUT ROWID;
`;

/**
 * Begins with what earlier processes left; what is remembered from now on is left for later ones at once.
 * Throws `folder.unsafe` where the file is not this user's alone or cannot be read: without it a call would be judged too mildly.
 */
export async function openGuardMemory(home: string, now: () => number): Promise<KeptMemory> {
  const folder = join(home, ".countersign");
  const file = join(folder, "memory.db");
  await ensurePrivateFolder(folder);
  const inner = guardMemory();
  let database: DatabaseSync | undefined;
  const opened = (): DatabaseSync => {
    database ??= guarded(file, () => openTables(file));
    return database;
  };
  const keep = (sql: string, ...values: readonly string[]) =>
    guarded(file, () =>
      opened()
        .prepare(sql)
        .run(...values, now()),
    );
  if (existsSync(file)) guarded(file, () => recall(opened(), inner, now()));
  return {
    memory: {
      egress: {
        ...inner.egress,
        saw(session, source) {
          if (!inner.egress.sources(session).includes(source))
            keep("INSERT OR IGNORE INTO seen (session, source, at) VALUES (?, ?, ?)", session, source);
          inner.egress.saw(session, source);
        },
      },
      written: {
        ...inner.written,
        wrote(path) {
          keep("INSERT OR REPLACE INTO wrote (path, at) VALUES (?, ?)", path);
          inner.written.wrote(path);
        },
      },
    },
    close: () => database?.close(),
  };
}

function recall(database: DatabaseSync, memory: GuardMemory, now: number): void {
  for (const table of ["seen", "wrote"])
    database.prepare(`DELETE FROM ${table} WHERE at < ?`).run(now - OLD_MS);
  const newest = (sql: string, most: number) => database.prepare(sql).all(most).reverse();
  for (const { session, source } of newest("SELECT * FROM seen ORDER BY at DESC LIMIT ?", MOST_SEEN))
    memory.egress.saw(String(session), String(source));
  for (const { path } of newest("SELECT path FROM wrote ORDER BY at DESC LIMIT ?", MOST_WRITTEN))
    memory.written.wrote(String(path));
}

function openTables(file: string): DatabaseSync {
  makeOurs(file);
  const sqlite = loadSqlite();
  if (sqlite === undefined) throw new Error("this runtime has no node:sqlite");
  const database = new sqlite.DatabaseSync(file, { timeout: BUSY_MS });
  database.exec(TABLES);
  return database;
}

/** Made 0600 where there is none: SQLite itself would ask the umask. */
function makeOurs(file: string): void {
  const { O_RDWR, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const handle = openSync(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const { mode, uid } = fstatSync(handle);
    const own = process.getuid?.();
    if (own !== undefined && (uid !== own || (mode & 0o077) !== 0))
      throw new Error("other users may read or change it");
  } finally {
    closeSync(handle);
  }
}

function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CountersignError) throw error;
    throw new CountersignError("folder.unsafe", `The file ${file} cannot be used: ${messageOf(error)}.`, {
      hint: "Look at it, then delete it; Countersign makes a new one.",
      cause: error,
    });
  }
}
