/** Tells a whole destructive statement from words that only begin like one. Knows no shell and no dialect. */

/** `"users"`, `[dbo].[users]`, `{table}`, `%s` */
const NAME = String.raw`[\w"'\x60\[\]{}$%:.@\u0080-\uffff-]{1,200}`;

const KINDS =
  "table|view|materialized\\s+view|index|database|schema|sequence|function|procedure|trigger|user|role|type|keyspace|column\\s+family|measurement|series|catalog|extension|policy|domain|tablespace|foreign\\s+table|external\\s+table";

/** How a statement begins that harms; what follows is left to the judge. */
const HEAD = [
  `delete\\s+(?:low_priority\\s+|quick\\s+|ignore\\s+|top\\s*\\(\\d+\\)\\s+)*from\\s+(?:only\\s+)?${NAME}\\s*(?:$|;|\\)|--|/\\*|where\\b|using\\b|returning\\b|as\\b|limit\\b|order\\b|${NAME}\\s+where\\b)`,
  `update\\s+(?:only\\s+|or\\s+\\w+\\s+|low_priority\\s+|ignore\\s+)*${NAME}\\s+(?:as\\s+)?(?:${NAME}\\s+)?set\\s`,
  `drop\\s+(?:temporary\\s+)?(?:${KINDS})\\s+(?:concurrently\\s+)?(?:if\\s+exists\\s+)?${NAME}\\s*(?:$|;|,|\\(|\\)|--|cascade\\b|restrict\\b|on\\b|from\\b|purge\\b)`,
  `truncate\\s+(?:table\\s+)?${NAME}\\s*(?:$|;|,|cascade\\b|restrict\\b|restart\\b)`,
  `alter\\s+(?:table|database|schema|user|role|view|system)\\s+(?:if\\s+exists\\s+)?(?:only\\s+)?${NAME}\\s+(?:add|drop|alter|rename|modify|change|set|reset|owner|disable|enable|delete|update|detach|attach|convert|engine|password|with|identified)\\b`,
  `(?:replace|merge|insert\\s+or\\s+replace|insert\\s+overwrite)\\s+into\\s+${NAME}\\s*(?:\\(|values\\b|select\\b|using\\b|set\\b|as\\b)`,
  `(?:grant|revoke)\\s+[\\w\\s,]{1,200}\\s+on\\s+[\\s\\S]{1,300}?\\s(?:to|from)\\s`,
  `with\\s+(?:recursive\\s+)?\\w+\\s*(?:\\([^)]*\\)\\s*)?as\\s*(?:not\\s+)?(?:materialized\\s*)?\\(\\s*(?:delete|update|insert|merge)\\s`,
].join("|");

const BEFORE = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*[\s\S]*?\*/|(?:begin|start\s+transaction|explain(?:\s+analyze)?)\b\s*;?)*`;
const STATEMENT = new RegExp(`^(?:${HEAD})`, "i");
const LEAD = new RegExp(`^${BEFORE}`, "i");
/** Longer texts are looked at in their first part only. */
const MAX_TEXT = 20_000;
const MAX_PIECES = 200;

/** True when the text, or a piece of it behind a `;`, is a statement that changes or removes. */
export function isPlainStatement(text: string): boolean {
  if (!/\s/.test(text)) return false;
  const pieces = text.slice(0, MAX_TEXT).split(";", MAX_PIECES);
  return pieces.some((piece) => STATEMENT.test(piece.replace(LEAD, "")));
}

/** The same at the start of a text literal in program text: `"DELETE FROM t`, or behind a `;` in it. */
export const STATEMENT_IN_LITERAL = new RegExp(
  `(?:["'\\x60({]|<<<?[~-]?['"]?[A-Z]+['"]?|;)\\s*(?=${HEAD.replaceAll("$|;", "$|[\"'\\x60;)}]")})`,
  "gi",
);
