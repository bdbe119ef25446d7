/** Splits tokens into statements and pairs their brackets. Knows no verb. */
import type { Token } from "./lexState";

export interface Statement {
  readonly tokens: readonly Token[];
  /** Index of the partner of each bracket token; -1 for everything else. */
  readonly partner: readonly number[];
  /** Bracket depth of each token. */
  readonly depth: readonly number[];
  /** Indices, in order, of the words that a rule looks at wherever they stand. */
  readonly notable: readonly number[];
  /** Of the words that name a table next. */
  readonly sources: readonly number[];
  /** Of WHERE. */
  readonly wheres: readonly number[];
  /** Of names directly before an opening bracket. */
  readonly calls: readonly number[];
  /** False when something in it cannot be read, or a bracket has no partner. */
  readonly complete: boolean;
}

const PARTNERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** What a word is looked at for, as a sum of the three. */
export type UseOf = (word: string) => number;
export const NOTABLE = 1;
export const SOURCE = 2;
export const WHERE = 4;
const NO_USE: UseOf = () => 0;

/** A semicolon ends a statement at any depth. Empty statements are left out. */
export function splitStatements(tokens: readonly Token[], useOf: UseOf = NO_USE): readonly Statement[] {
  const out: Statement[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && token.kind !== "end") continue;
    if (at > from) out.push(pair(at - from === tokens.length ? tokens : tokens.slice(from, at), useOf));
    from = at + 1;
  }
  return out;
}

function pair(tokens: readonly Token[], useOf: UseOf): Statement {
  const partner: number[] = [];
  const depth: number[] = [];
  const calls: number[] = [];
  const open: number[] = [];
  let complete = true;
  let before: Token | undefined;
  for (const token of tokens) {
    const index = depth.length;
    const { kind, text } = token;
    partner.push(-1);
    depth.push(open.length);
    if (kind === "bad") complete = false;
    else if (kind === "op" && (text === "(" || text === "[" || text === "{")) {
      if (text === "(" && (before?.kind === "word" || before?.kind === "name")) calls.push(index - 1);
      open.push(index);
    } else if (kind === "op" && (text === ")" || text === "]" || text === "}")) {
      const last = open.pop();
      if (last === undefined || tokens[last]?.text !== PARTNERS[text]) complete = false;
      else {
        partner[last] = index;
        partner[index] = last;
        depth[index] = open.length;
      }
    }
    before = token;
  }
  complete &&= open.length === 0;
  const { notable, sources, wheres } = usedWords(tokens, useOf);
  return { tokens, partner, depth, notable, sources, wheres, calls, complete };
}

function usedWords(
  tokens: readonly Token[],
  useOf: UseOf,
): Pick<Statement, "notable" | "sources" | "wheres"> {
  const notable: number[] = [];
  const sources: number[] = [];
  const wheres: number[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.kind !== "word") continue;
    const use = useOf(token.text);
    const before = index > 0 ? tokens[index - 1] : undefined;
    const isGlued = before?.kind === "number" && before.end === token.start;
    if (isGlued || use & NOTABLE) notable.push(index);
    if (use & SOURCE) sources.push(index);
    if (use & WHERE) wheres.push(index);
  }
  return { notable, sources, wheres };
}
