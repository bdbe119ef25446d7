/** Splits tokens into statements and pairs their brackets. Knows no verb. */
import type { Token } from "./lexer";

export interface Statement {
  readonly tokens: readonly Token[];
  /** Index of the partner of each bracket token; -1 for everything else. */
  readonly partner: readonly number[];
  /** Bracket depth of each token. */
  readonly depth: readonly number[];
  /** False when something in it cannot be read, or a bracket has no partner. */
  readonly complete: boolean;
}

const OPENERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const CLOSERS = new Set([")", "]", "}"]);

/** A semicolon ends a statement at any depth. Empty statements are left out. */
export function splitStatements(tokens: readonly Token[]): readonly Statement[] {
  const out: Statement[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && token.kind !== "end") continue;
    if (at > from) out.push(pair(tokens.slice(from, at)));
    from = at + 1;
  }
  return out;
}

function pair(tokens: readonly Token[]): Statement {
  const partner = new Array<number>(tokens.length).fill(-1);
  const depth = new Array<number>(tokens.length).fill(0);
  const open: number[] = [];
  let complete = true;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "bad") complete = false;
    if (token.kind === "op" && CLOSERS.has(token.text)) {
      const last = open.pop();
      if (last === undefined || OPENERS[tokens[last]?.text ?? ""] !== token.text) complete = false;
      else {
        partner[last] = index;
        partner[index] = last;
      }
    }
    depth[index] = open.length;
    if (token.kind === "op" && OPENERS[token.text] !== undefined) open.push(index);
  }
  return { tokens, partner, depth, complete: complete && open.length === 0 };
}
