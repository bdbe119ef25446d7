/** SET search_path in front of reads: it changes what later names mean, which harms nothing where they are only read. */
import { wordAt } from "./rule";
import type { Statement } from "./statements";
import { setOf } from "./wordList";

const READS = setOf("SELECT WITH VALUES TABLE SHOW EXPLAIN BEGIN START COMMIT END ROLLBACK");
const WRITES = setOf("INSERT CREATE INTO");

interface Judged {
  readonly verdict: string;
}

/** Places of such statements. `judged` has one verdict for each statement. A last one is none: it can only be for other calls. */
export function harmlessSearchPaths(
  statements: readonly Statement[],
  judged: readonly Judged[],
): ReadonlySet<number> {
  const out = new Set<number>();
  if (!statements.some(isSearchPath)) return out;
  for (let at = statements.length - 1, later = 0; at >= 0; at--) {
    const statement = statements[at];
    if (statement === undefined) break;
    if (isSearchPath(statement)) {
      if (later > 0) out.add(at);
    } else if (judged[at]?.verdict === "allow" && onlyReads(statement)) later++;
    else break;
  }
  return out;
}

function onlyReads({ tokens }: Statement): boolean {
  const first = tokens.find(({ kind, text }) => kind !== "op" || text !== "(");
  if (first?.kind !== "word" || !READS.has(first.text)) return false;
  return !tokens.some(({ kind, text }) => kind === "word" && WRITES.has(text));
}

/** `SET [LOCAL] search_path TO a, "b"`. Naming pg_catalog may put another function in front of the server's own. */
function isSearchPath(statement: Statement): boolean {
  if (wordAt(statement, 0) !== "SET") return false;
  const at = /^(?:LOCAL|SESSION)$/.test(wordAt(statement, 1)) ? 2 : 1;
  const { tokens } = statement;
  const sign = tokens[at + 1];
  if (wordAt(statement, at) !== "SEARCH_PATH") return false;
  if (sign === undefined || !/^(?:TO|=)$/.test(sign.text) || tokens.length < at + 3) return false;
  return tokens.slice(at + 2).every(({ kind, text }, step) => {
    if (step % 2 === 1) return kind === "op" && text === ",";
    return /^(?:word|name|string)$/.test(kind) && !/pg_(?:catalog|temp)|\\/i.test(text);
  });
}
