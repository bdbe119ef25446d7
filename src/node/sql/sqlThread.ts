/** One thread that reads SQL, and the texts that wait for it: one at a time, each with its limits, the thread replaced when it hangs or dies. Knows neither rules nor parsers. */
import { Worker } from "node:worker_threads";
import { messageOf } from "../../core/errors";
import type { Log } from "../../ports";
import { type ChildFile, childFile } from "../childFile";
import type { SqlAnswer, SqlQuestion, SqlReply, SqlRequest } from "./parseMessages";

/** Milliseconds. */
export interface Limits {
  /** From the question to the answer, whatever stands in between: other texts, a thread that starts, a parser that loads. Absent = until the thread is done or replaced; the process may end meanwhile. */
  readonly wait?: number;
  /** From the moment the thread begins with this text. */
  readonly work: number;
}

export interface SqlThread {
  /** Undefined = no answer within the limits. */
  ask(question: SqlQuestion, limits: Limits): Promise<SqlAnswer | undefined>;
  close(): Promise<void>;
}

export interface SqlThreadOptions {
  readonly log: Log;
  /** The thread's file; default the one beside this module. */
  readonly worker?: ChildFile;
}

/** Milliseconds. Starting the thread and loading a parser; a thread that takes longer is replaced. */
const LOAD_LIMIT = 10_000;

interface Job {
  readonly request: SqlRequest;
  readonly work: number;
  readonly settle: (answer: SqlAnswer | undefined) => void;
}

export function createSqlThread(options: SqlThreadOptions): SqlThread {
  const waiting: Job[] = [];
  /** One text is with the thread at a time, so that one that hangs costs no other its answer. */
  let current: Job | undefined;
  let worker: Worker | undefined;
  /** Runs while the thread loads or works, whether or not anyone still waits for the answer. */
  let limit: NodeJS.Timeout | undefined;
  let isWorking = false;
  let nextId = 1;

  const finish = (answer: SqlAnswer | undefined) => {
    clearTimeout(limit);
    isWorking = false;
    const done = current;
    current = undefined;
    done?.settle(answer);
    pump();
  };
  /** What was with a thread that is gone gets no answer from it. */
  const drop = (gone: Worker) => {
    if (worker !== gone) return;
    const fatal = isWorking ? current?.request : undefined;
    worker = undefined;
    void gone.terminate();
    finish(undefined);
    const next = current === undefined && fatal !== undefined ? afterDeath(fatal) : undefined;
    if (next !== undefined) void ask(next, { work: LOAD_LIMIT });
  };
  const limitTo = (ms: number, from: Worker) => {
    clearTimeout(limit);
    // What came in while this process was busy is heard before a timer that ended meanwhile.
    limit = setTimeout(() => drop(from), ms).unref();
  };
  const onReply = (from: Worker, reply: SqlReply) => {
    if (reply.kind === "warning") options.log.warn(reply.message);
    else if (from !== worker || reply.id !== current?.request.id) return;
    else if (reply.kind === "loaded") {
      isWorking = true;
      limitTo(current.work, from);
    } else finish(reply);
  };
  const start = (): Worker => {
    const started = startThread(options.worker);
    started.on("message", (reply: SqlReply) => onReply(started, reply));
    started.on("error", (error) => {
      options.log.warn(`The SQL thread ended: ${messageOf(error)}`);
      drop(started);
    });
    started.on("exit", () => drop(started));
    return started;
  };
  const pump = () => {
    if (current !== undefined) return;
    current = waiting.shift();
    if (current === undefined) return;
    try {
      worker ??= start();
      limitTo(LOAD_LIMIT, worker);
      worker.postMessage(current.request);
    } catch (error) {
      options.log.warn(`The SQL thread cannot start: ${messageOf(error)}`);
      finish(undefined);
    }
  };
  const ask = (question: SqlQuestion, limits: Limits): Promise<SqlAnswer | undefined> =>
    new Promise((resolve) => {
      // Who gives up waiting leaves the text with the thread: it goes on loading for the next one.
      const giveUp = () => {
        const place = waiting.indexOf(job);
        if (place >= 0) waiting.splice(place, 1);
        resolve(undefined);
      };
      const wait = limits.wait === undefined ? undefined : setTimeout(giveUp, limits.wait);
      const settle = (answer: SqlAnswer | undefined) => {
        clearTimeout(wait);
        resolve(answer);
      };
      const job: Job = { request: { ...question, id: nextId++ }, work: limits.work, settle };
      waiting.push(job);
      pump();
    });

  return {
    ask,
    async close() {
      for (const job of waiting.splice(0)) job.settle(undefined);
      const gone = worker;
      if (gone === undefined) return;
      isWorking = false;
      drop(gone);
      await gone.terminate();
    },
  };
}

/** A text that only makes the new thread load its parser, so that the next one need not wait. What dies of nothing is not tried again. */
function afterDeath(fatal: SqlQuestion): SqlQuestion | undefined {
  return "read" in fatal || fatal.text === "" ? undefined : onlyLoad(fatal.dialect);
}

/** A question about nothing: its answer says that the parser of this dialect is loaded. */
export function onlyLoad(dialect: string): SqlQuestion {
  return { dialect, text: "", statements: [] };
}

function startThread(given: ChildFile | undefined): Worker {
  const file = given ?? childFile(import.meta.dirname, "sqlWorker");
  const started = new Worker(file.path, {
    execArgv: [...file.execArgv],
    resourceLimits: { maxOldGenerationSizeMb: 384 },
    stdin: false,
  });
  started.unref();
  return started;
}
