/** The audit log of the workspace, in the file that the editor writes too; opened with the first record. Has no other place to go: without it, calls are denied. */
import { join } from "node:path";
import { CountersignError, formatProblem } from "../core/errors";
import { fileHeadStore } from "../node/auditHead";
import { type AuditLog, openAuditLog } from "../node/auditWriter";
import { type DataFolder, ensureDataFolder } from "../node/dataFolder";
import type { Resolved } from "../node/resolveWorkspace";
import type { AuditStore, Log } from "../ports";
import { version } from "../version";

export interface McpAuditOptions {
  readonly place: DataFolder;
  readonly home: string;
  readonly resolved: () => Resolved;
  readonly log: Log;
}

export interface McpAudit extends AuditStore {
  close(): Promise<void>;
}

/** A log that could not be opened is tried again with the next record. */
export function mcpAudit(options: McpAuditOptions): McpAudit {
  let opened: Promise<AuditLog> | undefined;
  const current = (): Promise<AuditLog> => {
    if (opened === undefined) {
      const opening = open(options);
      opened = opening;
      opening.catch(() => {
        if (opened === opening) opened = undefined;
      });
    }
    return opened;
  };
  return {
    intend: async (body) => (await current()).intend(body),
    append: async (body) => (await current()).append(body),
    async close() {
      await opened?.then((log) => log.close()).catch((error: unknown) => options.log.error(String(error)));
    },
  };
}

async function open({ place, home, resolved, log }: McpAuditOptions): Promise<AuditLog> {
  const made = await ensureDataFolder(place.root);
  if (!made.ok) throw new CountersignError("audit.unwritable", made.problems.map(formatProblem).join("\n"));
  const { audit } = resolved().config;
  const path = join(place.folder, audit.path.replaceAll("{profile}", "default"));
  return openAuditLog({
    path,
    redactKeys: audit.redact,
    redactExempt: audit.redact_exempt,
    durability: audit.durability,
    role: "mcp",
    version,
    head: fileHeadStore(join(home, ".countersign", "heads"), path),
    onProblem: log.warn,
  });
}
