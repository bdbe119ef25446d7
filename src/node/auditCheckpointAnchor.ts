/** Keeps the anchor while the log is locked: two windows that both look first and write then would leave the older one. Knows nothing of how a checkpoint comes about. */
import type { Anchor } from "../core/audit/checkpoint";
import type { AnchorStore } from "./auditCheckpointFile";
import { type AuditKeyring, within } from "./auditKeysRing";

export interface AnchorInTurn extends Pick<AnchorStore, "load"> {
  /** Kept with the next record of this process, or by `settle`. */
  next(anchor: Anchor, options?: { readonly replaces?: string | undefined }): void;
  /** Keeps now what no record has kept, without the lock. Rejects when it cannot be kept. */
  settle(): Promise<void>;
}

/** How long a store of secrets may take while others wait for the log. */
const PATIENCE_MS = 1500;

/** The ring to write records with, and the anchor that is kept as they are written. */
export function anchorInTurn(
  store: AnchorStore,
  keyring: AuditKeyring,
): { readonly keyring: AuditKeyring; readonly anchor: AnchorInTurn } {
  let waiting: (() => Promise<void>) | undefined;
  let failure: unknown;

  async function keep(): Promise<void> {
    const task = waiting;
    waiting = undefined;
    await task?.();
  }

  return {
    keyring: {
      ...keyring,
      async prepare(log) {
        const lines = await keyring.prepare(log);
        await within(keep(), PATIENCE_MS).catch((error: unknown) => {
          failure = error;
        });
        return lines;
      },
    },
    anchor: {
      load: () => store.load(),
      next(anchor, options) {
        waiting = () => store.store(anchor, options);
      },
      async settle() {
        await keep();
        const error = failure;
        failure = undefined;
        if (error !== undefined) throw error;
      },
    },
  };
}
