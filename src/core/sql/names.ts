/** Reads table names out of tokens. Knows no verb. */
import type { Token } from "./lexState";
import type { Statement } from "./statements";

/** The name without its quotes; "" for what is no name. */
export function nameText(token: Token): string {
  if (token.kind === "word") return token.text;
  if (token.kind === "param") return token.text;
  // SQLite and MySQL take a string where a name belongs.
  if (token.kind !== "name" && token.kind !== "string") return "";
  const open = token.text[0] ?? "";
  const close = open === "[" ? "]" : open;
  return token.text.slice(1, -1).replaceAll(close + close, close);
}

export interface QualifiedName {
  readonly parts: readonly string[];
  /** Index of the token behind the name. */
  readonly next: number;
}

/** `a.b.c` from `at` on. */
export function qualifiedName(statement: Statement, at: number): QualifiedName {
  const parts: string[] = [];
  let next = at;
  for (let token = statement.tokens[next]; token !== undefined; token = statement.tokens[next]) {
    const name = nameText(token);
    if (name === "") break;
    parts.push(name);
    next++;
    const dot = statement.tokens[next];
    if (dot?.kind !== "op" || dot.text !== ".") break;
    next++;
  }
  return { parts, next };
}
