/** An agent on Claude's Agent SDK. Its loop is not ours: the chain stands inside each tool's in-process MCP wrapper. */
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import * as z from "zod";
import { callTool } from "./governed.mjs";

const SERVER = "governed";

/**
 * Runs one prompt to its end and returns the SDK's result message.
 * `sdk` are further options of the SDK's `query`: env, model, cwd, pathToClaudeCodeExecutable, …
 */
export async function runAgent({ tools, prompt, hooks, sessionId, maxTurns = 100, sdk = {}, onCall }) {
  const wrapped = tools.map((one) => wrap(one, { hooks, sessionId, onCall }));
  const server = createSdkMcpServer({ name: SERVER, version: "1.0.0", alwaysLoad: true, tools: wrapped });
  const options = {
    settingSources: [],
    persistSession: false,
    ...sdk,
    maxTurns,
    // Nothing but the wrapped tools: the SDK's own Bash, Write and so on would run past them.
    tools: [],
    strictMcpConfig: true,
    mcpServers: { [SERVER]: server },
    allowedTools: tools.map(({ name }) => `mcp__${SERVER}__${name}`),
  };
  for await (const message of query({ prompt, options })) if (message.type === "result") return message;
  throw new Error("the agent ended without a result");
}

function wrap(one, { onCall, ...how }) {
  return tool(one.name, one.description, schemaOf(one), async (args, { signal }) => {
    const said = await callTool(one, args, { ...how, signal });
    onCall?.({ name: one.name, input: JSON.stringify(args), said });
    return { content: [{ type: "text", text: JSON.stringify(said) }], isError: said.kind !== "ok" };
  });
}

/**
 * The model is shown the types, but the SDK checks and drops nothing: what the agent really sent, its answer to an ask
 * included, is judged and recorded. A plain shape would lose every argument that it does not name.
 */
const schemaOf = ({ parameters, required }) => z.looseObject({}).meta({ properties: parameters, required });
