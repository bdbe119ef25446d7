/** Whether a log still is the one that an earlier pass read up to here. Knows nothing of how that is remembered. */
import { SUFFIX_BYTES } from "../core/audit/verifyLine";
import type { Resume } from "../core/audit/verifyLog";
import { openToRead } from "./auditVerifyRead";

/** True when the record at which an earlier pass stopped still ends there. */
export async function endsWithRecord(file: string, at: Resume): Promise<boolean> {
  if (at.offset === 0) return at.chain.lines === 0;
  const bytes = Buffer.alloc(SUFFIX_BYTES + 1);
  const handle = await openToRead(file);
  try {
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, at.offset - bytes.length);
    return bytesRead === bytes.length && bytes.toString("latin1") === `,"record_hash":"${at.chain.hash}"}\n`;
  } finally {
    await handle.close();
  }
}
