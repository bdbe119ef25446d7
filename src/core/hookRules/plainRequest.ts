/** A request in the one spelling in which rules see it and transports send it. Knows no rule and no transport. */
import type { HookRequest } from "./types";

export type PlainRequest =
  | { readonly ok: true; readonly request: HookRequest }
  | { readonly ok: false; readonly why: string };

const UNRESERVED = /[A-Za-z0-9._~-]/u;
/** Each reading may uncover another; a path that still changes then is meant to mislead. */
const MAX_READINGS = 8;
/** What some servers take for `.` and `..`: with parameters, or between slashes that are written as percents. */
const HIDDEN_DOTS = /(?:^|\/|%2F|%5C)\.{1,2}(?:;[^/]*)?(?=$|\/|%2F|%5C)/u;

/**
 * A rule on `/admin.*` must see `/x/../admin`, `//admin`, `/%61dmin` and `/admin?all` as what they are: dot segments
 * are resolved, slashes in a row are one, letters are not written as percents, what follows `?` is part of the query,
 * and methods are in upper case. Not ok = nobody can tell where the path leads.
 */
export function plainRequest(request: HookRequest): PlainRequest {
  const { method, path, query } = request;
  const at = path.search(/[?#]/u);
  const name = plainPath(at < 0 ? path : path.slice(0, at));
  if (name === undefined || HIDDEN_DOTS.test(name)) {
    return { ok: false, why: `nobody can tell where the path ${JSON.stringify(path.slice(0, 200))} leads` };
  }
  const asked = at >= 0 && path[at] === "?" ? queryOf(path.slice(at + 1).split("#")[0] ?? "") : {};
  return {
    ok: true,
    request: {
      ...request,
      method: method.toUpperCase(),
      path: name,
      query: Object.keys(asked).length === 0 ? query : { ...asked, ...query },
    },
  };
}

/** Undefined = it never comes to rest. */
function plainPath(path: string): string | undefined {
  let from = path;
  for (let reading = 0; reading < MAX_READINGS; reading += 1) {
    // With its slashes in front a path would name a host.
    const { pathname } = new URL(`http://api/${from.replace(/^[/\\]+/u, "")}`);
    const name = decoded(pathname).replace(/\/{2,}/gu, "/");
    if (name === from) return name;
    from = name;
  }
  return undefined;
}

const decoded = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/giu, (whole, hex: string) => {
    const letter = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(letter) ? letter : whole.toUpperCase();
  });

function queryOf(text: string): Readonly<Record<string, string | readonly string[]>> {
  const params = new URLSearchParams(text);
  const entries = [...new Set(params.keys())].map((key) => {
    const all = params.getAll(key);
    return [key, all.length === 1 ? (all[0] ?? "") : all] as const;
  });
  return Object.fromEntries(entries);
}
