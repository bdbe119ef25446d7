/** The example of a loop of one's own, installed from the packed library as a user would. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startModel } from "../../agentPrograms/scriptedModel";
import { type GoldenPlaces, goldenPlaces } from "../../golden/places";
import { checkGolden } from "./checkGolden";
import { drive, runGolden } from "./goldenCalls";
import { installExample, PRINTED, packLibrary, start } from "./packed";

let base = "";
let folder = "";
let places: GoldenPlaces;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "countersign-native-"));
  folder = join(base, "native-loop");
  places = await goldenPlaces();
  const tarball = await packLibrary(base);
  // The runtime of the checkout's own tests is no part of the example.
  await installExample("native-loop", { folder, tarball, flags: ["--omit=optional"] });
}, 240_000);
afterAll(async () => {
  await places.remove();
  await rm(base, { recursive: true, force: true });
});

test("npm start runs the demonstration, without a network", async () => {
  expect(await start(folder)).toEqual(PRINTED);
});

describe("The golden calls through the loop", () => {
  test("with consent by arguments, what is refused or asked about ends in a result and runs nothing", async () => {
    const backends = [["native", "loop.mjs"]] as const;
    const auditPath = join(base, "args/audit.jsonl");
    const { native } = await runGolden({ folder, places, auditPath, consent: "args", backends });
    checkGolden(native, { places, consent: "args" });
  }, 120_000);

  test("with a person who says no, each question reaches that person and nothing asked about runs", async () => {
    const backends = [["native", "loop.mjs"]] as const;
    const auditPath = join(base, "human/audit.jsonl");
    const { native } = await runGolden({ folder, places, auditPath, consent: "human", backends });
    checkGolden(native, { places, consent: "human" });
  }, 120_000);
});

test("a tool that is not there and arguments that are no object are told to the model and run nothing", async () => {
  const model = await startModel([
    { name: "coffee", input: {} },
    { name: "make_tea", input: ["green"] },
    { name: "make_tea", input: null },
    { name: "make_tea", input: { kind: "green" } },
  ]);
  const url = `http://127.0.0.1:${model.port}/v1`;
  const module = pathToFileURL(join(folder, "loop.mjs")).href;
  const { native } = await drive(folder, {
    auditPath: join(base, "odd/audit.jsonl"),
    root: places.ws,
    consent: "args",
    tools: [{ name: "make_tea", parameters: { kind: {} } }],
    backends: [{ backend: "native", url, module }],
  });
  model.close();
  const told = model.heard().results.map(({ content }) => JSON.parse(content).message ?? "ran");
  const odd = "the arguments are no JSON object";
  expect(told).toEqual(["there is no tool coffee", odd, odd, "ran"]);
  expect(native.handled).toEqual([{ tool: "make_tea", args: { kind: "green" } }]);
}, 60_000);

test.each(["governed.mjs", "tools.mjs", "script.mjs"])("both examples hold the same %s", async (name) => {
  const texts = ["native-loop", "agent-sdk"].map((one) => readFile(resolve("examples", one, name), "utf8"));
  const [native, sdk] = await Promise.all(texts);
  expect(sdk).toBe(native);
});

test.each(["native-loop", "agent-sdk"])("the README of %s shows what is printed", async (name) => {
  expect(await readFile(resolve("examples", name, "README.md"), "utf8")).toContain(PRINTED.join("\n"));
});
