/** Starts the SQLite process, talks to it, and kills it when a call is aborted. Knows no SQL. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { CountersignError } from "../../core/errors";
import { childFile } from "../childFile";
import { EngineRefused } from "./database";
import type { SqliteReply, SqliteRequest, SqliteStart, SqliteValue } from "./sqliteMessages";

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
}

export interface SqliteClient {
  /** One after the other. An abort or timeout kills the process: SQLite's journal undoes what was under way. */
  call(request: SqliteRequest, options: CallOptions): Promise<SqliteValue>;
  close(): Promise<void>;
}

interface Pending {
  resolve(value: SqliteValue): void;
  reject(error: Error): void;
}

const HERE = typeof __dirname === "string" ? __dirname : import.meta.dirname;
/** What the process needs of the environment; the rest could carry NODE_OPTIONS and the like. */
const KEPT = ["PATH", "HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LANG"];

export function createSqliteClient(start: SqliteStart): SqliteClient {
  const pending = new Map<number, Pending>();
  let child: ChildProcess | undefined;
  let nextId = 1;

  function running(): ChildProcess {
    if (child !== undefined) return child;
    const started = startProcess(start);
    child = started;
    started.on("message", (reply: SqliteReply) => settle(pending, reply));
    started.on("error", (error) => lost(started, error.message));
    started.on("exit", (code, signal) => lost(started, `it ended with ${signal ?? code}`));
    return started;
  }

  function lost(which: ChildProcess, why: string): void {
    // One that was killed has been replaced; its end says nothing about the calls of the next.
    if (child !== which) return;
    child = undefined;
    for (const waiting of pending.values()) waiting.reject(failed(`The SQLite process failed: ${why}.`));
    pending.clear();
  }

  function stop(reason: Error): void {
    for (const waiting of pending.values()) waiting.reject(reason);
    pending.clear();
    child?.kill("SIGKILL");
    child = undefined;
  }

  return {
    call(request, { signal, timeoutMs }) {
      if (signal?.aborted) return Promise.reject(cancelled(start.file));
      return new Promise((resolve, reject) => {
        const id = nextId++;
        const timer = setTimeout(
          () => stop(failed(`The statement took longer than ${timeoutMs} ms and was ended.`)),
          timeoutMs,
        );
        const onAbort = () => stop(cancelled(start.file));
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          hold(child, pending.size > 0 ? "ref" : "unref");
        };
        pending.set(id, {
          resolve(value) {
            done();
            resolve(value);
          },
          reject(error) {
            done();
            reject(error);
          },
        });
        signal?.addEventListener("abort", onAbort, { once: true });
        const target = running();
        hold(target, "ref");
        target.send({ ...request, id }, (error) => {
          if (error !== null) settle(pending, { id, failed: error.message });
        });
      });
    },
    close() {
      const ending = child;
      if (ending === undefined) return Promise.resolve();
      const gone = new Promise<void>((resolve) => ending.once("exit", () => resolve()));
      stop(failed("The database was closed."));
      return gone;
    },
  };
}

function startProcess(start: SqliteStart): ChildProcess {
  if (start.file !== ":memory:") mkdirSync(dirname(start.file), { recursive: true, mode: 0o700 });
  const file = childFile(HERE, "sqliteProcess");
  const env: NodeJS.ProcessEnv = { ELECTRON_RUN_AS_NODE: "1", NODE_NO_WARNINGS: "1" };
  for (const name of KEPT) if (process.env[name] !== undefined) env[name] = process.env[name];
  return fork(file.path, [JSON.stringify(start)], {
    env,
    execArgv: [...file.execArgv],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

/** An idle SQLite process keeps nobody alive. */
function hold(child: ChildProcess | undefined, word: "ref" | "unref"): void {
  child?.[word]();
  child?.channel?.[word]();
}

function settle(pending: Map<number, Pending>, reply: SqliteReply): void {
  const waiting = pending.get(reply.id);
  pending.delete(reply.id);
  if (waiting === undefined) return;
  if ("value" in reply) waiting.resolve(reply.value);
  else if ("refused" in reply) waiting.reject(new EngineRefused(reply.refused));
  else waiting.reject(failed(reply.failed));
}

function failed(message: string): CountersignError {
  return new CountersignError("database.failed", message, { hint: hintFor(message) });
}

function hintFor(message: string): string {
  if (/locked|busy/i.test(message)) return "Another program holds the database; try again when it is done.";
  if (/unable to open/i.test(message)) return "Check that the folder exists and may be written.";
  if (/no such table/i.test(message))
    return "List the tables: SELECT name FROM sqlite_schema WHERE type = 'table'.";
  return "Correct the statement and try again.";
}

function cancelled(file: string): CountersignError {
  const lost = file === ":memory:" ? " The database in memory is gone." : "";
  return new CountersignError("database.failed", `The statement was cancelled and undone.${lost}`, {
    hint: "Run it again when wanted.",
  });
}
