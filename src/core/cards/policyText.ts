/**
 * What can be told of a policy without running it: its kind, matcher, timeout, the decisions it names and what it imports.
 * Works on tokens that it is given; knows no disk and no parser.
 */
import { keysOf, type PolicyToken, wordOf } from "./policyLiterals";
import { decisionMistakes, keyMistakes, type PolicyMistake } from "./policyMistakes";

export interface PolicyImport {
  readonly specifier: string;
  readonly offset: number;
  /** Not written as text: nobody can tell what it is before it runs. */
  readonly computed?: true;
}

export interface PolicyFacts {
  readonly kind: "observer" | "enforcement" | "unknown";
  readonly mistakes: readonly PolicyMistake[];
}

/** Every import, whichever way it is written. */
export function importsOf(all: readonly PolicyToken[]): readonly PolicyImport[] {
  const tokens = all.filter(({ isType }) => !isType);
  const found: PolicyImport[] = [];
  tokens.forEach((token, index) => {
    const [before, next, after] = [tokens[index - 1], tokens[index + 1], tokens[index + 2]];
    if (before?.text === "." || before?.text === "?.") return;
    const isCall = (token.text === "import" || token.text === "require") && next?.text === "(";
    if (isCall) {
      const specifier = wordOf(after);
      const ends = tokens[index + 3]?.text;
      found.push(
        specifier !== undefined && (ends === ")" || ends === ",")
          ? { specifier, offset: after?.start ?? token.start }
          : { specifier: "", offset: token.start, computed: true },
      );
    } else if (token.text === "import" && next?.kind === "string") {
      found.push({ specifier: wordOf(next) ?? "", offset: next.start });
    } else if (
      token.text === "from" &&
      next?.kind === "string" &&
      before !== undefined &&
      /^[}\w$*]/.test(before.text)
    ) {
      found.push({ specifier: wordOf(next) ?? "", offset: next.start });
    }
  });
  return found;
}

/** `default` is looked for as it is exported; what it holds, only where it is written out. */
export function factsOf(all: readonly PolicyToken[]): PolicyFacts {
  const tokens = all.filter(({ isType }) => !isType);
  const exported = tokens.findIndex(
    ({ text }, index) =>
      text === "default" && (tokens[index - 1]?.text === "export" || tokens[index - 1]?.text === "as"),
  );
  if (exported < 0)
    return {
      kind: "unknown",
      mistakes: [
        {
          code: "policy.no_default",
          message: "it has no default export",
          mend: "Write `export default defineToolPolicy({ … })`.",
          offset: 0,
          severity: "error",
        },
      ],
    };
  const open = literalOf(tokens, exported);
  const decided = decisionMistakes(tokens);
  if (open === undefined) return { kind: "unknown", mistakes: decided };
  const keys = keysOf(tokens, open);
  const kind = wordOf(keys.get("policyKind")?.value);
  return {
    kind: kind === "observer" || kind === "enforcement" ? kind : "unknown",
    mistakes: [...keyMistakes(keys, tokens[open]?.start ?? 0), ...decided],
  };
}

/** The `{` of the policy: after `export default`, within `defineToolPolicy(…)`, or that of the constant which is exported. */
function literalOf(tokens: readonly PolicyToken[], exported: number): number | undefined {
  const after = tokens[exported + 1];
  if (after?.text === "{") return exported + 1;
  const name = tokens[exported - 1]?.text === "as" ? tokens[exported - 2]?.text : after?.text;
  const called = tokens.findIndex(
    ({ text }, index) =>
      text === "defineToolPolicy" && tokens[index + 1]?.text === "(" && tokens[index + 2]?.text === "{",
  );
  if (called >= 0) return called + 2;
  const named = tokens.findIndex(
    ({ text }, index) => text === name && tokens[index + 1]?.text === "=" && tokens[index + 2]?.text === "{",
  );
  return named < 0 ? undefined : named + 2;
}
