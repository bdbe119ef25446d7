/** Verifies a log file for the panel's tests with the product's own verifier. */
import { readFile } from "node:fs/promises";
import { createVerifier } from "../../src/core/audit/verify";
import { verifyPorts } from "../../src/node/auditBytes";
import type { PanelVerifyReport } from "../../src/panel/protocol";

export async function verifyFile(path: string): Promise<PanelVerifyReport> {
  const bytes = await readFile(path);
  const verifier = createVerifier(verifyPorts);
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found;
    verifier.step({ bytes, start, end, offset: start, terminated: found >= 0 });
    start = end + 1;
  }
  const report = verifier.finish(bytes.length);
  return { ...report, damage: [...report.damage], warnings: [...report.warnings] };
}
