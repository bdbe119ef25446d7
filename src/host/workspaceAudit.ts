/** The audit log of one workspace in the editor: its file, the extension's storage when that fails, memory when both do. */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AuditRecord } from "../core/audit/record";
import { CountersignError, formatProblem } from "../core/errors";
import { type AuditPlace, fallbackStore } from "../node/auditFallback";
import { fileHeadStore } from "../node/auditHead";
import { memoryAuditLog } from "../node/auditMemory";
import { type AuditLog, openAuditLog } from "../node/auditWriter";
import { ensureDataFolder } from "../node/dataFolder";
import { nodeClock } from "../node/ports";
import type { Resolved } from "../node/resolveWorkspace";
import type { AuditStore, Log } from "../ports";
import { version } from "../version";

export interface WorkspaceAuditOptions {
  readonly root: string;
  readonly folder: string;
  /** The extension's own storage folder. */
  readonly storage: string;
  readonly log: Log;
  readonly resolved: () => Resolved;
  /** Told when records begin to go elsewhere. */
  readonly onPlace: () => void;
  readonly onRecord: (record: AuditRecord) => void;
}

export interface WorkspaceAudit {
  readonly store: AuditStore;
  /** Absolute path of the file that records go to. */
  path(): string;
  state(): { readonly place: AuditPlace; readonly problem?: string };
  /** True while nothing but reads may run for want of a log. */
  blocked(): boolean;
  /** A person's word, from a dialog: non-reads go on for 30 minutes although records are kept in memory only. */
  allowUnaudited(): void;
  /** A person's word, from a dialog: a lost log is begun anew, and the new one says so. */
  beginAnew(): void;
  retry(): void;
  close(): Promise<void>;
}

const UNAUDITED_MS = 30 * 60_000;

export function openWorkspaceAudit(options: WorkspaceAuditOptions): WorkspaceAudit {
  const { folder, root, storage, log } = options;
  const name = createHash("sha256").update(root).digest("hex").slice(0, 32);
  const usual = (): string =>
    join(folder, options.resolved().config.audit.path.replaceAll("{profile}", "default"));
  const spare = join(storage, "audit", name, "audit.jsonl");
  let onMissing: "refuse" | "recover" = "refuse";
  let allowedUntil = 0;
  const open = async (path: string): Promise<AuditLog> => {
    const { audit } = options.resolved().config;
    const opened = await openAuditLog({
      path,
      redactKeys: audit.redact,
      redactExempt: audit.redact_exempt,
      durability: audit.durability,
      role: "extension",
      version,
      head: fileHeadStore(join(homedir(), ".countersign", "heads"), path),
      ...(onMissing === "recover" ? { onMissing } : {}),
    });
    onMissing = "refuse";
    opened.onAppend(options.onRecord);
    return opened;
  };
  const store = fallbackStore({
    file: async () => {
      const made = await ensureDataFolder(root);
      if (!made.ok)
        throw new CountersignError("audit.unwritable", made.problems.map(formatProblem).join("\n"));
      return open(usual());
    },
    elsewhere: () => open(spare),
    memory: memoryAuditLog({ role: "extension", version }),
    clock: nodeClock,
    log,
    onPlace: options.onPlace,
  });
  return {
    store,
    path: () => (store.place() === "elsewhere" ? spare : usual()),
    state: () => {
      const problem = store.problem();
      return { place: store.place(), ...(problem === undefined ? {} : { problem }) };
    },
    blocked: () => store.place() === "memory" && Date.now() >= allowedUntil,
    allowUnaudited() {
      allowedUntil = Date.now() + UNAUDITED_MS;
    },
    beginAnew() {
      onMissing = "recover";
      store.retry();
    },
    retry: () => store.retry(),
    close: () => store.close(),
  };
}
