/** One writer at a time, across processes: SQLite's own file lock, which the system releases when its holder dies. Knows nothing of the log. */
import * as fs from "node:fs";
import type * as sqlite from "node:sqlite";
import { CountersignError, messageOf } from "../core/errors";
import { errorCode, unwritable } from "./auditPlace";

export interface AuditLock {
  /** False when another holds it. */
  tryAcquire(): boolean;
  /** Waits at most `ms`; false when the lock could not be had. */
  acquire(ms: number): Promise<boolean>;
  release(): void;
  close(): void;
}

/** The module, or undefined where the runtime lacks it. */
export function loadSqlite(): typeof sqlite | undefined {
  const emitWarning = process.emitWarning;
  // It announces itself as experimental on stderr, which belongs to the programs that call us.
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function missingSqlite(): never {
  throw new CountersignError(
    "runtime.missing",
    "This runtime has no node:sqlite, which the audit log locks with.",
    {
      hint: "Use Node 22.13 or newer.",
    },
  );
}

interface Connection {
  readonly database: sqlite.DatabaseSync;
  readonly begin: sqlite.StatementSync;
  readonly end: sqlite.StatementSync;
  readonly inode: number;
}

/** Throws `runtime.missing` without node:sqlite, `audit.unwritable` when the side file cannot be made. */
export function openAuditLock(file: string): AuditLock {
  const sqliteModule = loadSqlite() ?? missingSqlite();
  // Undefined after the side file went: the folder may come back.
  let connection: Connection | undefined = connect(sqliteModule, file);
  // Within a process too: a drain and an append take turns.
  let isHeld = false;

  function tryAcquire(): boolean {
    if (isHeld) return false;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      connection ??= connect(sqliteModule, file);
      const { inode } = connection;
      // The side file was removed or replaced: a lock on the old one keeps nobody out.
      const hasMoved = (): boolean => inodeOf(file) !== inode;
      const began = begin(connection, file, hasMoved);
      if (began === "busy") return false;
      isHeld = began === "begun" && !hasMoved();
      if (isHeld) return true;
      connection.database.close();
      connection = undefined;
    }
    return false;
  }

  return {
    tryAcquire,
    async acquire(ms) {
      const end = performance.now() + ms;
      for (let attempt = 0; !tryAcquire(); attempt += 1) {
        if (performance.now() >= end) return false;
        await pause(attempt);
      }
      return true;
    },
    release() {
      isHeld = false;
      connection?.end.run();
    },
    close() {
      connection?.database.close();
      connection = undefined;
    },
  };
}

function connect(module: typeof sqlite, file: string): Connection {
  try {
    createEmpty(file);
    const database = new module.DatabaseSync(file, { timeout: 0 });
    keepNoJournal(database);
    const begin = database.prepare("BEGIN IMMEDIATE");
    return { database, begin, end: database.prepare("ROLLBACK"), inode: inodeOf(file) };
  } catch (error) {
    throw unwritable(error, file);
  }
}

/**
 * Nothing is ever written to the side file. Even so each BEGIN would make a journal beside it and each ROLLBACK remove it, since
 * an empty database is begun anew: most of what an append costs. Locks are the same in every mode.
 */
function keepNoJournal(database: sqlite.DatabaseSync): void {
  try {
    database.exec("PRAGMA journal_mode=MEMORY");
  } catch {
    // Only slower.
  }
}

/**
 * Creates the side file private. Never opens one that exists: closing any descriptor of it would drop
 * the locks that this process holds through SQLite (POSIX record locks).
 */
function createEmpty(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, "wx", 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  if (!fs.lstatSync(file).isFile()) {
    throw new CountersignError("audit.path", `The lock ${file} of the audit log is not a regular file.`, {
      hint: "Remove what stands there; the log makes a new one.",
    });
  }
}

function inodeOf(file: string): number {
  try {
    return fs.lstatSync(file).ino;
  } catch {
    return -1;
  }
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

function begin(connection: Connection, file: string, hasMoved: () => boolean): "begun" | "busy" | "moved" {
  try {
    connection.begin.run();
    return "begun";
  } catch (error) {
    const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : -1;
    if (code === SQLITE_BUSY || code === SQLITE_LOCKED) return "busy";
    if (hasMoved()) return "moved";
    const message = `The lock ${file} of the audit log cannot be taken: ${messageOf(error)}.`;
    throw new CountersignError("audit.unwritable", message, {
      hint: "Close the programs that use the log and remove that file; the log makes a new one.",
      cause: error,
    });
  }
}

/** At most about a millisecond, and not the same for all who wait. */
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => {
    if (attempt < 64 && Math.random() < 0.5) setImmediate(resolve);
    else setTimeout(resolve, 1);
  });
}
