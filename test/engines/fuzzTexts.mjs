/** Makes seeded texts that look like SQL to one engine and like a string or a comment to another. Knows no engine. */

/** @param {number} seed @returns {() => number} */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Run everywhere and hold no quote that would change what stands around them. */
const PLAIN_PAYLOADS = ["DELETE FROM t", "DROP TABLE t", "UPDATE t SET b = 7", "DELETE FROM u WHERE a = 1"];
const PAYLOADS = [
  "DELETE FROM t",
  "delete from t where a = 1",
  "DELETE FROM t RETURNING *",
  "DROP TABLE t",
  "DROP TABLE IF EXISTS t CASCADE",
  "UPDATE t SET b = 'y'",
  "UPDATE t SET b = b + 1",
  "TRUNCATE t",
  "TRUNCATE TABLE t",
  "ALTER TABLE t RENAME TO t9",
  "ALTER TABLE t DROP COLUMN b",
  "REPLACE INTO t VALUES (1, 7)",
  "INSERT INTO t VALUES (1, 7) ON CONFLICT (a) DO UPDATE SET b = 7",
  "INSERT INTO t VALUES (1, 7) ON DUPLICATE KEY UPDATE b = 7",
  "INSERT OR REPLACE INTO t VALUES (1, 7)",
  "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
  "WITH x AS (SELECT 1) DELETE FROM t",
  "EXPLAIN ANALYZE DELETE FROM t",
  "CREATE OR REPLACE TABLE t (a int)",
  "EXECUTE IMMEDIATE 'DELETE FROM t'",
  "DO $x$ BEGIN DELETE FROM t; END $x$",
  "SELECT wipe()",
  "SELECT query_to_xml('delete from t returning 1', true, true, '')",
  "MERGE INTO t USING (SELECT 1 AS k) s ON t.a = s.k WHEN MATCHED THEN DELETE",
  "RENAME TABLE t TO t9",
  "PREPARE p FROM 'DELETE FROM t'; EXECUTE p",
  "PREPARE p AS DELETE FROM t; EXECUTE p",
  "COPY (DELETE FROM t RETURNING 1) TO STDOUT",
];

/** What opens and what closes a string, a name or a comment somewhere. */
const PAIRS = [
  ["'", "'"],
  ["'", "'"],
  ['"', '"'],
  ["`", "`"],
  ["[", "]"],
  ["/*", "*/"],
  ["/* ", " */"],
  ["--", "\n"],
  ["-- ", "\n"],
  ["--", "\r"],
  ["#", "\n"],
  ["//", "\n"],
  ["$$", "$$"],
  ["$a$", "$a$"],
  ["$é$", "$é$"],
  ["E'", "'"],
  ["e'", "'"],
  ["U&'", "'"],
  ["N'", "'"],
  ["x'", "'"],
  ["_utf8'", "'"],
  ["/*!", "*/"],
  ["/*!50000 ", "*/"],
  ["/*!99999 ", "*/"],
  ["/*M!", "*/"],
  ["q'[", "]'"],
  ["r'", "'"],
  ["'''", "'''"],
  ['"""', '"""'],
  ["{", "}"],
  ["(", ")"],
  ["@x(", ")"],
  ["$x(", ")"],
  [":x(", ")"],
  ["@'", "'"],
  ["@`", "`"],
];

const BITS = [
  "'",
  "''",
  '"',
  '""',
  "`",
  "``",
  "[",
  "]",
  "]]",
  "\\",
  "\\\\",
  "\\'",
  '\\"',
  "--",
  "-- ",
  "--\n",
  "#",
  "//",
  "/*",
  "*/",
  "/*/",
  "$$",
  "$a$",
  "$",
  ";",
  ";",
  "; ",
  "\n",
  "\r",
  "\r\n",
  "\t",
  "\v",
  "\f",
  " ",
  " ",
  "\u00a0",
  "\u0085",
  "\u2028",
  "\u3000",
  "\ufeff",
  "\0",
  "(",
  ")",
  ",",
  ".",
  "1",
  "1.",
  "1e",
  "0x1",
  "a",
  "@",
  "@a",
  "@@",
  "?",
  "$1",
  ":a",
  "::text",
  "{",
  "}",
  "\\G",
  "\\g",
  "\\N",
  "\nGO\n",
  "\n/\n",
  "\n",
  "E",
  "N",
  "é",
  " UNION ",
  " OR ",
  " AS x",
];

const HEADS = [
  "SELECT ",
  "SELECT ",
  "SELECT 1",
  "SELECT 1, ",
  "SELECT 1 AS ",
  "SELECT 1 FROM t WHERE b = ",
  "SELECT * FROM t ",
  "SELECT * FROM t WHERE a IN (1) AND b <> ",
  "INSERT INTO t VALUES (90, 1) ",
  "INSERT INTO u VALUES (",
  "WITH x AS (SELECT 1) SELECT ",
  "WITH x AS (",
  "EXPLAIN ",
  "EXPLAIN ANALYZE ",
  "VALUES (1) ",
  "CREATE TABLE z (a int) ",
  "CREATE VIEW z AS SELECT ",
  "BEGIN; ",
  "SELECT 1 FROM t FOR ",
  "SHOW ",
  "DESCRIBE ",
  "USE ",
  "",
  "",
  "",
];

const GLUE = [
  "",
  "",
  " ",
  ";",
  "; ",
  ";\n",
  ", ",
  " || ",
  "\n",
  " AS x;",
  " AS x; ",
  ")",
  ";;",
  " -- ",
  ".",
  "::",
];

const OPENINGS = [
  "SELECT ",
  "SELECT ",
  "SELECT 1, ",
  "SELECT 1 ",
  "SELECT 1 AS ",
  "SELECT a FROM t WHERE b = ",
  "SELECT 1 FROM t ",
  "INSERT INTO u VALUES (1, 2); SELECT ",
  "SELECT 1; ",
  "",
];
const ESCAPES = [
  "",
  "x",
  "\\",
  "\\",
  "\\\\",
  "\\'",
  "''",
  "'",
  '"',
  '\\"',
  "*/",
  "/*",
  "/*/",
  "\n",
  "\r",
  "--",
  "-- ",
  "#",
];
const MORE_ESCAPES = [
  "$$",
  "$a$",
  "]",
  "]]",
  "`",
  "``",
  "]'",
  "'\n'",
  "' '",
  "\\\n",
  "\0",
  "\u00a0",
  "{",
  "}",
  ")",
  "(",
];
const ENDS = [
  "",
  "",
  ";",
  "; ",
  " --",
  " -- ",
  "; -- ",
  " /*",
  " #",
  "; SELECT ",
  "; SELECT '",
  " -- '",
  " /* */",
  "\n",
];
const BEFORE = [";", "; ", ";\n", "; ", "\n;", "\n", "; SELECT 1; ", " AS x; ", ", 1; "];

/** @param {() => number} random */
export function sqlText(random) {
  const shape = random();
  if (shape < 0.15) return freeMix(random);
  if (shape < 0.3)
    return (
      one(HEADS, random) + contained(random, { parts: 1 + int(random, 3), depth: 0 }) + one(GLUE, random)
    );
  return crafted(random);
}

/** A payload that stands within a string or comment to one reader and behind it to another. @param {() => number} random */
function crafted(random) {
  const [open, close] = random() < 0.4 ? one(PLAIN_PAIRS, random) : one(PAIRS, random);
  let text = one(OPENINGS, random) + open;
  for (let left = int(random, 3); left > 0; left -= 1)
    text += one(random() < 0.7 ? ESCAPES : MORE_ESCAPES, random);
  if (random() < 0.6) text += close;
  text += one(BEFORE, random) + payload(random) + one(ENDS, random);
  if (random() < 0.4) text += close;
  return random() < 0.2 ? text + one(BITS, random) : text;
}

const PLAIN_PAIRS = [
  ["'", "'"],
  ['"', '"'],
  ["/*", "*/"],
  ["-- ", "\n"],
  ["E'", "'"],
  ["`", "`"],
  ["$$", "$$"],
];

/** @param {() => number} random */
function freeMix(random) {
  let text = one(HEADS, random);
  for (let left = 2 + int(random, 7); left > 0; left -= 1)
    text += random() < 0.25 ? payload(random) : random() < 0.3 ? one(GLUE, random) : one(BITS, random);
  return text;
}

/** @param {() => number} random @param {{ parts: number, depth: number }} shape @returns {string} */
function contained(random, { parts, depth }) {
  let text = "";
  for (let part = 0; part < parts; part += 1) {
    const [open, close] = one(PAIRS, random);
    text += open + inside(random, depth) + (random() < 0.9 ? close : "") + one(GLUE, random);
    if (random() < 0.3) text += payload(random) + one(GLUE, random);
  }
  return text;
}

/** @param {() => number} random @param {number} depth */
function inside(random, depth) {
  let text = "";
  for (let left = int(random, 4); left > 0; left -= 1) {
    const kind = random();
    if (kind < 0.45) text += one(BITS, random);
    else if (kind < 0.75) text += one(GLUE, random) + payload(random) + one(GLUE, random);
    else if (depth < 2) text += contained(random, { parts: 1, depth: depth + 1 });
    else text += "x";
  }
  return text;
}

/** A payload, at times with a comment for a blank or in another case. @param {() => number} random */
function payload(random) {
  const text = random() < 0.5 ? one(PLAIN_PAYLOADS, random) : one(PAYLOADS, random);
  const kind = random();
  if (kind < 0.75) return text;
  if (kind < 0.9)
    return text.replaceAll(" ", () => one(["/**/", "\n", "\t", " ", "/*!*/", "--\n", "\f"], random));
  return text.toLowerCase();
}

/** @template T @param {readonly T[]} list @param {() => number} random @returns {T} */
function one(list, random) {
  return list[int(random, list.length)];
}

/** @param {() => number} random @param {number} below */
function int(random, below) {
  return Math.floor(random() * below);
}
