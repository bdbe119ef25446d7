/** Brings written records to the disk, alone or in groups, and then remembers the newest one elsewhere. Knows nothing of locks or records. */
import * as fs from "node:fs";
import type { Head } from "../core/audit/verifyReport";
import type { HeadStore } from "./auditHead";
import { unwritable } from "./auditPlace";
import type { AuditState } from "./auditState";

const GROUP_MS = 200;

export interface AuditDisk {
  /** Within 200 ms, together with what else is written until then. */
  soon(): void;
  /** What was written before this call is on the disk when it resolves; those who wait together share one sync. */
  now(): Promise<void>;
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
  let running: Promise<void> | undefined;

  /** Only what is on the disk: a head ahead of its log would look like a cut. */
  async function sync(): Promise<void> {
    const state = options.state();
    if (state === undefined) return;
    const head = state.head();
    await new Promise<void>((resolve, reject) => {
      fs.fdatasync(state.fd, (error) =>
        error === null ? resolve() : reject(unwritable(error, options.file)),
      );
    });
    await remember(head);
  }

  async function remember(head: Head | undefined): Promise<void> {
    if (head === undefined || options.store === undefined) return;
    try {
      await options.store.store(head, replaced === undefined ? {} : { replaces: replaced });
      known = head;
    } catch (error) {
      options.onProblem(`the head of the audit log cannot be stored: ${String(error)}`);
    }
  }

  async function now(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // One under way may have begun before our write.
    if (running !== undefined) await running.catch(() => undefined);
    running ??= sync().finally(() => {
      running = undefined;
    });
    await running;
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
