/** Finds SQL that a web client sends to a database's own HTTP door (ClickHouse, QuestDB, rqlite, Databricks). Judges nothing. */
import type { Argv } from "./clientArguments";
import type { SimpleCommand } from "./command";
import { type CommandSql, hidden } from "./commandSql";
import { isPlainStatement } from "./plainStatement";
import { given, seenTexts } from "./unknownPrograms";

export const WEB_CLIENTS =
  /^(?:curl|curlie|wget|http|https|httpie|xh|xhs|invoke-restmethod|irm|invoke-webrequest|iwr)$/;

/** Names under which SQL is sent; `title` and `body` are for people. */
const SQL_KEY = /^(?:sql|query|queries|statement|statements|stmt|sql_query|querystring|q)$/i;
const MAX_DEPTH = 6;

/** Whole statements among the words: a body, a form field, a JSON value, a parameter of an address. */
export function sqlOfWebClient(name: string, argv: Argv, command: SimpleCommand): CommandSql[] {
  const texts = sqlOverHttp(seenTexts(argv, command));
  // ClickHouse's own: no dialect of the judge has it.
  const own = texts
    .filter((text) => /^\s*system\s/i.test(text))
    .map((text) => hidden(name, "unknown", { text, why: "SYSTEM acts on the server itself." }));
  const found = [...given(name, texts), ...own];
  const why = "A variable stands in a statement that changes data.";
  const open = sqlOverHttp(writtenWords(argv, command)).map((text) => hidden(name, "unknown", { text, why }));
  return [...found, ...open];
}

function sqlOverHttp(words: readonly string[]): readonly string[] {
  return words.flatMap(textsOf).filter(isPlainStatement);
}

/** Words with a variable in them, as they are written, without their quotes. */
function writtenWords(argv: Argv, command: SimpleCommand): readonly string[] {
  const from = command.words.length - argv.length;
  return argv.flatMap((word, at) => {
    const raw = word === null ? command.words[from + at] : undefined;
    if (raw === undefined || !raw.includes("$")) return [];
    return raw
      .replace(/\\(["$`\\])/g, (_, char: string) => (char === '"' ? "\u0000" : char))
      .replaceAll('"', "")
      .replaceAll("\u0000", '"');
  });
}

function textsOf(word: string): readonly string[] {
  if (/^(?:https?:\/\/|[\w.-]*:\d+\/|[\w.-]+\/)\S*\?/i.test(word)) return parametersOf(word);
  const body = word.replace(/^(?:--[\w-]+=|-d)(?=\S)/, "");
  if (/^\s*[[{]/.test(body)) return jsonTexts(body);
  const field = /^([\w-]+):?={1,2}([\s\S]*)$/.exec(body);
  if (field !== null) return SQL_KEY.test(field[1] ?? "") ? [decoded(field[2] ?? "")] : [];
  return [body];
}

/** A search for "drop table" is a search; a database's door for `q` is called otherwise. */
function parametersOf(address: string): readonly string[] {
  const at = address.indexOf("?");
  const asked = /\/(?:query|exec|execute|write|imp|sql)$/i.test(address.slice(0, at));
  return address
    .slice(at + 1)
    .split("&")
    .flatMap((pair) => {
      const [key = "", ...value] = pair.split("=");
      return SQL_KEY.test(key) && (asked || key.toLowerCase() !== "q") ? [decoded(value.join("="))] : [];
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
  // A bare list of texts is a list of statements where it is one at all.
  walk(parsed, Array.isArray(parsed) ? "sql" : "other", 0);
  return out;
}
