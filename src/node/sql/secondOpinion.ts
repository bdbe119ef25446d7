/** Asks a real parser, in a thread that can be ended, whether SQL that the rules allow is what it seems. May only make a verdict stricter. */
import { Worker } from "node:worker_threads";
import { messageOf } from "../../core/errors";
import type { SecondOpinion } from "../../core/guards/destructiveSql";
import { findDialect } from "../../core/sql/dialects";
import type { Log } from "../../ports";
import { type ChildFile, childFile } from "../childFile";
import type { ParseReply, ParseRequest, Says } from "./parseMessages";
import { parserText } from "./parserText";

/** Milliseconds. Loading a parser has a limit of its own. */
const PARSE_LIMIT = 250;
const LOAD_LIMIT = 10_000;
/** Milliseconds. A guard has one second for everything: waiting for a turn, loading and parsing together stay below it. */
const WHOLE_LIMIT = 850;

const DIALECTS: ReadonlySet<string> = new Set([
  "postgres",
  "redshift",
  "mysql",
  "mariadb",
  "sqlite",
  "tsql",
  "bigquery",
  "snowflake",
]);

type Opinion = Awaited<ReturnType<SecondOpinion>>;

const OPINIONS: Readonly<Record<Says, Opinion>> = {
  reads: "agrees",
  acts: "stricter",
  refuses: "unverified",
  "refuses-exact": "refuses-exact",
};

export interface SecondOpinionOptions {
  readonly log: Log;
  /** The thread's file; default the one beside this module. */
  readonly worker?: ChildFile;
}

export interface SecondOpinions {
  readonly judge: SecondOpinion;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** One text that waits for its turn or is with the thread. */
interface Job {
  readonly request: ParseRequest;
  readonly settle: (opinion: Opinion) => void;
}

export function createSecondOpinion(options: SecondOpinionOptions): SecondOpinions {
  const waiting: Job[] = [];
  /** One text is with the thread at a time, so that one that hangs costs no other its answer. */
  let current: Job | undefined;
  let worker: Worker | undefined;
  /** Runs while the thread loads or parses, whether or not anyone still waits for the answer. */
  let limit: NodeJS.Timeout | undefined;
  let isParsing = false;
  let nextId = 1;

  const finish = (opinion: Opinion) => {
    clearTimeout(limit);
    isParsing = false;
    const done = current;
    current = undefined;
    done?.settle(opinion);
    pump();
  };
  /** What was with a thread that is gone gets no answer from it. */
  const drop = (gone: Worker) => {
    if (worker !== gone) return;
    const fatal = isParsing ? current?.request : undefined;
    worker = undefined;
    void gone.terminate();
    finish("unverified");
    // The next text does not wait for the new thread to load. A parser that dies of nothing is not tried again.
    if (fatal !== undefined && fatal.text !== "" && current === undefined) void ask({ ...fatal, ...NOTHING });
  };
  const limitTo = (ms: number, from: Worker) => {
    clearTimeout(limit);
    limit = setTimeout(() => drop(from), ms).unref();
  };
  const onReply = (from: Worker, reply: ParseReply) => {
    if (reply.kind === "warning") options.log.warn(reply.message);
    else if (from !== worker || reply.id !== current?.request.id) return;
    else if (reply.kind === "loaded") {
      isParsing = true;
      limitTo(PARSE_LIMIT, from);
    } else finish(OPINIONS[reply.says]);
  };
  const start = (): Worker => {
    const started = startThread(options.worker);
    started.on("message", (reply: ParseReply) => onReply(started, reply));
    started.on("error", (error) => {
      options.log.warn(`The SQL parser thread ended: ${messageOf(error)}`);
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
      options.log.warn(`The SQL parser thread cannot start: ${messageOf(error)}`);
      finish("unverified");
    }
  };
  const ask = (text: Omit<ParseRequest, "id">): Promise<Opinion> =>
    new Promise((resolve) => {
      // Who gives up waiting leaves the text with the thread: it goes on loading for the next one.
      const whole = setTimeout(() => {
        const place = waiting.indexOf(job);
        if (place >= 0) waiting.splice(place, 1);
        resolve("unverified");
      }, WHOLE_LIMIT);
      const settle = (opinion: Opinion) => {
        clearTimeout(whole);
        resolve(opinion);
      };
      const job: Job = { request: { ...text, id: nextId++ }, settle };
      waiting.push(job);
      pump();
    });

  return {
    judge: async (text, dialect) => {
      const name = findDialect(dialect)?.name;
      if (name === undefined || !DIALECTS.has(name)) return "agrees";
      const shown = parserText(text, name);
      return shown === undefined ? "unverified" : ask(shown);
    },
    async close() {
      for (const job of waiting.splice(0)) job.settle("unverified");
      const gone = worker;
      if (gone === undefined) return;
      isParsing = false;
      drop(gone);
      await gone.terminate();
    },
  };
}

/** A text that only makes the thread load its parser. */
const NOTHING: Pick<ParseRequest, "text" | "statements"> = { text: "", statements: [] };

function startThread(given: ChildFile | undefined): Worker {
  const file = given ?? childFile(import.meta.dirname, "sqlWorker");
  const started = new Worker(file.path, {
    execArgv: [...file.execArgv],
    resourceLimits: { maxOldGenerationSizeMb: 192 },
    stdin: false,
  });
  started.unref();
  return started;
}
