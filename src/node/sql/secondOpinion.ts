/** Asks a real parser, in a thread that can be ended, whether SQL that the rules allow is what it seems. May only make a verdict stricter. */
import { Worker } from "node:worker_threads";
import { messageOf } from "../../core/errors";
import type { SecondOpinion } from "../../core/guards/destructiveSql";
import { findDialect } from "../../core/sql/dialects";
import { lex } from "../../core/sql/lexer";
import { splitStatements } from "../../core/sql/statements";
import type { Log } from "../../ports";
import { type ChildFile, childFile } from "../childFile";
import type { ParseReply, ParseRequest } from "./sqlWorker";

/** The parsers take exponential time on some short texts; longer or deeper ones are not shown to them at all. */
const MAX_BYTES = 16_384;
const MAX_DEPTH = 50;
/** Milliseconds. A guard has one second for everything, so that waiting and parsing together stay below it. */
const PARSE_LIMIT = 250;
const WHOLE_LIMIT = 550;

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

interface Pending {
  readonly resolve: (opinion: Opinion) => void;
  readonly whole: NodeJS.Timeout;
}

export function createSecondOpinion(options: SecondOpinionOptions): SecondOpinions {
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  /** Runs while the thread parses, whether or not anyone still waits for the answer. */
  let parsing: NodeJS.Timeout | undefined;
  let nextId = 1;

  const settle = (id: number, opinion: Opinion) => {
    const one = pending.get(id);
    if (one === undefined) return;
    pending.delete(id);
    clearTimeout(one.whole);
    one.resolve(opinion);
  };
  /** What waits for a thread that is gone gets no answer from it. */
  const drop = (gone: Worker) => {
    if (worker !== gone) return;
    worker = undefined;
    clearTimeout(parsing);
    for (const id of [...pending.keys()]) settle(id, "unverified");
    void gone.terminate();
  };
  const onReply = (from: Worker, reply: ParseReply) => {
    clearTimeout(parsing);
    if (reply.kind === "said") settle(reply.id, OPINIONS[reply.says]);
    else parsing = setTimeout(() => drop(from), PARSE_LIMIT);
  };
  const start = (): Worker => {
    const file = options.worker ?? childFile(import.meta.dirname, "sqlWorker");
    const started = new Worker(file.path, {
      execArgv: [...file.execArgv],
      resourceLimits: { maxOldGenerationSizeMb: 192 },
      stdin: false,
    });
    started.on("message", (reply: ParseReply) => onReply(started, reply));
    started.on("error", (error) => {
      options.log.warn(`The SQL parser thread ended: ${messageOf(error)}`);
      drop(started);
    });
    started.on("exit", () => drop(started));
    started.unref();
    return started;
  };
  const ask = (request: Omit<ParseRequest, "id">): Promise<Opinion> =>
    new Promise((resolve) => {
      const id = nextId++;
      try {
        worker ??= start();
        // Loading a parser may take longer; the thread goes on with it for the next text.
        const whole = setTimeout(() => settle(id, "unverified"), WHOLE_LIMIT);
        pending.set(id, { resolve, whole });
        worker.postMessage({ ...request, id } satisfies ParseRequest);
      } catch (error) {
        options.log.warn(`The SQL parser thread cannot start: ${messageOf(error)}`);
        settle(id, "unverified");
        resolve("unverified");
      }
    });

  return {
    judge: async (text, dialect) => {
      const name = findDialect(dialect)?.name;
      if (name === undefined || !DIALECTS.has(name)) return "agrees";
      const statements = readable(text, name);
      return statements === undefined ? "unverified" : ask({ text, statements, dialect: name });
    },
    async close() {
      const gone = worker;
      if (gone === undefined) return;
      drop(gone);
      await gone.terminate();
    },
  };
}

const OPINIONS: Readonly<Record<Extract<ParseReply, { kind: "said" }>["says"], Opinion>> = {
  reads: "agrees",
  acts: "stricter",
  refuses: "unverified",
  "refuses-exact": "refuses-exact",
};

/** The statements of a text that is short and flat enough to be shown to a parser. */
function readable(text: string, dialect: string): readonly string[] | undefined {
  const profile = findDialect(dialect)?.readings[0];
  if (profile === undefined || Buffer.byteLength(text) > MAX_BYTES) return undefined;
  const statements = splitStatements(lex(text, profile).tokens);
  if (statements.some((statement) => statement.depth.some((depth) => depth > MAX_DEPTH))) return undefined;
  return statements.map(({ tokens }) => text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0));
}
