import { expect, test } from "vitest";
import { crowd } from "./auditCrash";

test("20 processes write 200 records each, of every kind: one chain, none lost, none doubled", async () => {
  const tally = await crowd({ processes: 20, records: 200 });
  console.info(JSON.stringify({ ...tally, lost: tally.lost.length }));
  expect(tally).toMatchObject({
    acknowledged: 4000,
    lost: [],
    unaccounted: [],
    twice: [],
    ok: true,
    count: 4001,
    damage: [],
    torn: 0,
    endedUnknown: 0,
    left: 0,
  });
  expect(tally.spooled, "some had to wait beside the log").toBeGreaterThan(0);
}, 240_000);
