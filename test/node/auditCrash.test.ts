import { expect, test } from "vitest";
import { crash } from "./auditCrash";

test("200 kills at random points among 6 writers: no acknowledged record is lost, none is doubled, the chain is sound", async () => {
  const tally = await crash({ rounds: 200, lanes: 6 });
  console.info(JSON.stringify({ ...tally, lost: tally.lost.length }));
  expect(tally).toMatchObject({
    kills: 200,
    idleKills: 0,
    lost: [],
    unaccounted: [],
    twice: [],
    ok: true,
    damage: [],
    left: 0,
  });
  // The run is worth nothing unless the rare ways were taken too.
  expect(tally.acknowledged).toBeGreaterThan(500);
  expect(tally.spooled).toBeGreaterThan(0);
  expect(tally.endedUnknown).toBeGreaterThan(0);
}, 240_000);
