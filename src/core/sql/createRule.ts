/** What CREATE may make unasked. A kind that runs later, or that replaces something, is asked for. */
import { type Hit, opAt, wordAt } from "./rule";
import type { Statement } from "./statements";
import { CREATABLE, CREATE_MODIFIERS } from "./verbs";

export function createRule(statement: Statement): Hit | null {
  if (wordAt(statement, 0) === "SHOW") return null;
  for (const at of statement.notable) {
    if (wordAt(statement, at) !== "CREATE" || opAt(statement, at - 1) === ".") continue;
    const reason = objection(statement, at);
    if (reason !== null) return { verdict: "ask", rule: "create", op: "CREATE", at, reason };
  }
  return null;
}

function objection(statement: Statement, create: number): string | null {
  let at = create + 1;
  if (wordAt(statement, at) === "OR") return `CREATE OR ${wordAt(statement, at + 1)} replaces what is there`;
  // Snowflake: `CREATE READ ONLY TABLE`
  if (wordAt(statement, at) === "READ" && wordAt(statement, at + 1) === "ONLY") at += 2;
  while (CREATE_MODIFIERS.has(wordAt(statement, at))) at++;
  at = skipViewOptions(statement, at);
  const kind = wordAt(statement, at);
  const next = wordAt(statement, at + 1);
  if (!CREATABLE.has(kind)) return `CREATE ${kind || "of an unknown kind"} makes something that acts`;
  if (kind === "TABLE" && next === "FUNCTION") return "CREATE TABLE FUNCTION makes something that acts";
  if (kind === "TYPE" && next === "BODY") return "CREATE TYPE BODY makes something that acts";
  if (kind === "DATABASE" && ["LINK", "SCOPED", "AUDIT", "ENCRYPTION", "TRIGGER"].includes(next))
    return `CREATE DATABASE ${next} reaches outside`;
  return null;
}

/** MySQL writes `ALGORITHM = x DEFINER = a@b SQL SECURITY y` before VIEW. */
function skipViewOptions(statement: Statement, from: number): number {
  let at = from;
  for (let turn = 0; turn < 4; turn++) {
    const word = wordAt(statement, at);
    if (word === "SQL" && wordAt(statement, at + 1) === "SECURITY") at += 3;
    else if ((word === "ALGORITHM" || word === "DEFINER") && opAt(statement, at + 1) === "=") {
      at += 3;
      while (
        statement.tokens[at]?.kind === "param" ||
        opAt(statement, at) === "@" ||
        statement.tokens[at]?.kind === "name"
      )
        at++;
    } else break;
  }
  return at;
}
