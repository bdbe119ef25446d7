/** Words of tools that search and of texts for people, as data: there a text is SQL only when it is a whole statement. */
import { isPlainStatement } from "../core/shell/plainStatement";
import { DATABASE_WORDS, plainName, wordsOf } from "./toolTables";

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** A `query` of such a tool is what somebody looks for. */
const SEARCH_WORDS = list(`
  search searches find lookup ask docs doc documentation issue issues email emails mail messages message notes note pages page
  web news image images video videos place places maps recall memory nodes ticket tickets thread threads channel channels
  recommend browse crawl research answer suggest autocomplete wiki help faq library code repo repos repository jql`);

/** Services that know no SQL; a `query` of theirs is one of their own language. */
const SEARCH_SERVICES = list(`
  github gitlab bitbucket brave tavily exa perplexity google bing duckduckgo kagi serper serpapi firecrawl notion slack gmail outlook
  teams discord linear jira atlassian confluence todoist trello asana hubspot zendesk intercom sentry figma spotify youtube
  reddit twitter hackernews arxiv pubmed wikipedia context7 prometheus loki promql logql kusto kql datadog splunk elasticsearch opensearch
  algolia meilisearch typesense gdrive dropbox stripe airtable graphql`);

/** Further names of texts for people. */
const MORE_SPOKEN = list(`
  insight insights thought thoughts idea observation answer finding findings hypothesis plan task objective intent
  naturallanguagequery natural_language_query userquery user_query searchquery search_query searchterm keywords keyword topic`);

/** Such a tool runs what it is given, whatever else its name says. */
const RUN_WORDS = list("run execute exec executes apply write mutate migrate script statement");

/** Databases by name, beside those of the tool tables. */
const MORE_DATABASES = list(
  "spanner alloydb cloudsql rds aurora cassandra scylla cql questdb vertica greenplum teradata db2 firebird hana synapse yugabyte singlestore",
);

export type ToolKind = "database" | "search" | "searched service" | "unknown";

/** What the name says of a tool: that it is a database's, or that it searches, or searches a service that knows no SQL. */
export function toolKind(toolName: string): ToolKind {
  const words = wordsOf(toolName);
  const has = (set: ReadonlySet<string>): boolean => words.some((word) => set.has(word));
  if (has(DATABASE_WORDS) || has(MORE_DATABASES)) return "database";
  if (has(RUN_WORDS)) return "unknown";
  if (has(SEARCH_SERVICES)) return has(SEARCH_WORDS) ? "searched service" : "search";
  return has(SEARCH_WORDS) ? "search" : "unknown";
}

/** `name` in its plain spelling. */
export function isSpoken(name: string): boolean {
  return MORE_SPOKEN.has(name) || [...MORE_SPOKEN].some((word) => plainName(word) === name);
}

/** What is no removal in itself and may still do something: code, calls, functions of the server. */
const ACTING = [
  String.raw`select\b[\s\S]*?(?:\w\s*\(|\binto\s+[\w"'@#]|;)`,
  String.raw`with\s+(?:recursive\s+)?["\w]+\s*(?:\([^)]{0,500}\)\s*)?as\s*(?:not\s+)?(?:materialized\s*)?\(`,
  String.raw`call\s+["\w.]+\s*(?:\(|;)`,
  String.raw`exec(?:ute)?\s+(?:immediate\b|(?:\w+\.)*[sx]p_\w+|\(|@)`,
  String.raw`do\s+(?:\$|language\b|')`,
  String.raw`(?:begin|declare)\b[\s\S]*;`,
  String.raw`create\s+(?:or\s+(?:replace|alter)\s+)?(?:\w+\s+){0,3}(?:function|procedure|trigger|rule|event|task|user|role|login|extension|server|package|policy)\s+[\w".\[\]]+\s*(?:\(|;|$|as\b|before\b|after\b|instead\b|on\s+schedule|with\b|identified\b|from\b|for\s+each)`,
  String.raw`create\s+or\s+(?:replace|alter)\s+(?:\w+\s+){0,3}(?:table|view)\s+[\w".\[\]]+\s*(?:\(|as\b)`,
  String.raw`merge\s+(?:into\s+)?\S+[\s\S]*\susing\s`,
  String.raw`explain\s[\s\S]*\b(?:delete\s+from|update|insert\s+into|merge)\s`,
].join("|");
const ACTS = new RegExp(`^(?:${ACTING})`, "i");

/** A whole statement, not words that only begin like one. */
export function isWholeStatement(text: string): boolean {
  return isPlainStatement(text) || ACTS.test(text.trimStart());
}
