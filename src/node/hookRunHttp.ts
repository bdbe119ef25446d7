/** One HTTP request to a session's own API, and nowhere else. Knows nothing of rules. */
import type { HookRequest, HookResponse } from "../core/hookRules/types";
import { HookError } from "./hookRunErrors";

type Answered = HookResponse | Response;

/** Sends one request; what `fetch` answers will do. 4xx and 5xx are answers like any other; rejects where there is no answer. */
export type RequestFunction = (request: HookRequest) => Promise<Answered> | Answered;

export interface ApiAddress {
  /** Every request stays below it: `https://api.example/v1`. */
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for a whole exchange; default 30 000. */
  readonly timeoutMs?: number;
}

const MAX_BODY = 1_048_576;

/** A redirect is handed back as the answer that it is: whoever follows it decides so. */
export function httpRequests(api: ApiAddress): RequestFunction {
  const base = baseOf(api.baseUrl);
  return async (request) => {
    const url = urlOf(base, request);
    const { body, type } = bodyOf(request.body);
    const response = await fetch(url, {
      method: request.method.toUpperCase(),
      headers: {
        accept: "application/json",
        ...(type === undefined ? {} : { "content-type": type }),
        ...api.headers,
      },
      redirect: "manual",
      signal: AbortSignal.timeout(api.timeoutMs ?? 30_000),
      ...(body === undefined ? {} : { body }),
    });
    return readResponse(response);
  };
}

/** JSON is parsed, at most 1 MiB is read. */
export async function readResponse(response: Response): Promise<HookResponse> {
  const headers = Object.fromEntries(response.headers);
  const text = await readText(response);
  return { status: response.status, body: parsedBody(text, headers["content-type"] ?? ""), headers };
}

function baseOf(text: string): URL {
  const base = URL.canParse(text) ? new URL(text) : undefined;
  if (base === undefined || !/^https?:$/u.test(base.protocol)) {
    throw new HookError(
      `the session's API address must be an http or https URL, not ${JSON.stringify(text)}`,
    );
  }
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  return base;
}

/** A path that a rule or an agent made must not lead to another host, nor out of the base's folder. */
function urlOf(base: URL, { path, query }: HookRequest): URL {
  const url = new URL(base);
  const [name = "", ownQuery] = splitQuery(path);
  const joined = new URL(`${base.origin}${base.pathname}${name.replace(/^\/+/u, "")}`);
  if (joined.origin !== base.origin || !joined.pathname.startsWith(base.pathname)) {
    throw new HookError(`the path ${JSON.stringify(path)} leads out of ${base.origin}${base.pathname}`);
  }
  url.pathname = joined.pathname;
  url.search = ownQuery ?? "";
  for (const [key, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) url.searchParams.append(key, String(one));
    }
  }
  return url;
}

function splitQuery(path: string): readonly [string, string | undefined] {
  const at = path.search(/[?#]/u);
  if (at < 0) return [path, undefined];
  return [path.slice(0, at), path[at] === "?" ? path.slice(at).split("#")[0] : undefined];
}

function bodyOf(body: unknown): { body?: string; type?: string } {
  if (body === null || body === undefined) return {};
  if (typeof body === "string") return { body, type: "text/plain;charset=utf-8" };
  return { body: JSON.stringify(body), type: "application/json" };
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > MAX_BODY) throw new HookError("the answer is larger than 1 MiB");
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** What calls itself JSON and is not stays the text that it was. */
function parsedBody(text: string, type: string): unknown {
  if (text === "") return null;
  if (!/[/+]json\b/iu.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
