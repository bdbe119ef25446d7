/** One tool behind the chain, the same in every loop: what the model is told of a call. Knows no loop. */
import { refusedResult } from "countersign";

/**
 * Judges, then runs the tool with the final arguments. What is denied, needs a person or fails is a result for the
 * model to read, `kind` telling which; the tool has then not been started, or has thrown.
 */
export async function callTool(tool, args, { hooks, sessionId, signal }) {
  const call = hooks.call(tool.name, args, { sessionId });
  const options = { declaredArgs: Object.keys(tool.parameters), ...(signal ? { signal } : {}) };
  try {
    const { outcome, result } = await hooks.governor.govern(call, (final) => tool.run(final), options);
    if (outcome.kind === "denied") return refusedResult(tool.name, outcome);
    if (outcome.kind === "asks_user") return { kind: "asks_user", ...refusedResult(tool.name, outcome) };
    const context = outcome.contexts.length > 0 ? { context: outcome.contexts } : {};
    return { kind: "ok", tool: tool.name, result: result ?? null, ...context };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "error", tool: tool.name, message };
  }
}
