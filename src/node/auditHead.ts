/** Keeps the newest record of a log in a folder elsewhere, so that a cut or missing log is noticed. Moves forward only. Knows nothing of how records are written. */
import * as fs from "node:fs";
import * as path from "node:path";
import { isFurther } from "../core/audit/checkpoint";
import { parseObject } from "../core/audit/parse";
import type { Head } from "../core/audit/verifyReport";
import { sha256 } from "./auditBytes";

export type { Head };

export interface HeadStore {
  load(): Promise<Head | undefined>;
  /** Ignored unless it is newer. A head of another log is ignored too, unless `replaces` names the one that is known. */
  store(head: Head, options?: { readonly replaces?: string }): Promise<void>;
  /** Remembers a record that waits in the spool; without these a full wait for the lock is refused. */
  readonly spool?: {
    add(id: string): Promise<void>;
    remove(id: string): Promise<void>;
  };
}

/**
 * One file per head, named by its number: a late writer can never put an older one in place of a newer one.
 * `folder` stands outside the workspace; one folder serves many logs when `logPath` is given.
 */
export function fileHeadStore(folder: string, logPath?: string): HeadStore {
  const home = logPath === undefined ? folder : headFolder(folder, logPath);
  const spool = path.join(home, "spool");
  return {
    async load() {
      const head = newest(home);
      if (head === undefined) return undefined;
      const spooled = list(spool);
      return spooled.length === 0 ? head : { ...head, spooled };
    },
    async store(head, options = {}) {
      const known = newest(home);
      if (known !== undefined) {
        if (known.log_id !== head.log_id && options.replaces !== known.log_id) return;
        if (known.log_id === head.log_id && !isFurther(placeOf(head), placeOf(known))) return;
      }
      fs.mkdirSync(home, { recursive: true, mode: 0o700 });
      const name = fileOf(head);
      const draft = path.join(home, `.${name}.${process.pid}`);
      const replaced = options.replaces === undefined ? {} : { replaces: options.replaces };
      fs.writeFileSync(draft, JSON.stringify({ ...head, ...replaced }), { mode: 0o600 });
      fs.renameSync(draft, path.join(home, name));
      sweep(home, head);
    },
    spool: {
      async add(id) {
        fs.mkdirSync(spool, { recursive: true, mode: 0o700 });
        fs.writeFileSync(path.join(spool, safeName(id)), "", { mode: 0o600 });
      },
      async remove(id) {
        fs.rmSync(path.join(spool, safeName(id)), { force: true });
      },
    },
  };
}

/** Names sort as heads follow each other, of the first segment without its number as ever. */
function fileOf(head: Head): string {
  const segment = head.segment === undefined ? "" : `${String(head.segment).padStart(9, "0")}-`;
  return `${safeName(head.log_id)}.${segment}${String(head.seq).padStart(16, "0")}.json`;
}

function placeOf(head: Head): { segment: number; size: number } {
  return { segment: head.segment ?? 1, size: head.seq };
}

/** A name for one log: the same for every spelling of its path. */
export function headName(logPath: string): string {
  const folder = path.dirname(path.resolve(logPath));
  const real = fs.existsSync(folder) ? fs.realpathSync(folder) : folder;
  return sha256(path.join(real, path.basename(logPath))).slice(0, 32);
}

/** Where the head of this log is kept under the folder of all heads. */
export function headFolder(folder: string, logPath: string): string {
  return path.join(folder, headName(logPath));
}

function safeName(id: string): string {
  return /^[A-Za-z0-9_-]{1,100}$/.test(id) ? id : sha256(id).slice(0, 32);
}

function list(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
}

type StoredHead = Head & { readonly replaces?: string };

function heads(home: string): StoredHead[] {
  return list(home)
    .filter((name) => name.endsWith(".json") && !name.startsWith("."))
    .map((name) => parseHead(readText(path.join(home, name))))
    .filter((head) => head !== undefined);
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    // Swept by another writer between listing and reading.
    return "";
  }
}

function newest(home: string): Head | undefined {
  const all = heads(home);
  const replaced = new Set(all.map((head) => head.replaces).filter((id) => id !== undefined));
  const current = all.filter((head) => !replaced.has(head.log_id));
  const best = current.toSorted((a, b) => (b.segment ?? 1) - (a.segment ?? 1) || b.seq - a.seq)[0];
  if (best === undefined) return undefined;
  const { replaces: _replaces, ...head } = best;
  return head;
}

/** Undefined when the text is not a head. */
export function parseHead(text: string): StoredHead | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const { log_id, count, seq, head, path: file, replaces, segment = 1 } = value;
  if (typeof log_id !== "string" || typeof head !== "string" || typeof file !== "string") return undefined;
  if (typeof count !== "number" || typeof seq !== "number" || !Number.isSafeInteger(seq)) return undefined;
  if (typeof segment !== "number" || !Number.isSafeInteger(segment) || segment < 1) return undefined;
  const known = { log_id, count, seq, head, path: file, ...(segment === 1 ? {} : { segment }) };
  return { ...known, ...(typeof replaces === "string" ? { replaces } : {}) };
}

/** Removes older heads of this log. The one that replaced another log's is kept as long as that one's files stand. */
function sweep(home: string, head: Head): void {
  const prefix = `${safeName(head.log_id)}.`;
  const others = list(home).some((name) => name.endsWith(".json") && !name.startsWith(prefix));
  const own = list(home).filter((name) => name.startsWith(prefix) && name.endsWith(".json"));
  const keep = others ? own[0] : undefined;
  for (const name of own.slice(0, -1)) if (name !== keep) fs.rmSync(path.join(home, name), { force: true });
}
