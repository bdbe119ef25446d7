/** The audit log of one workspace in the editor: its file, the extension's storage when that fails, memory when both do. */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AuditRecord } from "../core/audit/record";
import { isApproval } from "../core/audit/recordSignature";
import { CountersignError, formatProblem } from "../core/errors";
import { openSignedAuditLog, type SignedAuditLog } from "../node/auditCheckpointLog";
import { type AuditPlace, fallbackStore } from "../node/auditFallback";
import { fileHeadStore, headFolder } from "../node/auditHead";
import { loadPublicKey, savePublicKey } from "../node/auditKeys";
import { parseKeptKeys } from "../node/auditKeysKept";
import type { KeyTrouble } from "../node/auditKeysRing";
import { memoryAuditLog } from "../node/auditMemory";
import { logIdOf } from "../node/auditSegment";
import { type VerifyOptions, type VerifyReport, verifyFile } from "../node/auditVerify";
import { ensureDataFolder } from "../node/dataFolder";
import { nodeClock } from "../node/ports";
import type { Resolved } from "../node/resolveWorkspace";
import type { AuditStore, Log } from "../ports";
import { version } from "../version";
import { type Secrets, secretAnchor, secretKeyStore } from "./auditSecrets";

export interface WorkspaceAuditOptions {
  readonly root: string;
  readonly folder: string;
  /** The extension's own storage folder. */
  readonly storage: string;
  /** Where the log's key and its newest checkpoint are kept. */
  readonly secrets: Secrets;
  readonly log: Log;
  readonly resolved: () => Resolved;
  /** Told when records begin to go elsewhere, or are signed no more. */
  readonly onPlace: () => void;
  /** Told once when a person's act was recorded without a signature. */
  readonly onUnsigned: (why: string) => void;
  readonly onRecord: (record: AuditRecord) => void;
}

export interface WorkspaceAudit {
  readonly store: AuditStore;
  /** Absolute path of the file that records go to. */
  path(): string;
  state(): { readonly place: AuditPlace; readonly problem?: string };
  /** Why no checkpoint of the log can be signed; undefined while all is well. */
  checkpointProblem(): string | undefined;
  /** Why approvals are recorded without a signature; undefined while they are signed. */
  keyTrouble(): KeyTrouble | undefined;
  /** Verifier key that the log was opened with; undefined before its first record. */
  publicKey(): Promise<string | undefined>;
  /** Verifies the log against all that the editor keeps of it outside its folder. Throws `audit.unreadable`, or the signal's reason. */
  verify(watch?: Pick<VerifyOptions, "onProgress" | "signal">): Promise<VerifyReport>;
  /** True while nothing but reads may run for want of a log. */
  blocked(): boolean;
  /** A person's word, from a dialog: non-reads go on for 30 minutes although records are kept in memory only. */
  allowUnaudited(): void;
  /** A person's word, from a dialog: a lost log, or one whose key is not held here, is begun anew, and the new one says so. */
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
  let setAside: string | undefined;
  let saidUnsigned = false;
  let allowedUntil = 0;
  // A locked keyring asks the person now, and not while the log is locked for its first record.
  Promise.resolve(options.secrets.get("audit.ready")).catch(() => undefined);
  let live: SignedAuditLog | undefined;
  const open = async (path: string): Promise<SignedAuditLog> => {
    const { audit } = options.resolved().config;
    const heads = join(homedir(), ".countersign", "heads");
    const opened = await openSignedAuditLog({
      path,
      redactKeys: audit.redact,
      redactExempt: audit.redact_exempt,
      durability: audit.durability,
      role: "extension",
      version,
      head: fileHeadStore(heads, path),
      keys: secretKeyStore(options.secrets),
      anchor: secretAnchor(options.secrets, path),
      placeFile: join(headFolder(heads, path), "checkpoint-place"),
      publish: savePublicKey,
      onProblem(problem) {
        log.error(problem);
        options.onPlace();
      },
      ...(onMissing === "recover" ? { onMissing } : {}),
      ...(setAside === undefined ? {} : { setAside }),
    });
    const isNew = onMissing === "recover" || setAside !== undefined;
    onMissing = "refuse";
    setAside = undefined;
    opened.onAppend((record) => {
      options.onRecord(record);
      noteUnsigned(record);
    });
    live = opened;
    // Until the first checkpoint the anchor names the log before.
    if (isNew) void opened.checkpointNow();
    return opened;
  };

  function noteUnsigned(record: AuditRecord): void {
    const isUnsigned = isApproval(record.event) && record.sig === undefined;
    if (!isUnsigned || saidUnsigned) return;
    saidUnsigned = true;
    options.onUnsigned(live?.keyTrouble()?.why ?? "");
    options.onPlace();
  }

  const at = (): string => (store.place() === "elsewhere" ? spare : usual());
  async function verify(watch: Pick<VerifyOptions, "onProgress" | "signal"> = {}): Promise<VerifyReport> {
    const path = at();
    const head = await fileHeadStore(join(homedir(), ".countersign", "heads"), path).load();
    const kept = await secretAnchor(options.secrets, path).load();
    return verifyFile(path, {
      ...watch,
      ...(head === undefined ? {} : { head }),
      ...(kept === undefined ? {} : { kept }),
      knownKey: async (logId) =>
        parseKeptKeys(await secretKeyStore(options.secrets).load(logId)).first ?? loadPublicKey(logId),
    });
  }

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
    path: at,
    verify,
    keyTrouble: () => live?.keyTrouble(),
    state: () => {
      const problem = store.problem();
      return { place: store.place(), ...(problem === undefined ? {} : { problem }) };
    },
    checkpointProblem: () => live?.checkpoints().problem,
    async publicKey() {
      const logId = logIdOf(at());
      return live?.publicKey() ?? (logId === undefined ? undefined : loadPublicKey(logId));
    },
    blocked: () => store.place() === "memory" && Date.now() >= allowedUntil,
    allowUnaudited() {
      allowedUntil = Date.now() + UNAUDITED_MS;
    },
    beginAnew() {
      if (store.place() === "file" && live?.keyTrouble()?.kind === "not held") setAside = live.logId;
      else onMissing = "recover";
      saidUnsigned = false;
      store.retry();
    },
    retry: () => store.retry(),
    close: () => store.close(),
  };
}
