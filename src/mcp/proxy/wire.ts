/**
 * What one relayed line says, read so that no other reader of the same bytes can see another message in it.
 * Knows the envelope of JSON-RPC; knows no method.
 */
import { isUtf8 } from "node:buffer";
import { isPlainObject } from "../../core/call";
import { messageOf } from "../../core/errors";
import { type Survey, surveyJson } from "./jsonSpans";

export interface WireMessage {
  readonly value: Readonly<Record<string, unknown>>;
  /** The message alone, without line break. */
  readonly text: string;
  /** Asked for where it is needed: it goes over the whole text. */
  survey(): Survey;
}

export type WireLine =
  | { readonly kind: "blank" }
  | { readonly kind: "message"; readonly message: WireMessage }
  | { readonly kind: "batch"; readonly messages: readonly WireMessage[] }
  | { readonly kind: "bad"; readonly code: "parse" | "request"; readonly why: string; readonly id?: unknown };

const [LF, CR] = [10, 13];

/** What to pass on of a line: its bytes, but for carriage returns within it. They are blanks in JSON and end a line for some readers. */
export function passedOn(bytes: Buffer): Buffer {
  const at = bytes.indexOf(CR);
  if (at < 0 || (at === bytes.length - 2 && bytes[at + 1] === LF)) return bytes;
  return Buffer.from(bytes.map((byte) => (byte === CR ? 32 : byte)));
}

export function readLine(bytes: Buffer): WireLine {
  if (!isUtf8(bytes)) return { kind: "bad", code: "parse", why: "it is not UTF-8" };
  const text = withoutBlanks(bytes.toString("utf8").replace(/\r/g, " "));
  if (text === "") return { kind: "blank" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: "bad", code: "parse", why: `it is not JSON: ${messageOf(error)}` };
  }
  if (isPlainObject(value)) return { kind: "message", message: messageOfText(value, text) };
  if (!Array.isArray(value) || value.length === 0)
    return { kind: "bad", code: "request", why: "it is no message" };
  const items: readonly unknown[] = value;
  const spans = surveyJson(text).elements;
  const messages = items.flatMap((item, index): WireMessage[] => {
    const span = spans[index];
    return isPlainObject(item) && span !== undefined
      ? [messageOfText(item, text.slice(span.start, span.end))]
      : [];
  });
  return messages.length === items.length
    ? { kind: "batch", messages }
    : { kind: "bad", code: "request", why: "its batch holds what is no message" };
}

/** Only what JSON calls blanks: other readers refuse what else looks like one. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && " \t\n".includes(text.charAt(start))) start += 1;
  while (end > start && " \t\n".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function messageOfText(value: Readonly<Record<string, unknown>>, text: string): WireMessage {
  let survey: Survey | undefined;
  return {
    value,
    text,
    survey() {
      survey ??= surveyJson(text);
      return survey;
    },
  };
}

const ENVELOPE: readonly string[] = ["jsonrpc", "id", "method", "params", "result", "error"];
/** Keys inside `params` that decide what a call does. */
const PARAMS: readonly string[] = ["name", "arguments", "_meta", "task", "taskId", "requestId", "uri"];
const FOLDED_PARAMS: ReadonlySet<string> = new Set(PARAMS.map((key) => key.toLowerCase()));

/** Some readers take keys in any case, and the last or the first of two: what they could read differently is named here. */
export function ambiguityOf(message: WireMessage): string | undefined {
  const { doubled, holdsProto, members, inner } = message.survey();
  if (doubled !== undefined) return `the key ${JSON.stringify(doubled)} stands in it twice`;
  if (holdsProto) return 'the key "__proto__" stands in it, which readers take in different ways';
  for (const key of members.keys())
    if (ENVELOPE.includes(folded(key)) && !ENVELOPE.includes(key))
      return `its key ${JSON.stringify(key)} could be taken for "${folded(key)}"`;
  for (const key of inner.get("params")?.keys() ?? [])
    if (FOLDED_PARAMS.has(folded(key)) && !PARAMS.includes(key))
      return `its key ${JSON.stringify(key)} could be taken for "${folded(key)}"`;
  if ("method" in message.value && typeof message.value.method !== "string") return "its method is no text";
  if ("method" in message.value && ("result" in message.value || "error" in message.value))
    return "it is both a request and an answer";
  return undefined;
}

/** As the most generous reader compares keys: letters that only look like ASCII ones become these. */
function folded(key: string): string {
  return key.normalize("NFKC").toLowerCase();
}

/** One text per id, the same however it is written; undefined = nothing that can name a request. */
export function idKey(message: WireMessage): string | undefined {
  return keyOf(message.value.id, () => sourceOf(message, "id"));
}

/** The same for the request that a notice names in its parameters. */
export function namedKey(notice: WireMessage): string | undefined {
  const { params } = notice.value;
  if (!isPlainObject(params)) return undefined;
  return keyOf(params.requestId, () => {
    const span = notice.survey().inner.get("params")?.get("requestId");
    return span === undefined ? undefined : notice.text.slice(span.start, span.end);
  });
}

function keyOf(id: unknown, source: () => string | undefined): string | undefined {
  if (typeof id === "string") return `s:${id}`;
  if (typeof id !== "number") return undefined;
  if (Number.isSafeInteger(id) || !Number.isInteger(id)) return `n:${id}`;
  // Beyond 2^53 two ids would read as one number: their digits tell them apart.
  return `n:${source() ?? id}`;
}

/** The value of a member as it is written. */
function sourceOf(message: WireMessage, key: string): string | undefined {
  const span = message.survey().members.get(key);
  return span === undefined ? undefined : message.text.slice(span.start, span.end);
}

/** The same message with another `result`. */
export function withResult(message: WireMessage, result: unknown): string {
  const span = message.survey().members.get("result");
  return span === undefined ? message.text : spliced(message.text, span, JSON.stringify(result));
}

/** The same message with other `params.arguments`; every other byte stays. */
export function withArguments(message: WireMessage, args: unknown): string {
  const { members, inner } = message.survey();
  const text = JSON.stringify(args);
  const span = inner.get("params")?.get("arguments");
  if (span !== undefined) return spliced(message.text, span, text);
  const params = members.get("params");
  if (params === undefined) throw new Error("the call has no parameters");
  // Behind the opening brace: a call without a name never comes here, so something follows.
  const behind = params.start + 1;
  return spliced(message.text, { start: behind, end: behind }, `"arguments":${text},`);
}

function spliced(text: string, { start, end }: { start: number; end: number }, part: string): string {
  return text.slice(0, start) + part + text.slice(end);
}
