/** A request as rules see it and as it is sent: one spelling of its path. Knows nothing of rules or transports. */
import type { HookRequest } from "../core/hookRules/types";

const UNRESERVED = /[A-Za-z0-9._~-]/u;

/**
 * A rule on `/admin.*` must see `/x/../admin`, `/%61dmin` and `/admin?all` as what they are: dot segments are resolved,
 * letters are not written as percents, and what follows `?` is part of the query.
 */
export function plainRequest(request: HookRequest): HookRequest {
  const { path, query } = request;
  const url = new URL(`http://api${/^[/\\]/u.test(path) ? "" : "/"}${path}`);
  // Decoding may make dots, which are to be resolved too.
  const resolved = new URL(`http://api${decoded(url.pathname)}`);
  const asked = queryOf(url.searchParams);
  return {
    ...request,
    path: resolved.pathname,
    query: Object.keys(asked).length === 0 ? query : { ...asked, ...query },
  };
}

const decoded = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/giu, (whole, hex: string) => {
    const letter = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(letter) ? letter : whole.toUpperCase();
  });

function queryOf(params: URLSearchParams): Readonly<Record<string, string | readonly string[]>> {
  const entries = [...new Set(params.keys())].map((key) => {
    const all = params.getAll(key);
    return [key, all.length === 1 ? (all[0] ?? "") : all] as const;
  });
  return Object.fromEntries(entries);
}
