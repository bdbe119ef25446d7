/** Reads what a policy returned: one of the five decisions, or why it is none. Knows nothing of how it was asked. */
import { type Args, isPlainObject } from "../call";

export type ReadDecision =
  | { readonly action: "allow"; readonly additionalContext?: string; readonly updatedInput?: Args }
  | { readonly action: "deny"; readonly reason: string; readonly syntheticOutput?: unknown }
  | { readonly action: "ask"; readonly reason: string }
  | { readonly action: "log-only" }
  | { readonly action: "none" };

export type DecisionRead =
  | { readonly ok: true; readonly decision: ReadDecision }
  | { readonly ok: false; readonly why: string };

const FIVE = '"allow", "deny", "ask", "log-only" and undefined';
const ALLOW_KEYS: readonly string[] = ["action", "reason", "additionalContext", "updatedInput"];
const LOG_KEYS: readonly string[] = ["action", "reason"];
const MAX_TEXT = 64 * 1024;

/** A denial or a question stands whatever else it carries; what would let a call pass must be understood to the last key. */
export function readPolicyDecision(value: unknown): DecisionRead {
  if (value === undefined || value === null) return { ok: true, decision: { action: "none" } };
  if (!isPlainObject(value)) return no(`its decision is ${kindOf(value)}; the decisions are ${FIVE}`);
  const action = Object.hasOwn(value, "action") ? value.action : undefined;
  switch (action) {
    case "deny": {
      const reason = textOf(value, "Refused by the policy.");
      const { syntheticOutput } = value;
      const more = syntheticOutput === undefined ? {} : { syntheticOutput };
      return { ok: true, decision: { action, reason, ...more } };
    }
    case "ask":
      return { ok: true, decision: { action, reason: textOf(value, "The policy asks for approval.") } };
    case "log-only":
      return strange(value, LOG_KEYS) ?? { ok: true, decision: { action } };
    case "allow":
      return strange(value, ALLOW_KEYS) ?? readAllow(value);
    default:
      return no(`its decision ${shown(action)} is unknown; the decisions are ${FIVE}`);
  }
}

function readAllow({ additionalContext, updatedInput }: Args): DecisionRead {
  if (additionalContext !== undefined && typeof additionalContext !== "string")
    return no(`additionalContext must be text, it is ${kindOf(additionalContext)}`);
  if (updatedInput !== undefined && !isPlainObject(updatedInput))
    return no(`updatedInput must be an object, it is ${kindOf(updatedInput)}`);
  return {
    ok: true,
    decision: {
      action: "allow",
      ...(additionalContext === undefined ? {} : { additionalContext: additionalContext.slice(0, MAX_TEXT) }),
      ...(updatedInput === undefined ? {} : { updatedInput }),
    },
  };
}

const no = (why: string): DecisionRead => ({ ok: false, why });

function strange(value: Args, known: readonly string[]): DecisionRead | undefined {
  const key = Object.keys(value).find((one) => !known.includes(one));
  return key === undefined ? undefined : no(`its decision has an unknown key \`${key.slice(0, 60)}\``);
}

function textOf({ reason }: Args, otherwise: string): string {
  return typeof reason === "string" && reason.trim() !== "" ? reason.slice(0, MAX_TEXT) : otherwise;
}

function shown(action: unknown): string {
  return typeof action === "string"
    ? JSON.stringify(action.slice(0, 60))
    : `with ${kindOf(action)} as action`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === undefined) return "nothing";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
