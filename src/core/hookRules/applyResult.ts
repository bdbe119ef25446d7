/** A handler's result applied to its event. Knows which event may be changed in what; knows no handler. */
import { isPlainObject } from "../call";
import { plainRequest } from "./plainRequest";
import { type HookEvent, type HookEventName, type HookResult, UNSET } from "./types";

type Update = "updated_input" | "updated_result" | "updated_error" | "updated_request" | "updated_response";

const updates: readonly Update[] = [
  "updated_input",
  "updated_result",
  "updated_error",
  "updated_request",
  "updated_response",
];

const fitting: Readonly<Record<HookEventName, readonly Update[]>> = {
  pre_tool_call: ["updated_input"],
  post_tool_call: ["updated_result", "updated_error"],
  pre_request: ["updated_request"],
  post_response: ["updated_response"],
  run_end: [],
};

export type Applied =
  | { readonly kind: "kept" }
  | { readonly kind: "rewritten"; readonly event: HookEvent }
  /** The result cannot be applied: it may have been meant to forbid something. */
  | { readonly kind: "misfit"; readonly why: string };

/** A denial is for the caller; here its updates are not looked at. */
export function applyResult(event: HookEvent, result: HookResult): Applied {
  const given = updates.filter((key) => result[key] !== UNSET);
  const foreign = given.find((key) => !fitting[event.event].includes(key));
  if (foreign !== undefined) return { kind: "misfit", why: `${foreign} does not belong to ${event.event}` };
  if (given.length === 0) {
    if (result.decision !== "rewrite") return { kind: "kept" };
    const [wanted] = fitting[event.event];
    return {
      kind: "misfit",
      why: wanted === undefined ? `${event.event} has nothing to rewrite` : `a rewrite without ${wanted}`,
    };
  }
  return rewrite(event, result);
}

function rewrite(event: HookEvent, result: HookResult): Applied {
  switch (event.event) {
    case "pre_tool_call":
      return result.updated_input === UNSET || !isPlainObject(result.updated_input)
        ? { kind: "misfit", why: "updated_input is no object" }
        : { kind: "rewritten", event: { ...event, tool_input: result.updated_input } };
    case "post_tool_call":
      return rewriteOutcome(event, result);
    case "pre_request":
      return rewriteRequest(event, result);
    case "post_response":
      return rewriteResponse(event, result);
    case "run_end":
      return { kind: "kept" };
    default:
      return event.event satisfies never;
  }
}

function rewriteOutcome(event: HookEvent, result: HookResult): Applied {
  const { updated_result, updated_error } = result;
  const changed = {
    ...event,
    ...(updated_result === UNSET ? {} : { tool_result: updated_result }),
    ...(updated_error === UNSET ? {} : { error: updated_error }),
  };
  return { kind: "rewritten", event: changed };
}

/** Keys that are not given stay; what then is no request is a misfit. */
function rewriteRequest(event: HookEvent, result: HookResult): Applied {
  if (event.request === undefined || result.updated_request === UNSET) return { kind: "kept" };
  const request = { ...event.request, ...result.updated_request };
  if (typeof request.method !== "string" || typeof request.path !== "string") {
    return { kind: "misfit", why: "updated_request: method and path must be text" };
  }
  if (request.query !== null && !isPlainObject(request.query)) {
    return { kind: "misfit", why: "updated_request: query must be an object or null" };
  }
  const plain = plainRequest(request);
  return plain.ok
    ? { kind: "rewritten", event: { ...event, request: plain.request } }
    : { kind: "misfit", why: `updated_request: ${plain.why}` };
}

function rewriteResponse(event: HookEvent, result: HookResult): Applied {
  if (event.response === undefined || result.updated_response === UNSET) return { kind: "kept" };
  const response = { ...event.response, ...result.updated_response };
  if (!Number.isInteger(response.status)) {
    return { kind: "misfit", why: "updated_response: status must be a whole number" };
  }
  if (!isPlainObject(response.headers)) {
    return { kind: "misfit", why: "updated_response: headers must be an object" };
  }
  return { kind: "rewritten", event: { ...event, response } };
}
