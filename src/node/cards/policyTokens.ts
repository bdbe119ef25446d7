/** The tokens of a TypeScript file with their places, from the parser that also takes its types out. Runs nothing. */
import type { PolicyToken } from "../../core/cards/policyLiterals";
import { messageOf } from "../../core/errors";

/** Of the parser's token types, those that only it can tell: a slash may begin a pattern, a quote may stand in a template. */
const KINDS: ReadonlyMap<number, PolicyToken["kind"]> = new Map([
  [3584, "regexp"],
  [4608, "string"],
  [5632, "name"],
  [23552, "template"],
]);

export type PolicyTokens =
  | { readonly ok: true; readonly tokens: readonly PolicyToken[] }
  | { readonly ok: false; readonly message: string; readonly line: number; readonly column: number };

export async function policyTokens(source: string): Promise<PolicyTokens> {
  // Heavy, and only needed where somebody works on cards.
  const { parse } = await import("sucrase/dist/parser/index.js");
  try {
    const { tokens } = parse(source, false, true, false);
    return {
      ok: true,
      tokens: tokens.map(({ type, start, end, isType }) => ({
        kind: KINDS.get(type) ?? "other",
        text: source.slice(start, end),
        start,
        isType,
      })),
    };
  } catch (error) {
    const said = messageOf(error);
    const [, line = "1", column = "1"] = /\((\d+):(\d+)\)$/.exec(said) ?? [];
    return {
      ok: false,
      message: said.replace(/ \(\d+:\d+\)$/, ""),
      line: Number(line),
      column: Number(column),
    };
  }
}
