/** Cuts a script into single statements. Stands apart from the guard's own lexer on purpose: a fault of the one must not hide in the other. */

/**
 * @typedef {object} Ways How a script of one engine is written.
 * @property {boolean} [backslash] A backslash escapes in quotes.
 * @property {boolean} [dollar] `$tag$` quotes.
 * @property {boolean} [hash] `#` begins a comment.
 * @property {boolean} [brackets] `[..]` and back-ticks quote names.
 * @property {boolean} [triggers] The semicolons between CREATE TRIGGER and its END do not separate.
 * @property {string} [delimiter]
 */

/** @param {Ways} ways */
function tokenPattern({ backslash, dollar, hash, brackets }) {
  const inside = (quote) => (backslash ? `(?:[^${quote}\\\\]|\\\\[\\s\\S])*` : `[^${quote}]*`);
  const parts = [
    "--[^\\n]*",
    "/\\*[\\s\\S]*?\\*/",
    `'${inside("'")}'`,
    `"${inside('"')}"`,
    "`[^`]*`",
    ...(hash ? ["#[^\\n]*"] : []),
    ...(brackets ? ["\\[[^\\]]*\\]"] : []),
    ...(dollar ? ["(?<!\\w)\\$(\\w*)\\$[\\s\\S]*?\\$\\1\\$"] : []),
    "\\w+",
    "[\\s\\S]",
  ];
  return new RegExp(parts.join("|"), "gy");
}

/**
 * @param {string} text @param {Ways} ways
 * @returns {readonly string[]} Trimmed, without the delimiter, empty ones left out.
 */
export function splitScript(text, ways = {}) {
  const pattern = tokenPattern(ways);
  const delimiter = ways.delimiter ?? ";";
  const out = [];
  let from = 0;
  let body = 0;
  let words = "";
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const token = found[0];
    const end = pattern.lastIndex;
    if (/^\w/.test(token)) {
      if (words.length < 60) words += `${token.toUpperCase()} `;
      if (ways.triggers && /^CREATE (TEMP |TEMPORARY )?TRIGGER /.test(words))
        body = bodyDepth(body, token.toUpperCase());
    }
    if (token[0] !== delimiter[0] || !text.startsWith(delimiter, found.index) || body > 0) continue;
    out.push(text.slice(from, found.index));
    from = found.index + delimiter.length;
    pattern.lastIndex = Math.max(end, from);
    words = "";
  }
  out.push(text.slice(from));
  return out.map((one) => one.trim()).filter((one) => one !== "");
}

/** BEGIN and CASE open, END closes. */
function bodyDepth(depth, word) {
  if (word === "BEGIN" || (word === "CASE" && depth > 0)) return depth + 1;
  return word === "END" && depth > 0 ? depth - 1 : depth;
}
