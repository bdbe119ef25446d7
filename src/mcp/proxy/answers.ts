/** What the client is told of a call: the server's own answer, what rules made of it, or why it did not run. Pure. */
import { type Args, isPlainObject } from "../../core/call";
import { errorLine, ProtocolError, type RequestId, resultLine } from "../jsonRpc";
import type { ProxyVerdict } from "./judge";
import { type WireMessage, withResult } from "./wire";

/** The server answered with an error, or not at all. */
export class ServerError extends Error {
  readonly answer: WireMessage | undefined;
  constructor(message: string, answer?: WireMessage) {
    super(message);
    this.name = "ServerError";
    this.answer = answer;
  }
}

/** The error in an answer; undefined = it is a result. */
export function errorOf(answer: WireMessage): ServerError | undefined {
  const { error } = answer.value;
  if (error === undefined) return undefined;
  const said =
    isPlainObject(error) && typeof error.message === "string" ? error.message : JSON.stringify(error);
  return new ServerError(said, answer);
}

/** The id of the task that a call became. */
export function taskOf(answer: WireMessage): string | undefined {
  const { result } = answer.value;
  if (!isPlainObject(result) || !isPlainObject(result.task)) return undefined;
  return typeof result.task.taskId === "string" ? result.task.taskId : undefined;
}

/** What was refused or held is for the model to read: JSON text, marked as an error; or what a policy puts in the place of the result. */
export function refusedResult(said: Args): unknown {
  if (said.kind === "denied" && Object.hasOwn(said, "output")) return toolResult(said.output);
  return { content: [{ type: "text", text: JSON.stringify(said) }], isError: true };
}

/** The answer of a call that ran, in the server's own bytes where nothing was changed. */
export function answerLine(answer: WireMessage, ran: Extract<ProxyVerdict, { kind: "ran" }>): string {
  if (!ran.changed && ran.contexts.length === 0) return `${answer.text}\n`;
  const result = ran.changed ? toolResult(ran.value) : answer.value.result;
  return `${withResult(answer, withContexts(result, ran.contexts))}\n`;
}

/** A rule may put anything in the place of a result; clients want the shape of one. */
function toolResult(value: unknown): Record<string, unknown> {
  if (isPlainObject(value) && Array.isArray(value.content)) return value;
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return {
    content: [{ type: "text", text }],
    ...(isPlainObject(value) ? { structuredContent: value } : {}),
  };
}

function withContexts(result: unknown, contexts: readonly string[]): unknown {
  if (contexts.length === 0) return result;
  const whole = isPlainObject(result) ? result : {};
  const content: readonly unknown[] = Array.isArray(whole.content) ? whole.content : [];
  return { ...whole, content: [...content, ...contexts.map((text) => ({ type: "text", text }))] };
}

/** The server's error, with the text that a rule put in its place where one did. */
export function failedLine(id: RequestId, error: ServerError): string {
  const { answer, message } = error;
  if (answer === undefined) return errorLine(id, new ProtocolError("internal", message));
  if (errorOf(answer)?.message === message) return `${answer.text}\n`;
  const given = answer.value.error;
  const code = isPlainObject(given) && typeof given.code === "number" ? given.code : -32603;
  return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`;
}

export function refusedLine(id: RequestId, said: Args): string {
  return resultLine(id, refusedResult(said));
}
