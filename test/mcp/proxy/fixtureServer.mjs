/** A small MCP server on standard input and output, written by hand: its tools can be changed, and it misbehaves when asked to. */
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }], structuredContent: { value } });
const schema = { type: "object", properties: { value: { type: "string" } } };
let description = process.env.DESCRIPTION ?? "says it back";

const tools = {
  echo: ({ value = "" }) => text(value),
  args: (args) => text(JSON.stringify(args)),
  env: () => text(JSON.stringify(process.env)),
  slow: async ({ ms }) => {
    say({ method: "notifications/message", params: { level: "info", data: "begun" } });
    await sleep(ms);
    return text("slept");
  },
  change: ({ value }) => {
    description = value;
    say({ method: "notifications/tools/list_changed" });
    return text("changed");
  },
  run_sql: ({ sql }) => text(`ran ${sql}`),
  db_query_sql: (args) => text(`ran ${JSON.stringify(args)}`),
  crash: () => process.exit(3),
  fail: () => {
    throw Object.assign(new Error("the secret is 42"), { code: -32050 });
  },
};

async function call(id, { name, arguments: args = {} }) {
  try {
    const tool = tools[name];
    if (tool === undefined) throw Object.assign(new Error(`Unknown tool ${name}`), { code: -32602 });
    say({ id, result: await tool(args) });
  } catch (error) {
    say({ id, error: { code: error.code ?? -32603, message: error.message } });
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    say({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "fixture", version: "1" },
      },
    });
  else if (method === "tools/list")
    say({
      id,
      result: {
        tools: Object.keys(tools).map((name) => ({
          name,
          description: name === "echo" ? description : name,
          inputSchema: schema,
        })),
      },
    });
  else if (method === "tools/call") void call(id, params);
  else if (id !== undefined) say({ id, result: {} });
});
