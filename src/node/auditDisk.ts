/** Brings written records to the disk, alone or in groups, and then remembers the newest one elsewhere. Knows nothing of locks or records. */
import * as fs from "node:fs";
import type { Head } from "../core/audit/verifyReport";
import type { HeadStore } from "./auditHead";
import { unwritable } from "./auditPlace";
import type { AuditState } from "./auditStateTypes";

const GROUP_MS = 200;

export interface AuditDisk {
  /** Within 200 ms, together with what else is written until then. */
  soon(): void;
  /**
   * What was written before this call is on the disk when it resolves; those who wait together share one sync.
   * Gives "remembered" when the store elsewhere knows the newest of it too. Rejects with `audit.unwritable`.
   */
  now(): Promise<"remembered" | "on disk">;
  /** The head as the store elsewhere has it. */
  known(): Head | undefined;
  setKnown(head: Head | undefined): void;
  /** The next head takes the place of another log's. */
  replaces(logId: string): void;
}

export interface AuditDiskOptions {
  readonly file: string;
  readonly state: () => AuditState | undefined;
  readonly store: HeadStore | undefined;
  readonly onProblem: (message: string) => void;
}

export function createAuditDisk(options: AuditDiskOptions): AuditDisk {
  let known: Head | undefined;
  let replaced: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<"remembered" | "on disk"> | undefined;

  /** Only what is on the disk: a head ahead of its log would look like a cut. */
  async function sync(): Promise<"remembered" | "on disk"> {
    const state = options.state();
    if (state === undefined) return "on disk";
    const { fd } = state;
    const head = state.head();
    const error = await new Promise<Error | null>((resolve) => fs.fdatasync(fd, resolve));
    // The segment was closed meanwhile, and flushed before that: what counts now is the new file.
    if (error !== null && options.state()?.fd !== fd) return sync();
    if (error !== null) throw unwritable(error, options.file);
    return remember(head);
  }

  async function remember(head: Head | undefined): Promise<"remembered" | "on disk"> {
    if (head === undefined || options.store === undefined) return "on disk";
    try {
      await options.store.store(head, replaced === undefined ? {} : { replaces: replaced });
      known = head;
      return "remembered";
    } catch (error) {
      options.onProblem(`the head of the audit log cannot be stored: ${String(error)}`);
      return "on disk";
    }
  }

  async function now(): Promise<"remembered" | "on disk"> {
    clearTimeout(timer);
    timer = undefined;
    // One under way may have begun before our write.
    if (running !== undefined) await running.catch(() => undefined);
    running ??= sync().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    now,
    soon() {
      if (timer !== undefined) return;
      timer = setTimeout(() => {
        now().catch((error: unknown) => options.onProblem(String(error)));
      }, GROUP_MS);
      timer.unref();
    },
    known: () => known,
    setKnown(head) {
      known = head;
    },
    replaces(logId) {
      replaced = logId;
    },
  };
}
