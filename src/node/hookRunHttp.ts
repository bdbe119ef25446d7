/** One HTTP request to a session's own API, and nowhere else. Knows nothing of rules. */
import type { HookRequest, HookResponse } from "../core/hookRules/types";
import { HookError } from "./hookRunErrors";
import { plainRequest } from "./hookRunPath";

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
  return async (given) => {
    const request = plainRequest(given);
    const url = urlOf(base, request);
    const { body, type } = bodyOf(request.body);
    const response = await fetch(url, {
      method: request.method,
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

/** What is sent is what rules saw: below the base's folder, and not a letter of the path changed. */
function urlOf(base: URL, { path, query }: HookRequest): URL {
  const wanted = `${base.pathname}${path.slice(1)}`;
  const url = new URL(`${base.origin}${wanted}`);
  if (!path.startsWith("/") || url.origin !== base.origin || url.pathname !== wanted) {
    throw new HookError(`the path ${JSON.stringify(path)} leads elsewhere than below ${base.href}`);
  }
  for (const [key, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) url.searchParams.append(key, String(one));
    }
  }
  return url;
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
