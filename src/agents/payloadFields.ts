/** Reading the fields that the agents' hook payloads have in common. Knows no agent. */
import { isPlainObject } from "../core/call";
import type { ReadPayload } from "./agentDoor";

type ReadObject =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | (ReadPayload & { readonly ok: false });

/** The parsed object, or why it cannot be one. */
export function readObject(text: string): ReadObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse("it is no JSON");
  }
  return isPlainObject(value) ? { ok: true, value } : refuse("it is no object");
}

export function refuse(what: string): ReadPayload & { readonly ok: false } {
  return { ok: false, reason: `the hook's input cannot be read: ${what}` };
}

/** A text that says something. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function cwdOf(value: unknown): { readonly cwd?: string } {
  const named = textOf(value);
  return named !== undefined && /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(named) ? { cwd: named } : {};
}
