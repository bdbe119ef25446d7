/** A receiver of OTLP/HTTP logs that reads the bytes with the official protocol's own generated code, and misbehaves on demand. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly path: string;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly entries: readonly ReceivedEntry[];
}

export interface ReceivedEntry {
  readonly body: string;
  readonly severityText: string;
  readonly severityNumber: number;
  readonly timeUnixNano: string;
  readonly eventName: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What the next request meets; "ok" when the list is empty. */
export type Manner =
  | "ok"
  | "close"
  | "silent"
  | { readonly status: number; readonly retryAfter?: string; readonly delayMs?: number }
  | { readonly reject: number };

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** When each request came, taken or not, in milliseconds of a monotonic clock. */
  readonly times: number[];
  readonly manners: Manner[];
  close(): Promise<void>;
}

interface Message {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: object): { readonly resourceLogs?: readonly ResourceLogs[] };
  create(value: object): unknown;
  encode(message: unknown): { finish(): Uint8Array };
}
interface ResourceLogs {
  readonly resource?: { readonly attributes?: readonly Attribute[] };
  readonly scopeLogs: readonly { readonly logRecords: readonly Decoded[] }[];
}
type Attribute = { readonly key: string; readonly value?: Value };
type Decoded = Omit<ReceivedEntry, "body" | "attributes"> & {
  readonly body: Value;
  readonly attributes: readonly Attribute[];
};

/** Generated from the protocol's own files; it comes without types that can be used. */
const root = createRequire(import.meta.url)("otlp-proto-reference/build/src/generated/root.js") as {
  opentelemetry: {
    proto: {
      collector: { logs: { v1: Record<"ExportLogsServiceRequest" | "ExportLogsServiceResponse", Message> } };
    };
  };
};
const logs = root.opentelemetry.proto.collector.logs.v1;

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly boolValue?: boolean;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values?: readonly Value[] };
}

function plain(value: Value | undefined): unknown {
  if (value?.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(plain);
  return value?.stringValue ?? value?.boolValue ?? value?.doubleValue ?? Number(value?.intValue);
}

const attributes = (list: readonly Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));

function decode(bytes: Buffer): Pick<Received, "resource" | "entries"> {
  const message = logs.ExportLogsServiceRequest.decode(bytes);
  const { resourceLogs = [] } = logs.ExportLogsServiceRequest.toObject(message, { longs: String });
  const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
  const entries = records.map((entry) => ({
    ...entry,
    body: String(plain(entry.body)),
    attributes: attributes(entry.attributes),
  }));
  return { resource: attributes(resourceLogs[0]?.resource?.attributes), entries };
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const manners: Manner[] = [];
  const times: number[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    times.push(performance.now());
    const manner = manners.shift() ?? "ok";
    if (manner === "silent") return;
    if (manner === "close") return void request.socket.destroy();
    if (typeof manner === "object" && "status" in manner) {
      await new Promise((resolve) => setTimeout(resolve, manner.delayMs ?? 0));
      response.writeHead(
        manner.status,
        manner.retryAfter === undefined ? {} : { "retry-after": manner.retryAfter },
      );
      response.end();
      return;
    }
    received.push({ headers: request.headers, path: request.url ?? "", ...decode(Buffer.concat(chunks)) });
    const rejected = typeof manner === "object" ? manner.reject : 0;
    const partialSuccess =
      rejected === 0 ? {} : { partialSuccess: { rejectedLogRecords: rejected, errorMessage: "too old" } };
    response.writeHead(200, { "content-type": "application/x-protobuf" });
    response.end(
      logs.ExportLogsServiceResponse.encode(logs.ExportLogsServiceResponse.create(partialSuccess)).finish(),
    );
  };
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}`,
    received,
    times,
    manners,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const allEntries = (receiver: Receiver): ReceivedEntry[] =>
  receiver.received.flatMap(({ entries }) => entries);
