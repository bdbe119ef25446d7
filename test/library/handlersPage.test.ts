/** docs/handlers.md says what handlers are given and what becomes of their answers: its tables are held against real runs. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { applyResult } from "../../src/core/hookRules/applyResult";
import { allowResult, parseHookResult } from "../../src/core/hookRules/parseHookResult";
import { type HookEvent, hookEventNames } from "../../src/core/hookRules/types";
import { bareRun, rejection, runOf } from "./runs";

const page = readFileSync("docs/handlers.md", "utf8");

/** The rows of the table under this heading, cell by cell. */
function table(heading: string): readonly (readonly string[])[] {
  const part = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = part.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((line) => line.slice(2, -2).split(" | "));
}

const words = (cell: string | undefined): readonly string[] =>
  [...(cell ?? "").matchAll(/`([^`]+)`/gu)].map(([, word = ""]) => word);

async function eventsOf(): Promise<readonly HookEvent[]> {
  const seen: HookEvent[] = [];
  for (const options of [{}, { session: "s1" }]) {
    const run = bareRun(options);
    for (const name of hookEventNames) run.on(name, (event) => void seen.push(event));
    const tools = run.wrap(
      { create_file: ({ fail }: { fail: boolean }) => (fail ? fails() : "made"), plain: () => 1 },
      options.session === undefined ? {} : { vendor: "acme" },
    );
    await tools.create_file({ fail: false });
    await rejection(tools.create_file({ fail: true }));
    await tools.plain();
    const request = () => ({ status: 200, body: null, headers: {} });
    const vendor = options.session === undefined ? {} : { vendor: "acme" };
    await run.session({ request, ...vendor }).request("GET", "/x");
    await run.end("report");
  }
  return seen;
}
const fails = (): never => {
  throw new Error("no");
};

test("each event has the keys that the page names, and no others", async () => {
  const seen = await eventsOf();
  const rows = table("The event");
  expect(rows.map(([name]) => words(name)[0])).toEqual([...hookEventNames]);
  for (const [name, always, also] of rows) {
    const own = seen.filter(({ event }) => event === words(name)[0]);
    expect(own.length, name).toBeGreaterThan(0);
    const keys = own.map((event) => Object.keys(event));
    const every = keys.reduce((left, one) => left.filter((key) => one.includes(key)));
    expect(every, name).toEqual(expect.arrayContaining([...words(always)]));
    const named = new Set([...words(always), ...words(also)]);
    expect(
      keys.flat().filter((key) => !named.has(key)),
      name,
    ).toEqual([]);
    expect([...new Set(keys.flat())].sort(), name).toEqual([...named].sort());
  }
});

test("each key of an answer is on the page, with the events that it is for", () => {
  const rows = table("The answer");
  expect(rows.map(([key]) => words(key)[0])).toEqual(Object.keys(allowResult));
  const values: Readonly<Record<string, unknown>> = {
    updated_input: {},
    updated_result: 1,
    updated_error: "x",
    updated_request: { path: "/" },
    updated_response: { status: 200 },
  };
  for (const [key, , events] of rows) {
    const name = words(key)[0] ?? "";
    if (!Object.hasOwn(values, name)) continue;
    const fits = hookEventNames.filter((event) => {
      const answer = parseHookResult({ [name]: values[name] });
      const request = { method: "GET", path: "/", query: null, body: null };
      const response = { status: 200, body: null, headers: {} };
      const given = { event, run_id: "r", tool_input: {}, request, response };
      return answer.ok && applyResult(given, answer.value).kind === "rewritten";
    });
    expect(fits, name).toEqual(words(events));
  }
});

const node = JSON.stringify(process.execPath);

/** What is made of a handler's answer, in the page's words. */
async function madeOf(handler: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const { run } = await runOf(`[[hooks.pre_tool_call]]\nname = "r"\nhandlers = [${handler}]\n`, { files });
  const tools = run.wrap({ tool: () => "done" });
  const said = await tools.tool().then(String, (error: { reason: string }) => `denied: ${error.reason}`);
  await run.end("");
  return `${said.replace("\n", " ")}${run.errors.length > 0 ? ", failed" : ""}`;
}

test.each([
  ["exit 0, nothing or `null` printed", "", "done"],
  ["exit 0, nothing or `null` printed", "console.log('null')", "done"],
  ["exit 0, a JSON object printed", `console.log('{"decision":"deny","reason":"no"}')`, "denied: no"],
  ["exit 0, text printed", "console.log('hello')", "hello"],
  ["exit 2", "console.error('why'); process.exit(2)", "denied: why"],
  ["exit 1, or any other; a signal; no UTF-8; more than 1 MiB", "process.exit(1)", "failed"],
  ["exit 1, or any other; a signal; no UTF-8; more than 1 MiB", "process.exit(3)", "failed"],
  ["exit 1, or any other; a signal; no UTF-8; more than 1 MiB", "process.kill(process.pid)", "failed"],
  [
    "exit 1, or any other; a signal; no UTF-8; more than 1 MiB",
    "process.stdout.write(Buffer.from([255]))",
    "failed",
  ],
])("a command: %s (%s)", async (row, program, made) => {
  expect(table("A command").map(([ends]) => ends)).toContain(row);
  const handler = `{ type = "command", command = [${node}, "x.cjs"] }`;
  expect(await madeOf(handler, { "x.cjs": program })).toContain(made);
});

test.each([
  ["204, or 200 without a body", 204, "", "", "done"],
  ["204, or 200 without a body", 200, "", "", "done"],
  [
    "200 to 299, JSON (`application/json`)",
    200,
    "application/json",
    '{"decision":"deny","reason":"no"}',
    "denied: no",
  ],
  ["200 to 299, text (`text/plain`)", 202, "text/plain", "hello", "hello"],
  ["200 to 299, anything else, such as HTML", 200, "text/html", "<p>", "failed"],
  ["300 to 599", 302, "text/plain", "x", "failed"],
  ["300 to 599", 500, "application/json", "{}", "failed"],
])("an HTTP endpoint: %s (%i)", async (row, status, type, body, made) => {
  expect(table("An HTTP endpoint").map(([answers]) => answers)).toContain(row);
  const server = createServer((_, response) => {
    response.writeHead(status, type === "" ? {} : { "content-type": type }).end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await madeOf(`{ type = "http", url = "http://127.0.0.1:${port}/" }`)).toContain(made);
  server.close();
});
