/** Loaded by the real extension host: runs Mocha over the files beside it and writes the counts for the script that started it. */
import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import Mocha from "mocha";

function printTo(file: string): void {
  Mocha.reporters.Base.consoleLog = (...args: unknown[]) => appendFileSync(file, `${format(...args)}\n`);
}

/** Rejects when a test failed, which is what VS Code turns into the exit code. */
export function run(): Promise<void> {
  const output = process.env.COUNTERSIGN_TEST_OUTPUT;
  if (output !== undefined) printTo(output);
  const mocha = new Mocha({ ui: "tdd", color: false, timeout: 30_000, reporter: "spec" });
  for (const name of readdirSync(__dirname).sort()) {
    if (name.endsWith(".test.js")) mocha.addFile(join(__dirname, name));
  }
  return new Promise((resolve, reject) => {
    const runner = mocha.run((failures) => {
      const { passes, pending } = runner.stats ?? { passes: 0, pending: 0 };
      const results = process.env.COUNTERSIGN_TEST_RESULTS;
      // A skipped test is a test that cannot fail: it counts as failed.
      const failed = failures + pending;
      if (results !== undefined) writeFileSync(results, JSON.stringify({ passed: passes, failed }));
      if (failed > 0) reject(new Error(`${failed} tests failed`));
      else resolve();
    });
  });
}
