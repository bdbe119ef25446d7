/** One chain under two loops, ours and the real Agent SDK's: the same calls end the same way in both. */
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GoldenPlaces, goldenPlaces } from "../../golden/places";
import { checkGolden } from "../nativeLoop/checkGolden";
import { bare, runGolden } from "../nativeLoop/goldenCalls";
import { installExample, PRINTED, packLibrary, start } from "../nativeLoop/packed";

/** The SDK brings a program of 400 MB: it stays installed from one run to the next. */
const folder = resolve(".agent-programs/agent-sdk");
let base = "";
let places: GoldenPlaces;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "countersign-sdk-"));
  places = await goldenPlaces();
  await mkdir(folder, { recursive: true });
  await installExample("agent-sdk", { folder, tarball: await packLibrary(base) });
  await cp(resolve("examples/native-loop"), join(folder, "native"), { recursive: true });
}, 600_000);
afterAll(async () => {
  await places.remove();
  await rm(base, { recursive: true, force: true });
});

test("npm start runs the demonstration, without a network", async () => {
  expect(await start(folder, { HOME: places.home })).toEqual(PRINTED);
}, 120_000);

describe.each(["args", "human"] as const)("The golden calls, consent = %s", (consent) => {
  const backends = [
    ["native", "native/loop.mjs"],
    ["sdk", "agent.mjs"],
  ] as const;

  test("decide, answer and record the same in both backends", async () => {
    const auditPath = join(base, consent, "audit.jsonl");
    const { native, sdk } = await runGolden({ folder, places, auditPath, consent, backends });
    checkGolden(native, { places, consent });
    checkGolden(sdk, { places, consent });
    expect(bare(sdk?.told)).toEqual(bare(native?.told));
    expect(sdk?.handled).toEqual(native?.handled);
    expect(bare(sdk?.records)).toEqual(bare(native?.records));
    // Any other tool of the SDK would run past the chain.
    const governed = (native?.offered ?? []).map((name) => `mcp__governed__${name}`);
    const others = (sdk?.offered ?? []).filter((name) => name !== "DeferredToolPlaceholder");
    expect(others.sort()).toEqual(governed.sort());
  }, 300_000);
});
