/**
 * A run from its seed to its verdict: tools and an HTTP API behind the rules of gateway-hooks.toml.
 * In a program of your own the import is `from "countersign"`.
 */
import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { HookDenied, HookRun } from "../../../src/library";

const folder = process.argv[2] ?? import.meta.dirname;
const runProgram = promisify(execFile);

/** A tool that is a program. */
async function websearch({ query }: { query: string }): Promise<string> {
  const { stdout } = await runProgram(process.execPath, [join(folder, "search.mjs"), query]);
  return stdout.trim();
}

/** A tool that is a function. */
function spycloud_lookup({ email }: { email: string }): { rows: string[] } {
  return { rows: [1, 2, 3, 4, 5].map((n) => `${email}: breach ${n}`) };
}

async function send_mail(_mail: { to: string }): Promise<string> {
  return "sent";
}

/** An API that answers with what it was asked. */
async function startApi(): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    response.statusCode = url.pathname === "/people" ? 200 : 404;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ path: url.pathname, limit: url.searchParams.get("limit") }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const api = await startApi();
const { port } = api.address() as AddressInfo;

const run = await HookRun.fromConfig(join(folder, "gateway-hooks.toml"));
run.seed([{ type: "person_name", value: "Matthew Nowell", identity: "subject" }]);

const tools = run.wrap({ websearch, spycloud_lookup, send_mail }, { vendor: "spycloud" });
const people = run.session({ api: { baseUrl: `http://127.0.0.1:${port}` } }, { vendor: "people" });

const found = await tools.websearch({ query: "Matthew Nowell" });
console.log("search:", found);
console.log("lookup:", JSON.stringify(await tools.spycloud_lookup({ email: "m@example.com" })));
for (const path of ["/people", "/places"]) {
  const { status, body } = await people.request("GET", path, { query: { limit: 500 } });
  console.log("request:", status, JSON.stringify(body));
}
try {
  await tools.send_mail({ to: "m@example.com" });
} catch (error) {
  if (!(error instanceof HookDenied)) throw error;
  console.log("denied:", error.reason, "by", error.handler);
}

const report = `Matthew Nowell spoke at a conference.\nSources: ${found}`;
const verdict = await run.end(report, { artifacts: { "graph.json": "{}" } });
console.log("verdict:", verdict.passed, JSON.stringify(verdict.context));
console.log("summary:", JSON.stringify(run.summary()));
api.close();
