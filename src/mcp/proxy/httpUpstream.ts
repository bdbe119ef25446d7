/**
 * A server that is reached by Streamable HTTP, offered as if it spoke on standard input and output. Signs in nowhere: what
 * the server refuses is told as what it is.
 */
import { isPlainObject } from "../../core/call";
import { messageOf } from "../../core/errors";
import { visibleLine } from "../../core/visible";
import type { Log } from "../../ports";
import { type HttpAnswer, type HttpTarget, request } from "./httpRequest";
import { readStream } from "./httpStream";
import { MAX_RAW_LINE } from "./rawLines";
import type { StartUpstream } from "./upstream";

export interface HttpServer extends HttpTarget {
  readonly log: Log;
}

interface Sent {
  readonly ids: readonly (string | number)[];
  readonly method: string | undefined;
}

export function httpUpstream(server: HttpServer): StartUpstream {
  return ({ onLine, onEnd }) => {
    const stop = new AbortController();
    const state: { session?: string; version?: string; listening: boolean; over: boolean } = {
      listening: false,
      over: false,
    };
    let turn: Promise<unknown> = Promise.resolve();
    const readers = new Set<HttpAnswer>();

    const hear = (text: string): void => {
      // Line breaks between the values of a JSON text are blanks; within them there are none.
      onLine({ kind: "line", bytes: Buffer.from(`${text.replace(/[\r\n]+/g, " ")}\n`) });
    };
    const fail = ({ ids }: Sent, message: string): void => {
      server.log.warn(`${server.url.host}: ${message}`);
      for (const id of ids) hear(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message } }));
    };
    const end = (why: string, code: number): void => {
      if (state.over) return;
      state.over = true;
      stop.abort();
      onEnd({ why, code });
    };
    const headers = (more: Readonly<Record<string, string>>): Record<string, string> => ({
      ...server.headers,
      ...(state.session === undefined ? {} : { "mcp-session-id": state.session }),
      ...(state.version === undefined ? {} : { "mcp-protocol-version": state.version }),
      ...more,
    });

    /** Resolves once the server has taken the message; what it answers comes when it comes. */
    const post = async (line: string): Promise<void> => {
      const sent = sentOf(line);
      try {
        const more = { "content-type": "application/json", accept: "application/json, text/event-stream" };
        const answer = await request(server, {
          method: "POST",
          headers: headers(more),
          body: line,
          signal: stop.signal,
        });
        void answered(sent, answer).catch((error: unknown) =>
          fail(sent, `The answer broke off: ${messageOf(error)}`),
        );
      } catch (error) {
        if (!stop.signal.aborted) fail(sent, `The server cannot be reached: ${messageOf(error)}`);
      }
    };

    const answered = async (sent: Sent, answer: HttpAnswer): Promise<void> => {
      const { status } = answer;
      const session = answer.header("mcp-session-id");
      if (sent.method === "initialize" && session !== undefined) state.session = session;
      if (status === 404 && state.session !== undefined) {
        fail(sent, "The server has ended the session (404)");
        return end("The server has ended the session", 1);
      }
      if (status < 200 || status >= 300) return fail(sent, await refusalOf(server, answer));
      if (sent.method === "notifications/initialized") void listen();
      const type = answer.header("content-type") ?? "";
      if (/^text\/event-stream/i.test(type)) return stream(sent, answer);
      if (sent.ids.length === 0) return void answer.drain();
      const text = await answer.text(MAX_RAW_LINE);
      if (sent.method === "initialize") noteVersion(text);
      hear(text);
    };

    const noteVersion = (text: string): void => {
      const value = parsed(text);
      const result = isPlainObject(value) ? value.result : undefined;
      if (isPlainObject(result) && typeof result.protocolVersion === "string")
        state.version = result.protocolVersion;
    };

    const get = (last?: string): Promise<HttpAnswer> => {
      const more = { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) };
      return request(server, { method: "GET", headers: headers(more), signal: stop.signal });
    };

    const stream = async (sent: Sent, answer: HttpAnswer): Promise<void> => {
      const left = await readStream(sent.ids, answer, {
        reopen: get,
        onData(data) {
          if (sent.method === "initialize") noteVersion(data);
          hear(data);
        },
        onOversized: () => onLine({ kind: "oversized", size: MAX_RAW_LINE }),
        reading: readers,
        signal: stop.signal,
      });
      if (left !== undefined) fail({ ...sent, ids: left.ids }, `The server's answer broke off: ${left.why}`);
    };

    /** What the server says of its own accord; not every server has a stream for it. */
    const listen = async (): Promise<void> => {
      if (state.listening) return;
      state.listening = true;
      try {
        const answer = await get();
        if (answer.status === 200) await stream({ ids: [], method: undefined }, answer);
        else answer.drain();
      } catch (error) {
        if (!stop.signal.aborted) server.log.warn(`${server.url.host}: ${messageOf(error)}`);
      }
    };

    const goodbye = async (): Promise<void> => {
      if (state.session !== undefined && !state.over) {
        const limit = AbortSignal.timeout(2_000);
        await request(server, { method: "DELETE", headers: headers({}), signal: limit }).then(
          (answer) => answer.drain(),
          () => undefined,
        );
      }
      end("The client has gone", 0);
    };

    return {
      send(line) {
        const text = line.toString().trim();
        if (state.over || text === "") return true;
        // What follows a notice may rely on it; what follows a request waits for nothing.
        const notice = sentOf(text).ids.length === 0;
        const sending = turn.then(() => post(text));
        if (notice) turn = sending;
        return true;
      },
      drained: () => Promise.resolve(),
      pause() {
        for (const reader of readers) reader.pause();
      },
      resume() {
        for (const reader of readers) reader.resume();
      },
      finish: () => void goodbye(),
      kill: () => end("The proxy was told to end", 0),
    };
  };
}

function sentOf(line: string): Sent {
  const value = parsed(line);
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  const ids = messages.flatMap((one) =>
    isPlainObject(one) && "method" in one && isId(one.id) ? [one.id] : [],
  );
  const [only] = messages;
  const method = isPlainObject(only) && typeof only.method === "string" ? only.method : undefined;
  return { ids, method };
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function refusalOf(server: HttpServer, answer: HttpAnswer): Promise<string> {
  const { status } = answer;
  const said = visibleLine((await answer.text(2_000).catch(() => "")).slice(0, 300));
  const more = said === "" ? "" : `: ${said}`;
  if (status === 401 || status === 403)
    return `${server.url.host} refuses this client (HTTP ${status}${more}). It wants a sign-in that Countersign's proxy does not do: give it a header with a token, or use the server without the proxy`;
  if (status >= 300 && status < 400)
    return `${server.url.host} sends elsewhere (HTTP ${status}, ${visibleLine(answer.header("location") ?? "")}), which is not followed: name the new address`;
  return `${server.url.host} answered with HTTP ${status}${more}`;
}
