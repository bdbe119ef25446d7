/** Turns the judge's reading of a SQL text into what the engine is allowed to do. Pure. */
import { refusedActs } from "../core/guards/engineRefusal";
import { classifySql, type StatementVerdict } from "../core/sql/classify";
import { findDialect } from "../core/sql/dialects";
import { lex } from "../core/sql/lexer";
import type { Act, Intent } from "../node/databases/intent";

export interface IntentQuestion {
  readonly sql: string;
  /** The database's own dialect. */
  readonly dialect: string;
  /** What the engine refused before and a person has now approved. */
  readonly approvedActs: unknown;
}

const TARGET =
  /^(?:insert|replace)\s+(?:(?:or\s+\w+|ignore|low_priority|high_priority|delayed)\s+)*(?:into\s+)?((?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\w$\u0080-\uffff]+)(?:\s*\.\s*(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\w$\u0080-\uffff]+))?)/i;

/**
 * For a call that may run. A text that the judge allows by itself may only read, insert and create;
 * anything else has been approved (or its guard is switched off), and may do what its words say.
 */
export function intentOf({ sql, dialect, approvedActs }: IntentQuestion): Intent {
  const { verdict, statements } = classifySql(sql, { dialect });
  const approved = refusedActs(approvedActs);
  if (verdict !== "allow" || approved.length > 0) {
    return { kind: "approved", acts: [...statements.flatMap(actsOf), ...approved] };
  }
  const adding = statements.filter(
    (one) => one.op === "INSERT" || one.op === "CREATE" || insertsBehind(one, dialect),
  );
  if (adding.length === 0) return { kind: "read" };
  const inserting = adding.filter((one) => one.op === "INSERT");
  return {
    kind: "add",
    verbs: ["INSERT", "CREATE"],
    tables: inserting.flatMap((one) => one.tables.map(quoted)),
  };
}

/** `WITH .. INSERT INTO`, also within COPY, and `EXPLAIN ANALYZE INSERT INTO` add rows too; MariaDB and MySQL have neither. */
function insertsBehind({ op, text }: StatementVerdict, dialect: string): boolean {
  const found = findDialect(dialect);
  const profile = found?.readings[0];
  if (profile === undefined || found?.family === "mysql" || !/^(?:WITH|EXPLAIN|COPY)$/.test(op)) return false;
  return lex(text, profile).tokens.some(
    ({ kind, text: word }, at, all) =>
      kind === "word" && word === "INSERT" && /^(?:INTO|OR)$/.test(all[at + 1]?.text ?? ""),
  );
}

function actsOf(statement: StatementVerdict): readonly Act[] {
  const first = /^[A-Za-z]+/.exec(statement.text)?.[0].toUpperCase() ?? statement.op;
  const tables = statement.tables.map(quoted);
  if (first === "CREATE") {
    // The verbs in a trigger's or function's body are not done now; the rows of CREATE TABLE AS are.
    const filled = statement.op === "CREATE" ? tables.map((table): Act => ({ verb: "INSERT", table })) : [];
    return [{ verb: "CREATE", table: null }, ...filled];
  }
  const acts = named(statement.op === "INTO" ? "INSERT" : statement.op, tables);
  const target = TARGET.exec(statement.text)?.[1];
  if (target !== undefined) {
    acts.push({ verb: first, table: target });
    if (statement.op === "UPDATE") acts.push({ verb: "UPDATE", table: target });
  } else if (first !== statement.op) acts.push(...named(first, tables));
  if (statement.op === "INTO") acts.push({ verb: "CREATE", table: null });
  return acts;
}

function named(verb: string, tables: readonly string[]): Act[] {
  return tables.length === 0 ? [{ verb, table: null }] : tables.map((table) => ({ verb, table }));
}

/** The judge gives names without their quotes. */
function quoted(name: string): string {
  return name
    .split(".")
    .map((part) => `"${part.trim().replaceAll('"', '""')}"`)
    .join(".");
}
