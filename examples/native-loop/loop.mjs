/** A minimal agent loop over a chat-completions model. Every tool call passes one place, and that is where the chain stands. */
import { callTool } from "./governed.mjs";

/**
 * Runs until the model stops calling tools and returns its last words.
 * `model` is `{ url, name, key? }`; `url` ends before `/chat/completions`. Throws where the model cannot be reached or does not come to an end.
 */
export async function runLoop({ model, tools, prompt, hooks, sessionId, signal, maxTurns = 100, onCall }) {
  const messages = [{ role: "user", content: prompt }];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const message = await complete(model, { messages, tools, signal });
    messages.push(message);
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return message.content ?? "";
    for (const call of calls) {
      const said = await dispatch(call, { byName, hooks, sessionId, signal });
      onCall?.({ name: call.function.name, input: call.function.arguments, said });
      messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(said) });
    }
  }
  throw new Error(`the model still called tools after ${maxTurns} turns`);
}

async function dispatch(call, { byName, ...how }) {
  const { name, arguments: sent } = call.function;
  const tool = byName.get(name);
  if (tool === undefined) return { kind: "error", tool: name, message: `there is no tool ${name}` };
  let args;
  try {
    args = JSON.parse(sent || "{}");
  } catch {
    args = undefined;
  }
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return { kind: "error", tool: name, message: "the arguments are no JSON object" };
  return callTool(tool, args, how);
}

async function complete({ url, name, key }, { messages, tools, signal }) {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model: name, messages, tools: tools.map(offered) }),
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${await response.text()}`);
  const message = (await response.json()).choices?.[0]?.message;
  if (message === undefined) throw new Error("the model's answer holds no message");
  return message;
}

const offered = ({ name, description, parameters, required }) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties: parameters, required } },
});
