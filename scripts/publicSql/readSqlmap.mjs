/** Renders the texts of an attack tool as a person would send them. Judges none; tells what the tool says a text is for. */
import { filesOf } from "./readScripts.mjs";

const ENGINES = {
  MySQL: "mysql",
  PostgreSQL: "postgres",
  "Microsoft SQL Server": "tsql",
  "Microsoft SQL Server/Sybase": "tsql",
  Oracle: "oracle",
  SQLite: "sqlite",
};
const PLACES = {
  INFERENCE: "3=3",
  SLEEPTIME: "5",
  RANDNUM: "71",
  ORIGVALUE: "1",
  GENERIC_SQL_COMMENT: "-- a",
  DELIMITER_START: "qa",
  DELIMITER_STOP: "qz",
  RANDSTR: "abcd",
  QUERY: "SELECT 1",
};

const decode = (text) =>
  text.replace(
    /&(lt|gt|amp|quot|apos);/g,
    (_, name) => ({ lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" })[name],
  );

function render(text) {
  return decode(text)
    .replace(/\[([A-Z_]+?)\d*\]/g, (whole, name) => PLACES[name] ?? whole)
    .replace(/%(?:[A-Z]+\d*)%/g, "abc");
}

const inner = (xml, tag) => new RegExp(String.raw`<${tag}>([\s\S]*?)</${tag}>`).exec(xml)?.[1] ?? "";

/** Those that stack a statement behind a query, or make the server wait; a "heavy query" only reads. */
function payloads(folder) {
  return filesOf(folder, /payloads\/(stacked_queries|time_blind)\.xml$/).flatMap(({ file, text }) =>
    text
      .split("<test>")
      .slice(1)
      .flatMap((test) => {
        const dialect = ENGINES[inner(test, "dbms")];
        if (dialect === undefined || /heavy/i.test(inner(test, "title"))) return [];
        const texts = [inner(test, "payload"), inner(test, "vector")].map((part) =>
          render(part + inner(inner(test, "request"), "comment")),
        );
        return texts
          .filter((part) => part !== "" && !/\[[A-Z]+/.test(part))
          .map((part) => ({
            file,
            dialect,
            sql: `SELECT name FROM users WHERE id=1${/^[;,]/.test(part) ? "" : " "}${part}`,
            told: "attack",
          }));
      }),
  );
}

/** Procedures sent to take over the server. */
function procedures(folder) {
  const names = { mysql: "mysql", oracle: "oracle", mssqlserver: "tsql", postgresql: "postgres" };
  return filesOf(folder, /procs\/\w+\/\w+\.sql$/).map(({ file, text }) => ({
    file,
    dialect: names[/procs\/(\w+)\//.exec(file)?.[1] ?? ""],
    sql: (/^limit/i.test(text) ? "SELECT name FROM users " : "") + render(text.replace(/^#.*$/gm, "")).trim(),
    told: "attack",
  }));
}

/** What the tool asks to list users, tables and columns: reads only. */
function enumerations(folder) {
  return filesOf(folder, /xml\/queries\.xml$/).flatMap(({ file, text }) =>
    text
      .split("<dbms value=")
      .slice(1)
      .flatMap((part) => {
        const dialect = ENGINES[/^"([^"]*)"/.exec(part)?.[1] ?? ""];
        if (dialect === undefined) return [];
        return [...part.matchAll(/(?:query\d?|count\d?)="(SELECT [^"]* FROM [^"]*)"/g)].map((found) => ({
          file,
          dialect,
          sql: decode(found[1] ?? "")
            .replace(/'%s'/g, "'public'")
            .replace(/%s/g, "items")
            .replace(/%d/g, "3"),
          told: "reads",
        }));
      }),
  );
}

export function readSqlmap(folder) {
  return [...payloads(folder), ...procedures(folder), ...enumerations(folder)];
}
