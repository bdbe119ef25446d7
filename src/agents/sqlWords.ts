/** Tells a text that may be SQL from a question or a remark, by how it begins and what stands behind a `;`. Judges nothing. */
import { beginsPlainly, holdsStatement } from "../core/shell/plainStatement";
import { isWholeStatement } from "./searchTools";
import { SQL_VERBS } from "./toolTables";

/** What may stand before a statement: comments, templates, a client's own commands, invisible marks. */
const BEFORE = /^(?:[\s\ufeff\u200b]+|#[^\n]*\n|\{\{[^}]*\}\}|\{%[^%]*%\}|\\+[^\n]*\n|@\w+[^\n]*\n)+/;

export function withoutBefore(text: string): string {
  return text.replace(BEFORE, "");
}

/** Begins with a word of SQL, a comment or a bracket: a search for "drop in revenue" passes for SQL, a question does not. */
export function readsLikeSql(text: string): boolean {
  const start = withoutBefore(text);
  if (/^(--|\/\*|\(|;)/.test(start)) return true;
  const word = /^[a-z]+/i.exec(start)?.[0].toLowerCase();
  return word !== undefined && SQL_VERBS.has(word) && /^[a-z]+([\s;(*'"`[\\@/-]|$)/i.test(start);
}

/** Statements that only some dialects have, with what follows them there. */
const RARE =
  /^(?:(?:end|abort|listen|unlisten|notify|close|discard|fetch|move|print|waitfor|raiserror|throw|return|break|continue|goto|reconfigure|checkpoint|revert|open|read|write|add|deny|disable|enable)\b\s*(?:$|;|['"@\d(*-]|(?:all|delay|time|plans|temp|sequences|work|transaction)\b)|\{\s*\??\s*=?\s*(?:call|exec))/i;
const LABEL = /^\w+\s*:(?!\/\/)\s*\w/;
/** Query languages that are not SQL, where they are written into a database's tool. */
const OTHER_LANGUAGE = /^(?:\{|\[\s*\{|(?:optional\s+)?match\s*\(|g\.[VE]\(|db\.\w|from\s*\(\s*bucket)/i;
/** Words, numbers, marks between them. */
const PROSE = /^[\p{L}\p{N}\s.,?!'\u2019"():/&%#+-]+$/u;

/** A query of a database's tool is SQL unless it is plainly a question or another language. */
export function mayRun(text: string): boolean {
  const start = withoutBefore(text).trim();
  if (start === "" || LABEL.test(start) || mayRunWithin(text)) return true;
  if (OTHER_LANGUAGE.test(start)) return false;
  // T-SQL runs a procedure by its name alone.
  return !PROSE.test(start.replaceAll(";", " ")) || !/\s/.test(start) || /^\w*_/.test(start);
}

/** Of a tool that looks for tables by their words: only what plainly begins, or goes on, as SQL does. */
export function mayRunWithin(text: string): boolean {
  const start = withoutBefore(text).trim();
  if (readsLikeSql(text) || RARE.test(start) || holdsStatement(start)) return true;
  return start.split(";").slice(1).some(readsLikeSql);
}

/** Of a text under a name that says nothing. */
export function runsBehind(text: string): boolean {
  if (readsLikeSql(text)) return true;
  if (!/\s/.test(text)) return false;
  const pieces = text.split(";").slice(1);
  return (
    pieces.some((piece) => isWholeStatement(withoutBefore(piece))) ||
    (RARE.test(text) && holdsStatement(text))
  );
}

/** Of a text for people: a whole statement, and not a sentence such as "Drop table users from the report". */
export function runsSpoken(text: string): boolean {
  const start = withoutBefore(text);
  const isSentence = /^[A-Z][a-z]+\s/.test(start) && !/;\s*$/.test(start);
  return !isSentence && /\s/.test(start) && beginsPlainly(start);
}
