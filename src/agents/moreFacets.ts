/** What a tool's name says of its arguments beyond the tables: sources that are read, code of cells, paths under any name. Judges nothing. */
import {
  type Args,
  type CommandFacet,
  type Facets,
  isPlainObject,
  type PathFacet,
  type Shell,
} from "../core/call";
import { holdsSecrets } from "../core/paths/credentialGuess";
import { commandPathFacets } from "./commandFacets";
import { cellCommands, deleteCommands } from "./guessedCommands";
import { cellTexts } from "./notebookText";
import { protoFacets } from "./pathFacets";
import { PATH_ARGS, plainName, SPOKEN_ARGS, wordsOf } from "./toolTables";

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

const CELL_TOOLS = list("edit_notebook_file NotebookEdit notebookedit");
/** What such a tool is given it reads, whatever else it does. */
const CARRIES = list(
  "copy cp duplicate clone upload import attach send zip archive compress tar export publish backup share convert",
);
const SOURCE = /^(?:source|src|from|input|old|local|file|path|attach)/;
const TARGET = /^(?:dest|dst|to|target|new|output|out|archive)/;
/** Words of a tool that works with files. */
const FILE_WORDS = list(
  "file files filesystem fs dir directory folder folders document documents disk path paths",
);
/** Texts of their own; they may speak of files. */
const TEXTS = list(
  `content contents text body query pattern regex regexp oldstring newstring oldstr newstr oldtext newtext filetext newsource
   newcode code html markdown data value values url urls uri link selector xpath route endpoint search find`,
);
const MAX_DEPTH = 8;

interface Call {
  readonly toolName: string;
  readonly known: boolean;
  readonly shell: Shell;
}

export function moreFacets(call: Call, args: Args, base: Facets): Facets {
  const { toolName, shell } = call;
  const inCommands = new Set(base.commands.map(({ arg }) => arg));
  const own = base.paths.filter(({ arg }) => !inCommands.has(arg));
  const words = wordsOf(toolName);
  const commands: readonly CommandFacet[] = [
    ...(CELL_TOOLS.has(toolName) ? cellCommands(args, shell) : []),
    ...deleteCommands(toolName, own, shell),
  ];
  const found = commandPathFacets(commands);
  const carried = words.some((word) => CARRIES.has(word)) ? carriedFiles(args, own) : [];
  const others = call.known ? [] : unnamed(args, words, own);
  return {
    ...base,
    commands: [...base.commands, ...commands],
    paths: [...base.paths, ...carried, ...others, ...found.paths, ...protoFacets(args)],
    sql: [...base.sql, ...found.sql, ...cellSql(call, args)],
  };
}

/** `%sql DROP TABLE a`, `%%sql` and its kind in the code of a cell; a file that is only written runs nothing. */
function cellSql({ toolName, known }: Call, args: Args): Facets["sql"] {
  if (known && !CELL_TOOLS.has(toolName)) return [];
  return Object.entries(args).flatMap(([arg, value]) => {
    if (!/^(?:newcode|newsource|source|code|cell|cellsource|cellcontent|script)$/.test(plainName(arg)))
      return [];
    const text = Array.isArray(value) ? value.join("\n") : value;
    if (typeof text !== "string" || !/^\s*%%?\w/m.test(text)) return [];
    return cellTexts(text, "python3").sql.map((sql) => ({ arg, text: sql }));
  });
}

/** `copy_file` with `src`: under another name it could be read without a word. */
function carriedFiles(args: Args, own: readonly PathFacet[]): readonly PathFacet[] {
  const named = own.filter(({ arg, access }) => access === "write" && !TARGET.test(lastName(arg)));
  const others = Object.entries(args).flatMap(([arg, value]) =>
    typeof value === "string" &&
    SOURCE.test(plainName(arg)) &&
    !PATH_ARGS.has(plainName(arg)) &&
    isPath(value)
      ? [{ arg, path: value, strict: false }]
      : [],
  );
  return [...named, ...others].map(
    ({ arg, path }): PathFacet => ({ arg, path, access: "read", strict: false, guessed: true }),
  );
}

const lastName = (arg: string): string => plainName(arg.split(".").at(-1) ?? arg);

/** A tool that works with files takes them under any name; of others only files of secrets are told from texts. */
function unnamed(args: Args, words: readonly string[], own: readonly PathFacet[]): readonly PathFacet[] {
  const isFileTool = words.some((word) => FILE_WORDS.has(word));
  const writes =
    own.some(({ access }) => access === "write") ||
    /write|create|edit|save|delete|move|append/.test(words.join(" "));
  const seen = new Set(own.map(({ path }) => path));
  return textsIn("", args, 0).flatMap(({ arg, text }): readonly PathFacet[] => {
    if (seen.has(text) || !isPath(text)) return [];
    if (!isFileTool && !holdsSecrets(text)) return [];
    return [
      { arg, path: text, access: isFileTool && writes ? "write" : "read", strict: false, guessed: true },
    ];
  });
}

interface Text {
  readonly arg: string;
  readonly text: string;
}

function textsIn(arg: string, value: unknown, depth: number): readonly Text[] {
  const name = lastName(arg);
  if (TEXTS.has(name) || (SPOKEN_ARGS.has(name) && name !== "name" && name !== "title")) return [];
  if (typeof value === "string") return [{ arg, text: value }];
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(arg, item, depth + 1));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    textsIn(arg === "" ? key : `${arg}.${key}`, inner, depth + 1),
  );
}

/** A text that can hardly be anything else: from the root, the home folder or the folder above, or a file of secrets. */
function isPath(text: string): boolean {
  if (text.length > 1024 || /[\n\r]/.test(text) || text === "") return false;
  if (/^(?:~|\.\.?)[/\\]|^\.\.$|^[a-z]:[/\\]|^\\\\\w/i.test(text)) return true;
  if (/^\/(?!\/)\S/.test(text)) return true;
  return !/\s/.test(text) && !/^[a-z][\w+.-]*:\/\//i.test(text) && holdsSecrets(text);
}
