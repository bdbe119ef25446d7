/** Several asks of one call as one question. Asks nobody. */
import type { Hasher } from "../ports";
import type { ToolCall } from "./call";
import type { AskDecision, SessionScope } from "./decision";
import { stableText, withoutKeys } from "./values";

/** Names the argument that lifts an ask which has no confirm_args of its own. */
export const TOKEN_KEY = "_consent";

/** An ask without confirm_args would be lifted by any call: it gets a token of its own. */
export function withToken<A extends AskDecision>(
  call: ToolCall,
  deps: { readonly hasher: Hasher; readonly confirmKeys: readonly string[]; readonly nonce: string },
  ask: A,
): A {
  if (Object.keys(ask.confirmArgs).length > 0) return ask;
  const args = withoutKeys(call.input, [...deps.confirmKeys, TOKEN_KEY]);
  const token = deps.hasher(stableText([deps.nonce, call.toolName, args])).slice(0, 32);
  return { ...ask, confirmArgs: { [TOKEN_KEY]: token } };
}

export function combine(
  asks: readonly (AskDecision & { readonly by: string })[],
): AskDecision & { readonly by: string; readonly askers: readonly string[] } {
  const [first, ...rest] = asks;
  if (first === undefined) throw new Error("combine needs an ask");
  const askers = [...new Set(asks.map((ask) => ask.by))];
  const scope = combineScopes(asks);
  const { sessionScope: _, ...plain } = first;
  return {
    ...plain,
    askers,
    prompt: asks.map((ask) => ask.prompt).join("\n"),
    details: rest.length === 0 ? first.details : { ...first.details, also: rest.map((ask) => ask.details) },
    confirmArgs: Object.assign({}, ...asks.map((ask) => ask.confirmArgs)),
    ...(scope === undefined ? {} : { sessionScope: scope }),
  };
}

/** A wider grant is offered only where every asker permits one. */
function combineScopes(asks: readonly AskDecision[]): SessionScope | undefined {
  const scopes = asks.flatMap((ask) => (ask.sessionScope === undefined ? [] : [ask.sessionScope]));
  if (scopes.length !== asks.length) return undefined;
  return { key: stableText(scopes.map((s) => s.key)), label: scopes.map((s) => s.label).join("; ") };
}
