/** Reads the packages' test scripts and gives single statements with their place. Judges none. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { splitScript } from "./split.mjs";

/** @typedef {{ source: string, file: string, dialect: string, sql: string, told?: string }} Text */

/**
 * @param {string} folder @param {RegExp} name
 * @returns {readonly { file: string, text: string }[]} In a fixed order; paths inside the package.
 */
export function filesOf(folder, name) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => name.test(file))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
}

/** psql scripts: its own commands and the rows behind COPY .. FROM STDIN are no SQL. */
export function readPostgres(folder) {
  return filesOf(folder, /\/sql\/.*\.sql$/).flatMap(({ file, text }) => {
    const plain = text
      .replace(/^(COPY\b[^;]*FROM\s+STDIN[^;]*;)[\s\S]*?^\\\.$/gim, "$1")
      .replace(/\\(g|gset|gexec|gdesc|crosstabview|gx|bind)\b[^\n]*$/gm, ";")
      .replace(/^\s*\\[^\n]*$/gm, "");
    return splitScript(plain, { dollar: true }).map((sql) => ({ file, dialect: "postgres", sql }));
  });
}

/** Braced texts handed to the database in Tcl; those with Tcl's own substitutions are left out. */
export function readSqlite(folder) {
  return filesOf(folder, /\/test\/[\w-]+\.test$/).flatMap(({ file, text }) => {
    const out = [];
    const call = /(?:execsql|catchsql|db eval|do_execsql_test\s+\S+|do_catchsql_test\s+\S+)\s+\{/g;
    for (let found = call.exec(text); found !== null; found = call.exec(text)) {
      const body = braced(text, call.lastIndex);
      if (body.length > 20_000) continue;
      for (const sql of splitScript(body, { triggers: true, brackets: true }))
        out.push({ file, dialect: "sqlite", sql });
    }
    return out;
  });
}

/** @param {string} text @param {number} from Just behind the opening brace. */
function braced(text, from) {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "{") depth += 1;
    else if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(from, at);
  }
  return "";
}

const MYSQLTEST =
  /^(?:let|eval|connect|connection|disconnect|source|if|while|end|inc|dec|echo|sleep|real_sleep|send|send_eval|reap|exit|skip|exec|system|perl|die|error|query|query_vertical|horizontal_results|vertical_results|sync_\w+|save_master_pos|wait_for\w*|enable_\w+|disable_\w+|replace_\w+|remove_\w+|write_file|append_file|cat_file|file_exists|copy_file|move_file|chmod|mkdir|rmdir|diff_files|list_files|result_format|sorted_result|character_set|dirty_close|change_user|ping|require|shutdown_server|output|start_timer|end_timer|evalp|optimizer_trace\w*|\{|\})\b|^[{}]/i;

/** mysqltest scripts: what is expected to fail, and what holds its variables, is left out. */
export function readMariadb(folder) {
  return filesOf(folder, /\/(main\/\w+\.test|include\/dbt3_s001\.inc)$/).flatMap(({ file, text }) =>
    delimitedParts(text).flatMap(({ part, delimiter }) =>
      splitScript(part, { backslash: true, hash: true, delimiter })
        .map((piece) => piece.replace(/^(?:\s*(?:#|--(?!\s*error))[^\n]*\n)+/gi, "").trim())
        .filter((sql) => !/^--\s*error/i.test(sql) && !/^(?:#|--)[^\n]*$/.test(sql))
        .filter((sql) => !MYSQLTEST.test(sql) && !/[$]|\n\s*(?:--\w|#)/.test(sql))
        .map((sql) => ({ file, dialect: "mysql", sql, told: /dbt3/.test(file) ? "everyday" : undefined })),
    ),
  );
}

/** `delimiter //;` changes what ends a statement from there on. */
function delimitedParts(text) {
  const pieces = text.split(/^[ \t]*(?:--\s*)?delimiter\s+(.*)$/im);
  let delimiter = ";";
  return pieces.flatMap((piece, index) => {
    if (index % 2 === 0) return [{ part: piece, delimiter }];
    const said = piece.trim();
    delimiter = said.endsWith(delimiter) ? said.slice(0, -delimiter.length) || ";" : said || ";";
    return [];
  });
}
