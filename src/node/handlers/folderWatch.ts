/** Whether files, or folders on the way to them, were exchanged meanwhile, also where they were put back: their own times do not tell that of a folder. Reads no file. */
import { watch } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

export interface FolderWatch {
  /** One that was exchanged since the watch began; undefined = none was, as far as the system tells. */
  exchanged(): Promise<string | undefined>;
  close(): void;
}

/** Turns of the event loop in which what the system has told by now is read. */
const TURNS = 3;

/** What cannot be watched (no such folder, no more watches) is left out. Never rejects. */
export async function watchFolders(files: Iterable<string>): Promise<FolderWatch> {
  const wanted = new Map<string, Set<string>>();
  for (const file of files) {
    addWay(file, wanted);
    addWay(await realpath(file).catch(() => file), wanted);
  }
  let exchanged: string | undefined;
  const watchers = [...wanted].flatMap(([folder, names]) => {
    try {
      const watcher = watch(folder, { persistent: false }, (kind, name) => {
        // "rename": an entry came, went or was exchanged, or a folder's mode was set; what is written into one is seen by its times.
        if (kind === "rename" && name !== null && names.has(name)) exchanged ??= join(folder, name);
      });
      watcher.on("error", () => undefined);
      return [watcher];
    } catch {
      return [];
    }
  });
  return {
    async exchanged() {
      for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
      return exchanged;
    },
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** Each folder on the way, with the name by which the way leads on. */
function addWay(file: string, wanted: Map<string, Set<string>>): void {
  for (let path = file; dirname(path) !== path; path = dirname(path)) {
    const names = wanted.get(dirname(path)) ?? new Set();
    wanted.set(dirname(path), names);
    if (names.has(basename(path))) return;
    names.add(basename(path));
  }
}
