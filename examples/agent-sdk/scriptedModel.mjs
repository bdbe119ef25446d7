/** A messages model on loopback that makes the calls of a script, one per turn. Stands in for a real one. */
import { createServer } from "node:http";

const PREFIX = "mcp__governed__";
const usage = { input_tokens: 1, output_tokens: 1 };

/** Returns what ANTHROPIC_BASE_URL is set to. */
export async function startModel(script) {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString() || "{}");
    const parts = (body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const turn = parts.filter(({ type }) => type === "tool_result").length;
    const next = body.tools?.length > 0 ? script[turn] : undefined;
    if (body.stream) return stream(response, { next, turn, model: body.model });
    const content = [{ type: "text", text: "Done." }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...messageOf({ turn, model: body.model }), content, input_tokens: 1 }));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

function messageOf({ turn, model }) {
  const head = { id: `msg_${turn}`, type: "message", role: "assistant", model, content: [] };
  return { ...head, stop_reason: "end_turn", stop_sequence: null, usage };
}

function stream(response, { next, turn, model }) {
  const block = next
    ? { type: "tool_use", id: `toolu_${turn}`, name: `${PREFIX}${next.name}`, input: {} }
    : { type: "text", text: "" };
  const delta = next
    ? { type: "input_json_delta", partial_json: JSON.stringify(next.input) }
    : { type: "text_delta", text: "Done." };
  const stop = { stop_reason: next ? "tool_use" : "end_turn", stop_sequence: null };
  const events = [
    { type: "message_start", message: { ...messageOf({ turn, model }), stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: stop, usage },
    { type: "message_stop" },
  ];
  response.setHeader("content-type", "text/event-stream");
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}
