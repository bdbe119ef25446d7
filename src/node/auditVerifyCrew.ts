/** Threads that read parts of a log ahead, and their owner with them. One that dies leaves its parts unread, for whoever asked to read. Knows nothing of files or records. */
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createPartReader, newPart, type Part, type PartJob } from "./auditVerifyPart";
import { type ChildFile, childFile } from "./childFile";

export interface CrewOptions {
  /** Threads beside the one that judges; the default suits the machine. 0 = the log is read line by line. */
  readonly threads?: number;
  /** Bytes of the log that are read at a time. */
  readonly partBytes?: number;
  /** Shorter logs are read without threads. Bytes. */
  readonly fromBytes?: number;
  /** Stands in for the thread's own program. */
  readonly program?: ChildFile;
  /** One that its owner keeps for the next log. */
  readonly running?: Crew;
}

/** A part that is to be read ahead. */
export interface Asked {
  /** Lines that were read ahead, 0 where the thread died over it; undefined = not yet. */
  lines: number | undefined;
}

export interface Crew {
  /** To be filled in turns: as many as keep every thread busy. */
  readonly parts: readonly Part[];
  ask(part: Part, job: Pick<PartJob, "filled" | "leaves">): Asked;
  /** Resolves once it was read. Who waits reads what no thread has begun. Never rejects. */
  wait(asked: Asked): Promise<number>;
  close(): Promise<void>;
}

interface Job extends Asked {
  readonly sent: PartJob;
}

interface Member {
  readonly worker: Worker;
  /** Answers come in the order of the jobs. */
  readonly jobs: Job[];
}

const PART_BYTES = 512 * 1024;
/** Each takes 12 MB and more: with one of them a verification stays within 100 MB, and is as fast as two processors allow. */
const MOST_THREADS = 1;
/** Shorter than this, starting a thread takes longer than it saves. */
const FROM_BYTES = 32 * 1024 * 1024;
/** Megabytes; more is needed only by what is no log. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };
/** One that is read, and one to go on with. */
const JOBS = 2;

/** Undefined where a log of this size is read without threads. */
export function crewFor(bytes: number, options: CrewOptions = {}): Crew | undefined {
  const { running } = options;
  if (running !== undefined) return { ...running, close: async () => undefined };
  const threads = options.threads ?? Math.min(availableParallelism() - 1, MOST_THREADS);
  if (threads < 1 || bytes < (options.fromBytes ?? FROM_BYTES)) return undefined;
  return startCrew(threads, options);
}

export function startCrew(threads: number, { partBytes = PART_BYTES, program }: CrewOptions): Crew {
  const members: Member[] = [];
  /** Asked for, and begun by none. */
  const open: Job[] = [];
  const readPart = createPartReader();
  let wake = (): void => undefined;

  function linesRead(job: PartJob): number {
    try {
      return readPart(job);
    } catch {
      return 0;
    }
  }

  function pump(): void {
    for (const { worker, jobs } of members)
      while (jobs.length < JOBS && open.length > 0) {
        const job = open.shift();
        if (job === undefined) break;
        jobs.push(job);
        worker.postMessage(job.sent);
      }
  }

  function changed(): void {
    pump();
    wake();
  }

  try {
    for (let n = 0; n < threads; n += 1) members.push(join(members, { program, changed }));
  } catch {
    // Where the system gives no more threads, fewer do.
  }
  return {
    parts: Array.from({ length: JOBS * (threads + 1) }, () => newPart(partBytes)),
    ask({ memory, bytes }, asked) {
      const job: Job = { lines: undefined, sent: { memory, size: bytes.length, ...asked } };
      open.push(job);
      pump();
      return job;
    },
    async wait(asked) {
      while (asked.lines === undefined) {
        const own = open.shift();
        if (own === undefined)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        else {
          own.lines = linesRead(own.sent);
          // What the threads answered meanwhile comes in between.
          await setImmediate();
        }
      }
      return asked.lines;
    },
    async close() {
      await Promise.all(members.map(({ worker }) => worker.terminate()));
    },
  };
}

function join(
  members: Member[],
  { program, changed }: { readonly program: ChildFile | undefined; readonly changed: () => void },
): Member {
  const file = program ?? childFile(import.meta.dirname, "auditVerifyWorker");
  const worker = new Worker(file.path, {
    execArgv: [...file.execArgv],
    resourceLimits: LIMITS,
    stdin: false,
  });
  const member: Member = { worker, jobs: [] };
  worker.on("message", (lines: unknown) => {
    const job = member.jobs.shift();
    if (job !== undefined) job.lines = typeof lines === "number" ? lines : 0;
    changed();
  });
  // It ends after this, and only then touches its part no more.
  worker.on("error", () => undefined);
  worker.on("exit", () => {
    const index = members.indexOf(member);
    if (index !== -1) members.splice(index, 1);
    for (const job of member.jobs.splice(0)) job.lines = 0;
    changed();
  });
  return member;
}
