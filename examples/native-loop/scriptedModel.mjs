/** A chat-completions model on loopback that makes the calls of a script, one per turn. Stands in for a real one. */
import { createServer } from "node:http";

/** Returns the URL that goes before `/chat/completions`. */
export async function startModel(script) {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString() || "{}");
    const turn = (body.messages ?? []).filter(({ role }) => role === "tool").length;
    const next = script[turn];
    const message = { role: "assistant", content: next ? null : "Done." };
    if (next) message.tool_calls = [callOf(next, turn)];
    const choice = { index: 0, message, finish_reason: next ? "tool_calls" : "stop" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "chat.completion", model: body.model, choices: [choice] }));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

const callOf = ({ name, input }, turn) => ({
  id: `call_${turn}`,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});
