/** One HTTP request whose answer may take as long as a tool does: no timeouts of its own, redirects not followed. Knows no protocol above HTTP. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface HttpTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  /** The whole body; rejects where it is longer than `limit` bytes. */
  text(limit: number): Promise<string>;
  /** Hands over the body as it comes; rejects where it breaks off. */
  read(onText: (text: string) => void): Promise<void>;
  /** Throws the body away. */
  drain(): void;
  pause(): void;
  resume(): void;
}

interface Sending {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Connections are kept for the next request, but not until the server closes them under it: a call must not be sent twice. */
const KEEP = { keepAlive: true, timeout: 3_000 };
const agents = { "http:": new HttpAgent(KEEP), "https:": new HttpsAgent(KEEP) };

/** Rejects where the server cannot be reached or `signal` ends it. */
export function request({ url }: HttpTarget, sending: Sending): Promise<HttpAnswer> {
  const { method, headers, body, signal } = sending;
  return new Promise((resolve, reject) => {
    const secure = url.protocol === "https:";
    const send = secure ? httpsRequest : httpRequest;
    const agent = secure ? agents["https:"] : agents["http:"];
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = send(url, { method, agent, headers: { ...headers, ...length }, signal }, (message) =>
      resolve(answerOf(message)),
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function answerOf(message: IncomingMessage): HttpAnswer {
  const read = (onText: (text: string) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      message.setEncoding("utf8");
      message.on("data", onText);
      message.on("end", resolve);
      message.on("error", reject);
      message.on("close", () => reject(new Error("the connection was closed")));
    });
  // One that nobody reads must not bring the process down.
  message.on("error", () => undefined);
  return {
    status: message.statusCode ?? 0,
    header(name) {
      const value = message.headers[name];
      return typeof value === "string" ? value : undefined;
    },
    read,
    async text(limit) {
      const parts: string[] = [];
      let size = 0;
      await read((part) => {
        size += Buffer.byteLength(part);
        if (size > limit) message.destroy(new Error(`the body is over ${limit} bytes`));
        else parts.push(part);
      });
      return parts.join("");
    },
    drain: () => void message.resume(),
    pause: () => void message.pause(),
    resume: () => void message.resume(),
  };
}
