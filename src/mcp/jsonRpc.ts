/** JSON-RPC 2.0 as MCP uses it over one stream: what a line means, and how replies are written. Knows no method. */
import * as z from "zod";
import { messageOf } from "../core/errors";
import type { Line } from "./lines";

export type RequestId = string | number;

export const ERRORS = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
} as const;

/** An error that the protocol, not a tool, answers with. */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(kind: keyof typeof ERRORS, message: string) {
    super(message);
    this.name = "ProtocolError";
    this.code = ERRORS[kind];
  }
}

export type Message =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  /** An answer to a question that we never ask. */
  | { readonly kind: "response" }
  | { readonly kind: "bad"; readonly id: RequestId | null; readonly error: ProtocolError };

const idSchema = z.union([z.string(), z.int()]);
const envelope = z.object({
  jsonrpc: z.literal("2.0"),
  id: idSchema.exactOptional(),
  method: z.string(),
  // MCP passes parameters by name only.
  params: z.record(z.string(), z.unknown()).exactOptional(),
});

export function readMessage(line: Line): Message {
  if (line.kind === "oversized") return bad(null, "request", "The message is over 4 MiB");
  if (line.kind === "not utf-8") return bad(null, "parse", "The message is not UTF-8");
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    return bad(null, "parse", `The message is not JSON: ${messageOf(error)}`);
  }
  if (Array.isArray(value)) return bad(null, "request", "Batches are not part of this protocol version");
  if (typeof value !== "object" || value === null) return bad(null, "request", "A message is an object");
  const read = envelope.safeParse(value);
  if (read.success) {
    const { id, method, params = {} } = read.data;
    return id === undefined
      ? { kind: "notification", method, params }
      : { kind: "request", id, method, params };
  }
  if (!("method" in value) && ("result" in value || "error" in value)) return { kind: "response" };
  const id = "id" in value ? idSchema.safeParse(value.id) : undefined;
  return bad(id?.success ? id.data : null, "request", `Not a request: ${z.prettifyError(read.error)}`);
}

function bad(id: RequestId | null, kind: keyof typeof ERRORS, message: string): Message {
  return { kind: "bad", id, error: new ProtocolError(kind, message) };
}

/** The parameters as the schema has them, or an error that names what is wrong. */
export function readParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const read = schema.safeParse(params);
  if (read.success) return read.data;
  throw new ProtocolError("params", `Wrong parameters: ${z.prettifyError(read.error)}`);
}

export function resultLine(id: RequestId, result: unknown): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`;
}

export function errorLine(id: RequestId | null, error: unknown): string {
  const code = error instanceof ProtocolError ? error.code : ERRORS.internal;
  return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: messageOf(error) } })}\n`;
}

export function notificationLine(method: string, params: unknown): string {
  return `${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`;
}
