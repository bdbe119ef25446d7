/** The four protocols that the agents speak to a model, as far as a scripted model needs them. Knows nothing of scripts. */
import type { ServerResponse } from "node:http";

/** A tool call that the model makes. */
export interface ModelCall {
  readonly name: string;
  readonly input: unknown;
  /** "custom" = the input is one text. */
  readonly kind?: "custom";
  readonly namespace?: string;
}

/** What a request of the agent tells the model. */
export interface Heard {
  readonly results: readonly { readonly id: string; readonly content: string }[];
  readonly tools: readonly string[];
}

export interface Turn {
  readonly calls: readonly ModelCall[];
  /** Number of the first of these calls. */
  readonly from: number;
  readonly text: string;
}

type Json = Record<string, unknown>;

export interface Wire {
  hear(body: Json): Heard;
  say(response: ServerResponse, turn: Turn, body: Json): void;
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** The text in whatever a protocol calls content. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((part: Json) => String(part.text ?? "")).join("\n");
  return content === undefined ? "" : JSON.stringify(content);
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function events(response: ServerResponse, all: readonly (Json & { type?: string })[], last = ""): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of all) {
    const name = event.type === undefined ? "" : `event: ${event.type}\n`;
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(last);
}

const anthropic: Wire = {
  hear(body) {
    const parts = list(body.messages).flatMap((message) => list(message.content));
    const results = parts
      .filter((part) => part.type === "tool_result")
      .map((part) => ({ id: String(part.tool_use_id), content: textIn(part.content) }));
    return { results, tools: list(body.tools).map((tool) => String(tool.name)) };
  },
  say(response, { calls, from, text }, body) {
    const content = calls.map((call, index) => ({
      type: "tool_use",
      id: `toolu_${from + index}`,
      name: call.name,
      input: call.input,
    }));
    const blocks: Json[] = content.length > 0 ? content : [{ type: "text", text }];
    const stop = content.length > 0 ? "tool_use" : "end_turn";
    const usage = { input_tokens: 10, output_tokens: 5 };
    const head = {
      id: `msg_${from}`,
      type: "message",
      role: "assistant",
      model: body.model,
      stop_sequence: null,
    };
    if (body.stream !== true) return json(response, { ...head, content: blocks, stop_reason: stop, usage });
    events(response, [
      { type: "message_start", message: { ...head, content: [], stop_reason: null, usage } },
      ...blocks.flatMap((block, index) => [
        {
          type: "content_block_start",
          index,
          content_block: block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} },
        },
        {
          type: "content_block_delta",
          index,
          delta:
            block.type === "text"
              ? { type: "text_delta", text: block.text }
              : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        },
        { type: "content_block_stop", index },
      ]),
      {
        type: "message_delta",
        delta: { stop_reason: stop, stop_sequence: null },
        usage: { output_tokens: 5 },
      },
      { type: "message_stop" },
    ]);
  },
};

const openAiResponses: Wire = {
  hear(body) {
    const input = list(body.input);
    const results = input
      .filter((item) => String(item.type).endsWith("_output"))
      .map((item) => ({ id: String(item.call_id), content: textIn(item.output) }));
    const offered = [
      ...list(body.tools),
      ...input.filter((i) => i.type === "additional_tools").flatMap((i) => list(i.tools)),
    ];
    return { results, tools: offered.map((tool) => String(tool.name ?? tool.type)) };
  },
  say(response, { calls, from, text }, body) {
    const items: Json[] = calls.map((call, index) => {
      const common = { call_id: `call_${from + index}`, name: call.name, status: "completed" };
      if (call.kind === "custom")
        return { type: "custom_tool_call", id: `ctc_${from + index}`, ...common, input: call.input };
      const namespace = call.namespace === undefined ? {} : { namespace: call.namespace };
      const args = { arguments: JSON.stringify(call.input) };
      return { type: "function_call", id: `fc_${from + index}`, ...common, ...namespace, ...args };
    });
    const said = {
      type: "message",
      id: `msg_${from}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    };
    const output = items.length > 0 ? items : [said];
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    };
    const whole = (status: string, out: unknown) => ({
      id: `resp_${from}`,
      object: "response",
      created_at: 1,
      status,
      model: body.model,
      output: out,
      usage,
      error: null,
    });
    if (body.stream !== true) return json(response, whole("completed", output));
    events(response, [
      { type: "response.created", response: whole("in_progress", []) },
      ...output.flatMap((item, output_index): (Json & { type: string })[] => [
        { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: whole("completed", output) },
    ]);
  },
};

const openAiChat: Wire = {
  hear(body) {
    const results = list(body.messages)
      .filter((message) => message.role === "tool")
      .map((message) => ({ id: String(message.tool_call_id), content: textIn(message.content) }));
    const tools = list(body.tools).map((tool) =>
      String((tool.function as Json | undefined)?.name ?? tool.type),
    );
    return { results, tools };
  },
  say(response, { calls, from, text }, body) {
    const tool_calls = calls.map((call, index) => ({
      index,
      id: `call_${from + index}`,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    }));
    const finish_reason = tool_calls.length > 0 ? "tool_calls" : "stop";
    const message =
      tool_calls.length > 0
        ? { role: "assistant", content: null, tool_calls }
        : { role: "assistant", content: text };
    const head = { id: `chat_${from}`, created: 1, model: body.model };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    if (body.stream !== true)
      return json(response, {
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      });
    const chunk = (choices: unknown, more: Json = {}): Json => ({
      ...head,
      object: "chat.completion.chunk",
      choices,
      ...more,
    });
    events(
      response,
      [
        chunk([{ index: 0, delta: message, finish_reason: null }]),
        chunk([{ index: 0, delta: {}, finish_reason }]),
        chunk([], { usage }),
      ],
      "data: [DONE]\n\n",
    );
  },
};

const geminiContent: Wire = {
  hear(body) {
    const parts = list(body.contents).flatMap((content) => list(content.parts));
    const results = parts
      .map((part) => part.functionResponse as Json | undefined)
      .filter((part) => part !== undefined)
      .map((part) => ({
        id: String(part.id),
        content: textIn((part.response as Json)?.output ?? part.response),
      }));
    const tools = list(body.tools).flatMap((tool) =>
      list(tool.functionDeclarations).map((one) => String(one.name)),
    );
    return { results, tools };
  },
  say(response, { calls, from, text }, body) {
    const parts: Json[] = calls.map((call, index) => ({
      functionCall: { id: `call_${from + index}`, name: call.name, args: call.input },
    }));
    const whole = {
      candidates: [
        {
          index: 0,
          content: { role: "model", parts: parts.length > 0 ? parts : [{ text }] },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "scripted",
    };
    if (body.stream === true) events(response, [whole]);
    else json(response, whole);
  },
};

/** The protocol that an address belongs to. */
export function wireOf(path: string): Wire | undefined {
  if (path.endsWith("/messages")) return anthropic;
  if (path.endsWith("/responses")) return openAiResponses;
  if (path.endsWith("/chat/completions")) return openAiChat;
  return /:(?:stream)?generateContent$/i.test(path) ? geminiContent : undefined;
}
