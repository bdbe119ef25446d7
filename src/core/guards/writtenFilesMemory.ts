/** Which files agents wrote in this window, and which program texts a person has let run. Pure; knows no content. */

export interface WrittenFiles {
  /** Real path. */
  wrote(path: string): void;
  has(path: string): boolean;
  isEmpty(): boolean;
  all(): readonly string[];
  /** A person was asked about this very text in this session and let it run. */
  approved(session: string, hash: string): boolean;
  approve(session: string, hash: string): void;
}

const MAX_FILES = 5000;
const MAX_APPROVED = 2000;

export function writtenFilesMemory(): WrittenFiles {
  const files = new Set<string>();
  const approvals = new Set<string>();
  return {
    wrote(path) {
      // Re-inserted, so that what was written longest ago is forgotten first.
      files.delete(path);
      files.add(path);
      forgetFirst(files, MAX_FILES);
    },
    has: (path) => files.has(path),
    isEmpty: () => files.size === 0,
    all: () => [...files],
    approved: (session, hash) => approvals.has(`${session}\n${hash}`),
    approve(session, hash) {
      approvals.add(`${session}\n${hash}`);
      forgetFirst(approvals, MAX_APPROVED);
    },
  };
}

function forgetFirst(set: Set<string>, most: number): void {
  const [first] = set;
  if (set.size > most && first !== undefined) set.delete(first);
}
