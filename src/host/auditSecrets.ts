/** Keys and anchors of audit logs in the editor's secret storage. Knows nothing of what the texts say. */
import type * as vscode from "vscode";
import { type AnchorStore, anchorStore } from "../node/auditCheckpointFile";
import { headName } from "../node/auditHead";
import type { AuditKeyStore } from "../node/auditKeys";

export type Secrets = Pick<vscode.SecretStorage, "get" | "store">;

export function secretKeyStore(secrets: Secrets): AuditKeyStore {
  const name = (logId: string): string => `audit.key.${logId}`;
  return {
    load: async (logId) => secrets.get(name(logId)),
    save: async (logId, text) => secrets.store(name(logId), text),
  };
}

/** One anchor per place of a log, so that another log in the same place is noticed. */
export function secretAnchor(secrets: Secrets, logPath: string): AnchorStore {
  const name = `audit.anchor.${headName(logPath)}`;
  return anchorStore({
    load: async () => secrets.get(name),
    save: async (text) => secrets.store(name, text),
  });
}
