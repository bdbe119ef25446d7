/** What is wrong with a policy as far as its text tells: kind, matcher, timeout, keys, and the decisions that it names. Runs nothing. */
import { compileNamePattern } from "../hookRules/namePattern";
import { didYouMeanText } from "./didYouMean";
import { isReturned, type Key, keysOf, openerOf, type PolicyToken, wordOf } from "./policyLiterals";

export interface PolicyMistake {
  readonly code: string;
  readonly message: string;
  readonly mend: string;
  readonly offset: number;
  readonly severity: "error" | "warning";
}

const DECISIONS = ["allow", "deny", "ask", "log-only"];
const KEYS = ["policyKind", "matcher", "timeoutMs", "beforeToolCall", "afterToolCall"];
const MOST_MS = 2_147_483_647;

type Keys = ReadonlyMap<string, Key>;

const error = (
  code: string,
  offset: number,
  said: Pick<PolicyMistake, "message" | "mend">,
): PolicyMistake => ({
  code,
  offset,
  ...said,
  severity: "error",
});

/** `offset` is where the policy begins. */
export function keyMistakes(keys: Keys, offset: number): readonly PolicyMistake[] {
  const spread = [...keys.values()].some(({ key }) => key.text.startsWith("..."));
  const silent = !keys.has("beforeToolCall") && !keys.has("afterToolCall") && !spread;
  const callbacks = {
    message: "it has neither beforeToolCall nor afterToolCall",
    mend: "Add one of the two.",
  };
  return [
    ...unknownKeys(keys),
    ...kindMistake(keys.get("policyKind"), spread ? undefined : offset),
    ...matcherMistake(keys.get("matcher")?.value),
    ...timeoutMistake(keys.get("timeoutMs")?.value),
    ...(silent ? [error("policy.no_callback", offset, callbacks)] : []),
  ];
}

function unknownKeys(keys: Keys): readonly PolicyMistake[] {
  return [...keys].flatMap(([name, { key }]) => {
    if (KEYS.includes(name) || key.text.startsWith("...") || key.text === "[") return [];
    const mend = `Take it out${didYouMeanText(name, KEYS)}.`;
    return [error("policy.unknown_key", key.start, { message: `\`${name}\` is no key of a policy`, mend })];
  });
}

/** `needed` is where it is missing; undefined = it may come from elsewhere. */
function kindMistake(kind: Key | undefined, needed: number | undefined): readonly PolicyMistake[] {
  const mend = 'Write policyKind: "observer" or policyKind: "enforcement".';
  if (kind === undefined)
    return needed === undefined
      ? []
      : [error("policy.kind", needed, { message: "it has no policyKind", mend })];
  const written = wordOf(kind.value);
  if (written === undefined || written === "observer" || written === "enforcement") return [];
  const message = `${JSON.stringify(written)} is no kind of policy`;
  return [error("policy.kind", kind.value?.start ?? kind.key.start, { message, mend })];
}

function matcherMistake(matcher: PolicyToken | undefined): readonly PolicyMistake[] {
  const pattern = wordOf(matcher);
  if (matcher === undefined || pattern === undefined || pattern === "" || pattern === "*") return [];
  const compiled = compileNamePattern(pattern);
  if (compiled.ok) return [];
  const { message, suggestion = "write the names of tools, `A|B`, or a regular expression" } =
    compiled.mistake;
  const mend = `${suggestion.charAt(0).toUpperCase()}${suggestion.slice(1).replace(/\.$/, "")}.`;
  return [
    error("policy.matcher", matcher.start, {
      message: `the matcher ${JSON.stringify(pattern)} ${message}`,
      mend,
    }),
  ];
}

function timeoutMistake(timeout: PolicyToken | undefined): readonly PolicyMistake[] {
  // What is computed is only known when it runs.
  if (timeout === undefined || !/^["'\d]/.test(timeout.text)) return [];
  const ms = Number(timeout.text.replaceAll("_", ""));
  if (Number.isSafeInteger(ms) && ms > 0 && ms <= MOST_MS) return [];
  const message = `timeoutMs is ${timeout.text}`;
  return [
    error("policy.timeout", timeout.start, { message, mend: "Write a number of milliseconds above 0." }),
  ];
}

/** `{ action: "…" }` wherever it is written: a word that is no decision is one mistake, a deny or ask without a reason another. */
export function decisionMistakes(tokens: readonly PolicyToken[]): readonly PolicyMistake[] {
  return tokens.flatMap((token, index): PolicyMistake[] => {
    const isKey = token.text === "action" || token.text === '"action"' || token.text === "'action'";
    const before = tokens[index - 1]?.text;
    const value = tokens[index + 2];
    const written = wordOf(value);
    if (
      !isKey ||
      (before !== "{" && before !== ",") ||
      tokens[index + 1]?.text !== ":" ||
      written === undefined
    )
      return [];
    const offset = value?.start ?? token.start;
    const returned = isReturned(tokens, openerOf(tokens, index));
    if (!DECISIONS.includes(written))
      return [
        {
          code: "policy.decision",
          message: `${JSON.stringify(written)} is no decision`,
          mend: `Write allow, deny, ask or log-only, or return undefined${didYouMeanText(written, DECISIONS)}.`,
          offset,
          // Data that is no decision may have an `action` too.
          severity: returned ? "error" : "warning",
        },
      ];
    if ((written !== "deny" && written !== "ask") || !returned) return [];
    const keys = keysOf(tokens, openerOf(tokens, index));
    if (keys.has("reason") || [...keys.keys()].some((key) => key.startsWith("..."))) return [];
    return [
      {
        code: "policy.reason",
        message: `a decision to ${written} without a reason`,
        mend: "Add `reason`: the agent is told it.",
        offset,
        severity: "error",
      },
    ];
  });
}
