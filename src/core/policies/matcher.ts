/** Which tools a policy is for, and how it is named beside guards and rules. Knows nothing of what it does. */
import { compileNamePattern } from "../hookRules/namePattern";

export type PolicyMatcher =
  | { readonly ok: true; readonly matches: (toolName: string, canonicalName: string) => boolean }
  | { readonly ok: false; readonly why: string };

/** Anchored, linear in the name; absent, "" and "*" = every tool. */
export function policyMatcher(source: string | undefined): PolicyMatcher {
  if (source === undefined || source === "" || source === "*") return { ok: true, matches: () => true };
  const compiled = compileNamePattern(source);
  if (!compiled.ok) {
    const { message, suggestion } = compiled.mistake;
    const hint = suggestion === undefined ? "" : ` (${suggestion})`;
    return { ok: false, why: `the matcher ${JSON.stringify(source.slice(0, 80))} ${message}${hint}` };
  }
  const { pattern } = compiled;
  return { ok: true, matches: (raw, canonical) => pattern.whole(raw) || pattern.whole(canonical) };
}

/** No guard's: a guard's word on arguments that were rewritten replaces its earlier one, by its name. */
export const policyName = (name: string): string =>
  name.startsWith("@") || name.startsWith("policy ") ? name : `policy ${name}`;
