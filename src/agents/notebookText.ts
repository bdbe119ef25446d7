/** What a notebook's cell hands to a shell, to a database, to another interpreter, and to its own. Judges nothing. */

export interface CellTexts {
  /** In shell. */
  readonly commands: readonly string[];
  readonly sql: readonly string[];
}

/** A cell of these is a text of the shell. */
const SHELL_CELL = /^%%(?:(?:ba|z|k|da)?sh(?:ell)?|system|sx|!)(?![\w-])(.*)$/;
/** `%%script bash` names a program that is given the cell. */
const OTHER_CELL = /^%%(script\s+)?([\w./-]+)(.*)$/;
/** Cells of other programs, by their magic. */
const PROGRAMS: Readonly<Record<string, string>> = {
  perl: "perl",
  ruby: "ruby",
  python: "python3",
  python2: "python2",
  python3: "python3",
  pypy: "pypy",
  node: "node",
  powershell: "pwsh",
  pwsh: "pwsh",
};
/** A cell of these is text of its own kind, and runs nothing here. */
const SHOWN = /^(?:html|markdown|latex|svg|javascript|js|css|mermaid|R)$/;
const SQL_MAGIC = /^%{1,2}(?:\w*sql|bigquery|bq|duckdb|trino|athena|snowflake)\b(.*)$/i;
const LINE = /^\s*(?:[\w,\s[\]]+=\s*)?(?:!!?|%(?:sx|system|sc)\s)(.*)$/;
/** Magics in front of what they measure or run. */
const IN_FRONT = /^\s*%(?:time|timeit|prun|memit|mprun|lprun)\b(?:\s+-\w+(?:\s+\d+)?)*\s+(?=[!%])/;
/** Programs that have a magic of their own name. */
const ALIAS =
  /^\s*%((?:rm|rmdir|mv|cp|cat|ls|ll|ldir|mkdir|less|more|man|pip|pip3|conda|mamba|micromamba|uv|git|cd|pushd)\b.*)$/;
const RUNS_FILE = /^\s*%run\s+(?:-[nidetmGp]\s+)*(.*)$/;

/** `interpreter` is the program of the cell's own language. */
export function cellTexts(text: string, interpreter: string): CellTexts {
  const lines = text.replaceAll(/\\\r?\n/g, " ").split(/\r?\n/);
  const at = lines.findIndex((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  const head = (lines[at] ?? "").trim();
  const body = lines.slice(at + 1).join("\n");
  return head.startsWith("%%") ? ofCell(head, body, interpreter) : ofLines(lines, interpreter);
}

function ofCell(head: string, body: string, interpreter: string): CellTexts {
  if (SHELL_CELL.test(head)) return { commands: [body], sql: [] };
  const sql = SQL_MAGIC.exec(head);
  if (sql !== null) return { commands: [], sql: sqlIn([sql[1] ?? "", body].join("\n")) };
  const [, script, named = "", rest = ""] = OTHER_CELL.exec(head) ?? [];
  const file = /^(?:writefile|file)$/.test(named) ? rest.trim().split(/\s+/).at(-1) : undefined;
  if (file !== undefined && file !== "")
    return { commands: [`cat > ${quoted(file)} ${heredoc(body)}`], sql: [] };
  const program =
    script === undefined ? (Object.hasOwn(PROGRAMS, named) ? PROGRAMS[named] : undefined) : `${named}${rest}`;
  if (program !== undefined) return { commands: [`${program} ${heredoc(body)}`], sql: [] };
  if (SHOWN.test(named)) return { commands: [], sql: [] };
  if (named === "cmd") return { commands: body.split("\n"), sql: [] };
  // `%%time`, `%%capture` and what nobody knows: the cell's own language.
  return cellTexts(body, interpreter);
}

function ofLines(lines: readonly string[], interpreter: string): CellTexts {
  const commands: string[] = [];
  const sql: string[] = [];
  const rest: string[] = [];
  for (const own of lines) {
    const line = own.replace(IN_FRONT, "");
    const found = LINE.exec(line)?.[1] ?? ALIAS.exec(line)?.[1];
    const magic = SQL_MAGIC.exec(line.trim());
    const file = RUNS_FILE.exec(line)?.[1];
    if (found !== undefined) commands.push(found);
    else if (file !== undefined) commands.push(`${interpreter} ${file}`);
    else if (magic !== null) sql.push(...sqlIn(magic[1] ?? ""));
    else if (!/^\s*%/.test(line)) rest.push(line);
  }
  const code = rest.join("\n");
  return { commands: [...commands, ...(code.trim() === "" ? [] : [`${interpreter} ${heredoc(code)}`])], sql };
}

/** Without options, the name that takes the result, and the address of the database. */
function sqlIn(text: string): readonly string[] {
  const own = text
    .replace(/^(?:\s+--?[\w-]+(?:[= ](?!--)[^\s;]+)?(?=\s))*/, "")
    .replace(/^\s*[\w-]+\s*<</, "")
    .replace(/^\s*(?:[\w+]+:\/\/\S*|@\w+)/, "")
    .trim();
  return own === "" ? [] : [own];
}

function heredoc(body: string): string {
  let mark = "CELL_TEXT";
  while (body.includes(mark)) mark += "_";
  return `<<'${mark}'\n${body}\n${mark}\n`;
}

function quoted(word: string): string {
  return `'${word.replace(/^(['"])(.*)\1$/, "$2").replaceAll("'", "'\\''")}'`;
}
