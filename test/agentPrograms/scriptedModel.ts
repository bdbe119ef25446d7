/** A model on loopback that makes the calls of a script, one per turn, whatever the agent says. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Heard, type ModelCall, wireOf } from "./modelWire";

export interface ScriptedModel {
  readonly port: number;
  /** What the agent's last request with tools told of the calls so far. */
  heard(): Heard;
  close(): void;
}

/** The turn is told by how many results the request brings, so that retries and side requests change nothing. */
export async function startModel(calls: readonly ModelCall[]): Promise<ScriptedModel> {
  let last: Heard = { results: [], tools: [] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = new URL(request.url ?? "/", "http://model").pathname;
    const wire = wireOf(path);
    if (wire === undefined) {
      const models = { object: "list", data: [{ id: "scripted", object: "model" }], models: [] };
      const body = path.endsWith("/models") ? models : { input_tokens: 10, totalTokens: 10 };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
    if (/:stream/i.test(path)) body.stream = true;
    const heard = wire.hear(body);
    const from = heard.results.length;
    if (heard.tools.length > 0) last = heard;
    const next = heard.tools.length > 0 ? calls.slice(from, from + 1) : [];
    wire.say(response, { calls: next, from, text: heard.tools.length > 0 ? "done" : "{}" }, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    heard: () => last,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
