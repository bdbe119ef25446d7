/** Splits tokens into statements and pairs their brackets. Knows no verb. */
import type { Token } from "./lexState";

export interface Statement {
  readonly tokens: readonly Token[];
  /** Index of the partner of each bracket token; -1 for everything else. */
  readonly partner: readonly number[];
  /** Bracket depth of each token. */
  readonly depth: readonly number[];
  /** Indices of the words that a rule looks at, and of names directly before an opening bracket. */
  readonly notable: readonly number[];
  readonly calls: readonly number[];
  /** False when something in it cannot be read, or a bracket has no partner. */
  readonly complete: boolean;
}

const PARTNERS: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);
const OPENERS: ReadonlySet<string> = new Set(PARTNERS.values());

/** True for a word that some rule looks at wherever it stands. */
export type IsNotable = (word: string) => boolean;

/** A semicolon ends a statement at any depth. Empty statements are left out. */
export function splitStatements(
  tokens: readonly Token[],
  isNotable: IsNotable = () => false,
): readonly Statement[] {
  const out: Statement[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && token.kind !== "end") continue;
    if (at > from) out.push(pair(tokens.slice(from, at), isNotable));
    from = at + 1;
  }
  return out;
}

function pair(tokens: readonly Token[], isNotable: IsNotable): Statement {
  const partner = new Array<number>(tokens.length).fill(-1);
  const depth = new Array<number>(tokens.length).fill(0);
  const notable: number[] = [];
  const calls: number[] = [];
  const open: number[] = [];
  let complete = true;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    const before = tokens[index - 1];
    if (token === undefined) break;
    depth[index] = open.length;
    if (token.kind === "bad") complete = false;
    else if (token.kind === "word") {
      if (isNotable(token.text) || (before?.kind === "number" && before.end === token.start))
        notable.push(index);
    } else if (token.kind !== "op") continue;
    else if (OPENERS.has(token.text)) {
      if (token.text === "(" && (before?.kind === "word" || before?.kind === "name")) calls.push(index - 1);
      open.push(index);
    } else if (PARTNERS.has(token.text)) {
      const last = open.pop();
      if (last === undefined || tokens[last]?.text !== PARTNERS.get(token.text)) complete = false;
      else {
        partner[last] = index;
        partner[index] = last;
        depth[index] = open.length;
      }
    }
  }
  return { tokens, partner, depth, notable, calls, complete: complete && open.length === 0 };
}
