/** An audit store that never loses a record for want of a folder: the workspace's file, then one elsewhere, then memory. */
import { CountersignError, messageOf } from "../core/errors";
import type { AuditStore, Clock, Log } from "../ports";

export type AuditPlace = "file" | "elsewhere" | "memory";

export interface FallbackOptions {
  readonly file: () => Promise<AuditStore & { close(): Promise<void> }>;
  readonly elsewhere: () => Promise<AuditStore & { close(): Promise<void> }>;
  readonly memory: AuditStore & { flushInto(store: AuditStore): Promise<unknown> };
  readonly clock: Clock;
  readonly log: Log;
  /** Told when records begin to go somewhere else; `problem` says why. */
  readonly onPlace: (place: AuditPlace, problem: string) => void;
}

/** Milliseconds after which the file is tried again by itself: a disk gets room, a folder its rights. */
const AGAIN_MS = 30_000;

export interface FallbackStore extends AuditStore {
  place(): AuditPlace;
  problem(): string | undefined;
  /** Tries the file again with the next record. */
  retry(): void;
  close(): Promise<void>;
}

type Opened = AuditStore & { close(): Promise<void> };

export function fallbackStore(options: FallbackOptions): FallbackStore {
  let place: AuditPlace = "file";
  let problem: string | undefined;
  let open: Promise<Opened> | undefined;
  let kept = false;
  let fellAt = Number.NEGATIVE_INFINITY;
  const current = (): Promise<Opened> => {
    open ??= opening();
    return open;
  };

  /** What was kept in memory meanwhile goes into the file first. */
  const opening = async (): Promise<Opened> => {
    const opened = await (place === "file" ? options.file() : options.elsewhere());
    if (kept) await options.memory.flushInto(opened);
    kept = false;
    if (place === "file" && problem !== undefined) {
      problem = undefined;
      options.onPlace(place, "");
    }
    return opened;
  };

  const tryFile = (): void => {
    void open?.then((opened) => opened.close()).catch(() => undefined);
    open = undefined;
    place = "file";
  };

  const fall = (error: unknown): void => {
    problem = messageOf(error);
    void open?.then((opened) => opened.close()).catch(() => undefined);
    open = undefined;
    place = place === "file" ? "elsewhere" : "memory";
    fellAt = options.clock.now();
    options.log.error(
      `the audit log cannot be written (${problem}); records go to ${place === "memory" ? "memory" : "the extension's storage"}`,
    );
    options.onPlace(place, problem);
  };

  async function write<T>(how: (store: AuditStore) => Promise<T>): Promise<T> {
    const before = place;
    if (before !== "file" && options.clock.now() - fellAt >= AGAIN_MS) tryFile();
    for (let tried: AuditPlace = place; tried !== "memory"; tried = place) {
      try {
        return await how(await current());
      } catch (error) {
        if (place === tried) fall(error);
      }
      // The call at hand was judged as if its record were safe: it alone is refused, the next ones know.
      if (store.place() === "memory" && before !== "memory") {
        throw new CountersignError(
          "audit.unwritable",
          `no audit log can be written: ${problem ?? "unknown"}`,
          {
            hint: "Free the disk or mend the folder's rights; reads go on meanwhile.",
          },
        );
      }
    }
    kept = true;
    return how(options.memory);
  }

  /** What memory holds ends with the program: the file is tried once more, then the place elsewhere. */
  async function lastTry(): Promise<void> {
    tryFile();
    for (let tried: AuditPlace = place; kept && tried !== "memory"; tried = place) {
      await current().catch((error: unknown) => {
        if (place === tried) fall(error);
      });
    }
    if (kept)
      options.log.error("records of the audit log that were kept in memory are lost with this program");
  }

  const store: FallbackStore = {
    intend: (body) => write((to) => to.intend(body)),
    append: (body) => write((to) => to.append(body)),
    place: () => place,
    problem: () => problem,
    retry() {
      tryFile();
      problem = undefined;
    },
    async close() {
      if (kept) await lastTry();
      await open?.then((opened) => opened.close()).catch(() => undefined);
    },
  };
  return store;
}
