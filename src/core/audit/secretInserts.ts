/** Secrets in `INSERT INTO t (name, password) VALUES ('ann', '…')`: the column names them, by its place. Looks at each character a bounded number of times. */
import { isPlaceholder } from "./placeholder";
import type { SecretNames } from "./secretKeys";
import type { Span } from "./secretValues";

const HEAD =
  /\binsert\s{1,8}(?:ignore\s{1,8})?into\s{1,8}[^\s(]{1,200}\s{0,8}\(([^()]{1,4000})\)\s{0,8}values\s{0,8}(?=\()/gi;
const MAX_TUPLES = 10_000;

export function insertedSecrets(text: string, names: SecretNames, spans: Span[]): void {
  if (!/\bvalues\s{0,8}\(/i.test(text)) return;
  for (const m of text.matchAll(HEAD)) {
    const columns = (m[1] ?? "").split(",").map((column) => column.trim().replace(/^["'`[]|["'`\]]$/g, ""));
    const secret = columns.map((column) => names.isSecret(column, "x"));
    if (secret.includes(true)) tuples(text, { from: m.index + m[0].length, secret }, spans);
  }
}

/** `(…), (…)` from here on. */
function tuples(
  text: string,
  at: { readonly from: number; readonly secret: readonly boolean[] },
  spans: Span[],
): void {
  let i = at.from;
  for (let count = 0; text[i] === "(" && count < MAX_TUPLES; count += 1) {
    i = tuple(text, { from: i + 1, secret: at.secret }, spans);
    const next = /^\s{0,16},\s{0,16}(?=\()/.exec(text.slice(i, i + 40));
    if (next === null) return;
    i += next[0].length;
  }
}

/** Notes the quoted values of one tuple that stand in a secret column; gives the place behind its bracket. */
function tuple(
  text: string,
  at: { readonly from: number; readonly secret: readonly boolean[] },
  spans: Span[],
): number {
  let column = 0;
  let depth = 0;
  for (let i = at.from; i < text.length; i += 1) {
    const c = text[i];
    if (c === "'") {
      const end = literalEnd(text, i + 1);
      const value = text.slice(i + 1, end);
      if (at.secret[column] === true && value !== "" && !isPlaceholder(value))
        spans.push([i + 1, end, "password"]);
      i = end;
    } else if (c === "(") depth += 1;
    else if (c === ")") {
      if (depth === 0) return i + 1;
      depth -= 1;
    } else if (c === "," && depth === 0) column += 1;
  }
  return text.length;
}

function literalEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i += 1) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === "'") {
      if (text[i + 1] !== "'") return i;
      i += 1;
    }
  }
  return text.length;
}
