/** A program's request in the spelling in which its rules see it. Knows nothing of rules or transports. */
import { plainRequest as plain } from "../core/hookRules/plainRequest";
import type { HookRequest } from "../core/hookRules/types";
import { HookError } from "./hookRunErrors";

/** Throws a HookError where nobody can tell where the path leads. */
export function plainRequest(request: HookRequest): HookRequest {
  const made = plain(request);
  if (!made.ok) throw new HookError(made.why);
  return made.request;
}
