/** Tells a whole destructive statement from words that only begin like one. Knows no shell and no dialect. */

/** `"my users"`, `[my users]` */
const QUOTED = String.raw`"[^"\n]{1,100}"|\[[^\]\n]{1,100}\]|\x60[^\x60\n]{1,100}\x60`;
/** `"users"`, `[dbo].[users]`, `{table}`, `%s` */
const NAME = String.raw`(?:[\w"'\x60\[\]{}$%:.@\u0080-\uffff-]{1,200}|(?:\w{1,60}\.)?(?:${QUOTED}))`;

const KINDS =
  "table|view|materialized\\s+view|index|database|schema|sequence|function|procedure|trigger|user|role|type|keyspace|column\\s+family|measurement|series|catalog|extension|policy|domain|tablespace|foreign\\s+table|external\\s+table|rule|event\\s+trigger|aggregate|operator|server|publication|subscription|statistics|collation|package|synonym|assembly|login|owned\\s+by";

/** How a statement begins that harms; what follows is left to the judge. */
const HEAD = [
  `delete\\s+(?:low_priority\\s+|quick\\s+|ignore\\s+|top\\s*\\(\\d+\\)\\s+)*from\\s+(?:only\\s+)?${NAME}\\s*(?:$|;|\\)|--|/\\*|where\\b|using\\b|returning\\b|as\\b|limit\\b|order\\b|${NAME}\\s+where\\b)`,
  `delete\\s+(?:top\\s*\\(\\d+\\)\\s+)?${NAME}\\s+where\\s+${NAME}\\s*(?:[=<>!(]|in\\b|is\\b|like\\b|between\\b)`,
  // `DELETE u FROM users u`: the name comes again.
  `delete\\s+(\\w{1,60})(?:\\.\\*)?\\s+from\\s+(?:\\1\\b|[\\w.]{1,120}\\s+(?:as\\s+)?\\1\\b)`,
  `update\\s+(?:only\\s+|or\\s+\\w+\\s+|low_priority\\s+|ignore\\s+|top\\s*\\(\\d+\\)\\s*(?:percent\\s+)?)*${NAME}\\s+(?:as\\s+)?(?:${NAME}\\s+)?set\\s`,
  `update\\s+${NAME}(?:\\s+(?:as\\s+)?\\w{1,60})?\\s*(?:,|(?:inner\\s+|left\\s+|right\\s+|cross\\s+|natural\\s+|outer\\s+){0,3}join\\s)[^;]{1,300}?\\sset\\s+${NAME}\\s*=`,
  `drop\\s+(?:temporary\\s+)?(?:${KINDS})\\s+(?:concurrently\\s+)?(?:if\\s+exists\\s+)?(?:from\\s+)?${NAME}\\s*(?:$|;|,|\\(|\\)|--|cascade\\b|restrict\\b|on\\b|from\\b|purge\\b)`,
  `truncate\\s+(?:table\\s+)?(?:only\\s+)?${NAME}\\s*(?:$|;|,|cascade\\b|restrict\\b|restart\\b)`,
  `alter\\s+(?:table|database|schema|user|role|view|system)\\s+(?:if\\s+exists\\s+)?(?:only\\s+)?${NAME}\\s+(?:add|drop|alter|rename|modify|change|set|reset|owner|disable|enable|delete|update|detach|attach|convert|engine|password|with|identified)\\b`,
  `rename\\s+(?:table|user)\\s+${NAME}\\s+to\\s`,
  `(?:replace|merge|insert\\s+or\\s+replace|insert\\s+overwrite)\\s+into\\s+${NAME}\\s*(?:\\(|values\\b|select\\b|using\\b|set\\b|as\\b)`,
  `merge\\s+${NAME}(?:\\s+(?:as\\s+)?\\w{1,60})?\\s+using\\s`,
  `insert\\s+(?:ignore\\s+)?into\\s[^;]{1,500}?\\bon\\s+(?:conflict\\b[^;]{0,200}?\\bdo\\s+update|duplicate\\s+key\\s+update)\\b`,
  `load\\s+(?:data|xml)\\s+(?:low_priority\\s+|concurrent\\s+|local\\s+){0,2}(?:infile|inpath)\\s`,
  `do\\s+(?:\\$\\w{0,40}\\$|language\\s+\\w)`,
  `(?:grant|revoke)\\s+[\\w\\s,]{1,200}\\s+on\\s+[\\s\\S]{1,300}?\\s(?:to|from)\\s`,
  "system\\s+(?:drop|stop|kill|suspend)\\s+(?:replica|database|table|merges|ttl|moves|fetches|mutations|replicat\\w+|distributed|replication|filesystem|schema|listen)\\b",
  `with\\s+(?:recursive\\s+)?\\w+\\s*(?:\\([^)]*\\)\\s*)?as\\s*(?:not\\s+)?(?:materialized\\s*)?\\(\\s*(?:delete|update|insert|merge)\\s`,
  `with\\s+(?:recursive\\s+)?["\\w]{1,60}\\s*(?:\\([^)]{0,200}\\)\\s*)?as\\s[^;]{1,500}?\\)\\s*(?:delete\\s+from|delete\\s+\\w+\\s+from|update\\s+${NAME}\\s+(?:\\w+\\s+)?set|merge\\s+into|insert\\s+into|replace\\s+into)\\s`,
].join("|");

const BEFORE = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*[\s\S]*?\*/|(?:begin|start\s+transaction|explain(?:\s+analyze)?)\b\s*;?)*`;
const STATEMENT = new RegExp(`^(?:${HEAD})`, "i");
/** Nobody writes a heading or a search so. */
const LOUD = /^DELETE\s+(?!FROM\b)[\w.]{1,100}\s*$/;
const LEAD = new RegExp(`^${BEFORE}`, "i");
/** Longer texts are looked at in their first part only. */
const MAX_TEXT = 20_000;
const MAX_PIECES = 200;

/** True when the text, or a piece of it behind a `;`, is a statement that changes or removes. */
export function isPlainStatement(text: string): boolean {
  if (!/\s/.test(text)) return false;
  const pieces = text.slice(0, MAX_TEXT).split(";", MAX_PIECES);
  return pieces.some(beginsPlainly);
}

/** True when the text begins with one. */
export function beginsPlainly(text: string): boolean {
  const start = text.slice(0, MAX_TEXT).replace(LEAD, "");
  return STATEMENT.test(start) || LOUD.test(start);
}

const WITHIN = new RegExp(`\\b(?:${HEAD})`, "i");

/** True when one stands anywhere in the text: T-SQL needs nothing between two statements. */
export function holdsStatement(text: string): boolean {
  return WITHIN.test(text.slice(0, MAX_TEXT));
}

/** The same at the start of a text literal in program text: `"DELETE FROM t`, or behind a `;` in it. */
export const STATEMENT_IN_LITERAL = new RegExp(
  `(?:["'\\x60({]|<<<?[~-]?['"]?[A-Z]+['"]?|;)(?:\\s|--[^\\n]{0,200}\\n|/\\*[^*]{0,200}\\*/)*(?=${HEAD.replaceAll("$|;", "$|[\"'\\x60;)}]")})`,
  "gi",
);
