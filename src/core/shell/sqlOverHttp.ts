/** Finds SQL that a web client sends to a database's own HTTP door (ClickHouse, QuestDB, Databricks). Judges nothing. */
import { isPlainStatement } from "./plainStatement";

export const WEB_CLIENTS =
  /^(?:curl|curlie|wget|http|https|httpie|xh|xhs|invoke-restmethod|irm|invoke-webrequest|iwr)$/;

/** Names under which SQL is sent; `title` and `body` are for people. */
const SQL_KEY = /^(?:sql|query|queries|statement|statements|stmt|sql_query|querystring|q)$/i;
const MAX_DEPTH = 6;

/** Whole statements among the words: a body, a form field, a JSON value, a parameter of an address. */
export function sqlOverHttp(words: readonly string[]): readonly string[] {
  return words.flatMap(textsOf).filter(isPlainStatement);
}

function textsOf(word: string): readonly string[] {
  if (/^https?:\/\//i.test(word)) return parametersOf(word);
  const body = word.replace(/^(?:--[\w-]+=|-d)(?=\S)/, "");
  if (/^\s*[[{]/.test(body)) return jsonTexts(body);
  const field = /^([\w-]+):?=([\s\S]*)$/.exec(body);
  if (field !== null) return SQL_KEY.test(field[1] ?? "") ? [decoded(field[2] ?? "")] : [];
  return [body];
}

/** A search for "drop table" is a search. */
function parametersOf(address: string): readonly string[] {
  const at = address.indexOf("?");
  if (at < 0 || /search|\bq=/i.test(address.slice(0, at + 3))) return [];
  return address
    .slice(at + 1)
    .split("&")
    .flatMap((pair) => {
      const [key = "", ...value] = pair.split("=");
      return SQL_KEY.test(key) ? [decoded(value.join("="))] : [];
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

function jsonTexts(body: string): readonly string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return [];
  }
  const out: string[] = [];
  const walk = (value: unknown, named: "sql" | "other", depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (typeof value === "string") {
      if (named === "sql") out.push(value);
    } else if (Array.isArray(value)) for (const item of value) walk(item, named, depth + 1);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value))
        walk(item, SQL_KEY.test(key) ? "sql" : "other", depth + 1);
  };
  walk(parsed, "other", 0);
  return out;
}
