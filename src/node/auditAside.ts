/** Puts records aside while the lock is not to be had, and tries again until they are in the log. Knows nothing of the chain. */
import * as fs from "node:fs";
import type { JsonObject } from "../core/audit/canonical";
import type { AuditRecord } from "../core/audit/record";
import type { AuditDisk } from "./auditDisk";
import type { HeadStore } from "./auditHead";
import type { NewSideFile } from "./auditSide";
import { createSpoolWriter } from "./auditSpool";

const DRAIN_MS = 250;

export interface Aside {
  /** Resolves and rejects as `SpoolWriter.put` does; counts only where something outside the folder remembers that it waits. */
  put(fields: JsonObject): Promise<AuditRecord>;
  /** The lock was had, and what waited is in the log. */
  drained(): void;
  isEmpty(): boolean;
  stop(): void;
}

export interface AsideOptions {
  readonly log: string;
  readonly folder: string;
  readonly side: (fields: JsonObject) => NewSideFile;
  readonly disk: AuditDisk;
  readonly head: HeadStore | undefined;
  /** Gives false when the lock is still held by another. */
  readonly drain: () => Promise<boolean>;
}

export function createAside(options: AsideOptions): Aside {
  const { disk, head } = options;
  const spool = createSpoolWriter(options.log);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Undefined where nothing elsewhere knows this log, so that nobody would miss what waits beside it. */
  async function anchor(): Promise<HeadStore["spool"]> {
    // Another process may have made it known since.
    if (disk.known() === undefined) disk.setKnown(await head?.load());
    return disk.known() === undefined ? undefined : head?.spool;
  }

  function drainSoon(): void {
    if (timer !== undefined || isStopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      void options.drain().then((isDone) => {
        if (!isDone) drainSoon();
      });
    }, DRAIN_MS);
    timer.unref();
  }

  return {
    async put(fields) {
      drainSoon();
      return spool.put(options.side(fields), await anchor());
    },
    drained: () => spool.drained(),
    isEmpty: () => !fs.existsSync(options.folder) || fs.readdirSync(options.folder).length === 0,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
