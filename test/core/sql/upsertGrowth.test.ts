import { expect, test } from "vitest";
import { classifySql } from "../../../src/core/sql/classify";

/** Processor time, so that other work on the machine does not count. */
function milliseconds(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test.each(["(DO UPDATE ", "(ON DUPLICATE KEY UPDATE ", "UPDATE ", "DROP x "])(
  "many of %j grow linearly",
  (piece) => {
    const text = (bytes: number): string => `INSERT INTO t VALUES (1) ${piece.repeat(bytes / piece.length)}`;
    classifySql(text(4096), {});
    const small = milliseconds(() => classifySql(text(32_768), {}));
    const large = milliseconds(() => classifySql(text(131_072), {}));
    // Four times the text: a quadratic rule would take sixteen times as long.
    expect(large).toBeLessThan(Math.max(small, 25) * 8);
  },
);
