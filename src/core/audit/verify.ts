/** Verifies a log of one file, as far as its lines and a head show it. Knows nothing of how the file is read. */
import type { LineAt } from "./verifyLine";
import { createLogVerifier, type VerifyPorts } from "./verifyLog";
import type { Head, VerifyReport } from "./verifyReport";

export interface Verifier {
  step(line: LineAt): void;
  /** `size` = bytes of the file. */
  finish(size: number): VerifyReport;
}

export function createVerifier(ports: VerifyPorts, { head }: { readonly head?: Head } = {}): Verifier {
  const log = createLogVerifier(ports, head === undefined ? {} : { heads: [head] });
  log.begin({ segment: 1, name: "", file: undefined });
  return {
    step: log.step,
    finish(size) {
      log.end({ size, sha256: "" });
      return log.finish();
    },
  };
}
