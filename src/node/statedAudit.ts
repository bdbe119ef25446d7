/** Where a program's configuration wants its audit log, when the program names no file itself. Opens none. */
import { join } from "node:path";
import { type ConfigFile, defaultConfig } from "../core/rules/schema";
import { DATA_FOLDER } from "./dataFolder";

/**
 * Absolute; undefined where the configuration asks for no log in so many words. Relative to the data folder beside the
 * configuration, as everywhere.
 */
export function statedAuditPath(
  layer: ConfigFile | undefined,
  where: { readonly folder: string; readonly profile?: string },
): string | undefined {
  const { audit = {}, chain = {} } = layer ?? {};
  const asked = chain.audit_log === true || audit.required === true || audit.path !== undefined;
  if (!asked || chain.audit_log === false) return undefined;
  const path = audit.path ?? defaultConfig.audit.path;
  return join(where.folder, DATA_FOLDER, path.replaceAll("{profile}", where.profile ?? "default"));
}
