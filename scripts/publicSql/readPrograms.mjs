/** Reads the SQL that programs carry: schema files, queries in settings and in test code. Judges none. */
import { filesOf } from "./readScripts.mjs";
import { splitScript } from "./split.mjs";

const ENGINES = {
  mssql: "tsql",
  sqlServer: "tsql",
  oracle: "oracle",
  mysql: "mysql",
  postgresql: "postgres",
  postgres: "postgres",
  sqlite: "sqlite",
};

/** SQL*Plus and isql end statements by a line with a slash or GO. */
function statementsOf(text, dialect) {
  const lines = text
    .replace(/^\s*(?:GO|\/|COMMIT WORK)\s*;?\s*$/gim, ";\n")
    .replace(/^(?:USE|SET ECHO|PROMPT|EXIT|@|\.).*$/gim, "");
  return splitScript(lines, {
    backslash: dialect === "mysql",
    dollar: dialect === "postgres",
    brackets: dialect === "tsql",
    hash: dialect === "mysql",
  });
}

/** Schemas, and queries as `name = "SELECT .."` with the server's own variables in them. */
export function readFreeradius(folder) {
  return filesOf(folder, /\/(mssql|oracle|mysql|postgresql|sqlite)\/[\w/-]+\.(sql|conf)$/).flatMap(
    ({ file, text }) => {
      const dialect = ENGINES[/\/(mssql|oracle|mysql|postgresql|sqlite)\//.exec(file)?.[1] ?? ""];
      if (/procedure|process-/.test(file)) return [];
      const texts = file.endsWith(".sql") ? statementsOf(text, dialect) : quotedValues(text);
      return texts.map((sql) => ({ file, dialect, sql }));
    },
  );
}

/** Values that begin as SQL does; `${..}` is a table or column name in the configuration. */
function quotedValues(text) {
  const plain = text.replace(/^\s*#.*$/gm, "");
  return [...plain.matchAll(/=\s*"((?:[^"\\]|\\[\s\S])*)"/g)]
    .map((found) => (found[1] ?? "").replace(/\\\n/g, "\n").replace(/\\(["'])/g, "$1"))
    .map((sql) => sql.replace(/\$\{(?:\.*)?([\w.-]+)\}/g, (_, name) => name.replace(/\W/g, "_")).trim())
    .filter((sql) => /^(select|insert|update|delete)\b/i.test(sql) && !/%\{(?!SQL|[A-Z])|\$\{/.test(sql));
}

export function readQuartz(folder) {
  return filesOf(folder, /tables_(sqlServer|oracle|mysql|mysql_innodb|postgres)\.sql$/).flatMap(
    ({ file, text }) => {
      const dialect = ENGINES[/tables_([a-zA-Z]+)/.exec(file)?.[1] ?? ""];
      return statementsOf(text.replace(/\[enter_db_name_here\]/g, "scheduler"), dialect).map((sql) => ({
        file,
        dialect,
        sql,
      }));
    },
  );
}

const STARTS =
  /^\s*(select|with|insert|update|delete|merge|create|drop|alter|truncate|begin|declare|call|grant|set|exec|lock|explain|comment)\s/i;

/** SQL*Plus scripts, and texts in the library's test code. */
export function readOracle(folder) {
  const scripts = filesOf(folder, /\/sql\/\w+\.sql$/).flatMap(({ file, text }) =>
    text
      .replace(/\/\*[\s\S]*?\*\//g, "")
      .split(/^\s*\/\s*$/m)
      .map((sql) => ({ file, dialect: "oracle", sql: sql.trim() })),
  );
  const tests = filesOf(folder, /\.py$/).flatMap(({ file, text }) =>
    [
      ...text.matchAll(
        /"""([\s\S]*?)"""|"((?:select|insert|update|delete|truncate|begin|create|drop)\s[^"\n]*)"/gi,
      ),
    ].map((found) => ({
      file,
      dialect: "oracle",
      sql: (found[1] ?? found[2] ?? "").trim(),
    })),
  );
  return [...scripts, ...tests]
    .map((one) => ({ ...one, sql: one.sql.replace(/&(\w+)\.?/g, "$1") }))
    .filter(
      ({ sql }) => STARTS.test(sql) && !/[{}]|%[sd]|_user\b.*_user\b/.test(sql) && !sql.includes("\\n"),
    );
}

/** Texts in the driver's test code; those of its placeholder scanner are fragments that no server is sent. */
export function readTsql(folder) {
  return filesOf(folder, /(?<!parser)_test\.go$/).flatMap(({ file, text }) =>
    [...text.matchAll(/`([^`]*)`|"((?:[^"\\\n]|\\.)*)"/g)]
      .map((found) => (found[1] ?? found[2]?.replace(/\\n/g, "\n").replace(/\\(.)/g, "$1") ?? "").trim())
      .filter((sql) => STARTS.test(sql) && !/%[vsdq+]/.test(sql))
      .map((sql) => ({ file, dialect: "tsql", sql })),
  );
}
