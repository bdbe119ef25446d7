/** Appends in a process of its own, over small segments: `FILE COUNT NAME RECORDS`. Says each acknowledged record on stdout. */
import * as fs from "node:fs";
import { openAuditLog } from "../../src/node/auditWriter";

const [, , path = "", count = "0", name = "w", records = "10"] = process.argv;
const log = await openAuditLog({
  path,
  role: "library",
  version: "0.0.0",
  lockMs: 60_000,
  segments: { bytes: 1 << 30, records: Number(records) },
});
for (let i = 0; i < Number(count); i += 1) {
  const call_id = `${name}-${i}`;
  await log.append({ event: "call", call_id, args: { text: "x".repeat(200) }, error: null });
  fs.writeSync(1, `ack ${call_id}\n`);
}
await log.close();
