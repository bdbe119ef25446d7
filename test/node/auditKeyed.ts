/** Logs with a key for the tests: keys and anchor in memory, as an editor's secret storage keeps them. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { AuditRecord } from "../../src/core/audit/record";
import { type AnchorStore, anchorStore, type SecretText } from "../../src/node/auditCheckpointFile";
import {
  openSignedAuditLog,
  type SignedAuditLog,
  type SignedLogOptions,
} from "../../src/node/auditCheckpointLog";
import { fileHeadStore } from "../../src/node/auditHead";
import type { AuditKeyStore } from "../../src/node/auditKeys";
import { closedSegments } from "../../src/node/auditSegment";

export interface Secrets {
  readonly keys: AuditKeyStore;
  readonly anchor: AnchorStore;
  /** What is kept, by name. */
  readonly texts: Map<string, string>;
}

export function memorySecrets(texts: Map<string, string> = new Map()): Secrets {
  const text = (name: string): SecretText => ({
    load: async () => texts.get(name),
    save: async (value) => void texts.set(name, value),
  });
  return {
    texts,
    anchor: anchorStore(text("anchor")),
    keys: {
      load: (logId) => text(`key ${logId}`).load(),
      save: (logId, value) => text(`key ${logId}`).save(value),
    },
  };
}

export interface Keyed {
  readonly log: SignedAuditLog;
  readonly problems: string[];
}

/** `folder` is a temporary one: the log lies in `ws`, what is kept elsewhere in `home`. */
export async function openKeyed(
  folder: string,
  secrets: Secrets,
  options: Partial<SignedLogOptions> = {},
): Promise<Keyed> {
  const file = path.join(folder, "ws", "audit.jsonl");
  const problems: string[] = [];
  const log = await openSignedAuditLog({
    path: file,
    role: "extension",
    version: "1.2.3",
    head: fileHeadStore(path.join(folder, "home", "heads"), file),
    placeFile: path.join(folder, "home", "place"),
    keys: secrets.keys,
    anchor: secrets.anchor,
    onProblem: (message) => problems.push(message),
    ...options,
  });
  return { log, problems };
}

/** All records of a log, segment by segment. */
export function recordsOf(log: string): AuditRecord[][] {
  return [...closedSegments(log).map(({ file }) => file), log]
    .filter((file) => fs.existsSync(file))
    .map((file) =>
      fs
        .readFileSync(file, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as AuditRecord),
    );
}
