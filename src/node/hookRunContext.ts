/** How `additional_context` reaches an agent with a result. Knows nothing of rules. */
import { isPlainObject } from "../core/call";
import { labelled } from "../core/hookRules/ruleRun";

/**
 * The result with the text beside it: text is appended to, an object gets it in the list `hook_context`,
 * anything else becomes `{ result, hook_context: [text] }`. What was given is not changed.
 */
export function withContext(result: unknown, name: string, text: string): unknown {
  return withLabel(result, labelled({ name, text }));
}

function withLabel(result: unknown, label: string): unknown {
  if (typeof result === "string") return `${result}\n\n${label}`;
  if (!isPlainObject(result)) return { result: result ?? null, hook_context: [label] };
  return { ...result, hook_context: [...earlier(result), label] };
}

function earlier(result: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (!Object.hasOwn(result, "hook_context")) return [];
  const there = result.hook_context;
  return Array.isArray(there) ? there : [there];
}

/** `labels` as `labelled` makes them. */
export function withLabels(result: unknown, labels: readonly string[]): unknown {
  return labels.reduce(withLabel, result);
}
