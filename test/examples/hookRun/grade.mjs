/** Judges a report: it must name its sources. Exit 0 passes, exit 2 fails with the reason on standard error. */
import { text } from "node:stream/consumers";

const { report, artifacts } = JSON.parse(await text(process.stdin));
if (!/^Sources: \S/m.test(report)) {
  console.error("the report names no sources");
  process.exit(2);
}
console.log(`graded together with ${Object.keys(artifacts).join(", ")}`);
