/** Tool and argument names of the agents, as data: what each tool does with files, commands and SQL. */

export interface ToolRow {
  /** The common name; absent = the raw name. */
  readonly canonical?: string;
  /** What it does with every argument of `PATH_ARGS`; absent = it names no file. */
  readonly access?: "read" | "write";
  /** Outside the roots the call is denied, never asked: the tools of the hook-chain document. */
  readonly strict?: true;
  /** Arguments that hold shell text (or an argument vector). */
  readonly commands?: readonly string[];
  /** Argument that holds the folder the command starts in. */
  readonly folder?: readonly string[];
  /** Arguments that hold a search pattern which may begin with a folder. */
  readonly globs?: readonly string[];
  /** Its texts, whatever they are called, hold a patch. */
  readonly patch?: true;
  readonly sql?: readonly string[];
  /** "read" when the tool is known to change nothing at all. */
  readonly effect?: "read" | "write";
}

/** The one spelling of an argument's name: `filePath`, `file_path` and `FILE-PATH` are `filepath`. */
export const plainName = (name: string): string => name.replace(/[_-]/g, "").toLowerCase();

const plainNames = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/));

/** Names under which a file tool takes its file. */
export const PATH_ARGS = plainNames(`
  filepath filepaths path paths file files filename filenames dirpath directory directories dir folder
  folderpath absolutepath relativepath relativeworkspacepath notebookpath targetfile targetdirectory targetpath
  source destination src dst oldpath newpath frompath topath sourcepath destinationpath outputpath inputpath
  uri fileuri fspath resourcepath`);

/** In these an object, or a text that is no path, is common and harmless. */
export const LOOSE_PATH_ARGS = plainNames("file files source destination src dst folder dir uri fileuri");

export const COMMAND_ARGS = [
  "command",
  "cmd",
  "script",
  "commands",
  "shell_command",
  "commandLine",
  "command_line",
  "argv",
] as const;
/** Names under which a tool takes SQL, in their plain spelling. */
export const SQL_ARGS = plainNames(
  "sql sqls sqlquery sqlqueries sqlstatement sqlstatements sqltext sqlstring sqlscript sqlcommand sqlcommands sqlcode rawsql " +
    "inlinesql sqlcl plsql tsql psql pgsql ddl dml " +
    "statement statements stmt query queries querytext querystring rawquery",
);

/** Under these a text is SQL only when it reads like it: they name searches and remarks as well. */
export const MAYBE_SQL = /^(?:quer|statement|stmt|rawquery)/;

const DATABASE_WORDS = plainNames(
  "db database databases dbs postgres postgresql pg mysql mariadb sqlite sqlite3 duckdb mssql sqlserver oracle " +
    "bigquery bq snowflake redshift databricks clickhouse cockroach cockroachdb supabase neon planetscale turso libsql d1 " +
    "athena trino presto hive warehouse timescale tidb spanner alloydb cloudsql rds aurora cassandra scylla cql questdb vertica " +
    "greenplum teradata db2 firebird hana synapse yugabyte singlestore memsql exasol monetdb cratedb motherduck rdbms jdbc odbc " +
    "dbhub dbeaver datagrip prisma pgadmin phpmyadmin",
);

/** No database's, or of tools that only read the text. */
const NO_SQL = /^(?:nosql|esql|sqlfluff|sqlfmt|sqlparse|sqlglot)$/;

/** A word of a tool's name that speaks of a database: `pg`, `mysql2`, `sqlcl`. */
export function isDatabaseWord(word: string): boolean {
  return DATABASE_WORDS.has(word) || (word.includes("sql") && !NO_SQL.test(word));
}

/** Text for people: a title that begins with "Drop" is no statement. */
export const SPOKEN_ARGS = plainNames(
  "title description explanation goal reason message comment comments summary subject note notes label labels name " +
    "prompt question instructions rationale purpose",
);

/** The words of a tool's name: `mcp_shop_runQuery` → mcp, shop, run, query. */
export function wordsOf(toolName: string): readonly string[] {
  return toolName
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

const SHELL: ToolRow = {
  canonical: "Bash",
  commands: ["command", "cmd", "commands", "script", "text", "input", "chars", "command_line", "commandLine"],
  folder: ["workdir", "directory", "dir_path", "cwd"],
};
const READ: ToolRow = { canonical: "Read", access: "read", globs: ["include"], effect: "read" };
const WRITE: ToolRow = { canonical: "Write", access: "write", effect: "write" };
const EDIT: ToolRow = { canonical: "Edit", access: "write", effect: "write" };
const GLOB: ToolRow = {
  canonical: "Glob",
  access: "read",
  globs: ["pattern", "query", "glob_pattern"],
  effect: "read",
};
const GREP: ToolRow = {
  canonical: "Grep",
  access: "read",
  globs: ["glob", "include", "includePattern", "include_pattern"],
  effect: "read",
};
const PATCH: ToolRow = {
  canonical: "Edit",
  access: "write",
  patch: true,
  effect: "write",
};
const LOOK: ToolRow = { access: "read", effect: "read" };
const CHANGE: ToolRow = { access: "write", effect: "write" };
const QUIET: ToolRow = { effect: "read" };

const named = (row: ToolRow, names: string): Readonly<Record<string, ToolRow>> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, row]),
  );

export const TOOLS: Readonly<Record<string, ToolRow>> = {
  ...named(
    SHELL,
    "run_in_terminal send_to_terminal Bash bash shell exec_command local_shell unified_exec write_stdin run_shell_command run_commands execute_command runCommands write_bash PowerShell powershell Shell",
  ),
  ...named(
    READ,
    "read_file read_files Read read view view_image read_many_files ReadFile NotebookRead read_notebook_cell_output copilot_getNotebookSummary",
  ),
  ...named(WRITE, "create_file write_file Write write create write_to_file"),
  ...named(
    EDIT,
    "replace_string_in_file multi_replace_string_in_file insert_edit_into_file edit_notebook_file Edit edit MultiEdit multiedit NotebookEdit replace replace_in_file editor str_replace_editor str_replace_based_edit_tool edit_file",
  ),
  ...named(GLOB, "file_search Glob glob find_files"),
  ...named(GREP, "grep_search Grep grep search_file_content ripgrep rg search_files semantic_search"),
  ...named(PATCH, "apply_patch patch"),
  ...named(
    LOOK,
    "list_dir LS list list_directory ls list_files get_errors vscode_listCodeUsages list_code_usages test_search get_changed_files",
  ),
  ...named(
    CHANGE,
    "create_directory delete_file rename_file move_file copy_file vscode_renameSymbol run_notebook_cell new_rule delete Delete",
  ),
  ...named(
    { canonical: "WebFetch", access: "read" },
    "fetch_webpage WebFetch webfetch web_fetch open_simple_browser",
  ),
  ...named({ canonical: "Task" }, "runSubagent Task Agent task"),
  ...named(
    QUIET,
    "memory resolve_memory_file_uri manage_todo_list get_terminal_output terminal_last_command terminal_selection get_task_output get_vscode_api vscode_searchExtensions_internal vscode_askQuestions testFailure TodoWrite update_plan save_memory",
  ),
  ...named(
    {},
    "run_vscode_command install_extension create_new_workspace create_new_jupyter_notebook setup_tools_createNewWorkspace kill_terminal github_repo github_text_search session_store_sql",
  ),
  create_and_run_task: { canonical: "Bash" },
  db_query_sql: { sql: ["sql"] },
  db_import_csv: { access: "read", strict: true, effect: "write" },
  kb_add_file: { access: "read", strict: true, effect: "write" },
  kb_add_path: { access: "read", strict: true, effect: "write" },
  kb_search: { effect: "read" },
};

/** The tools of ours, under whatever server name an MCP client puts before them. */
export const OWN_TOOLS = [
  "db_query_sql",
  "db_import_csv",
  "kb_add_file",
  "kb_add_path",
  "kb_search",
] as const;

export const READ_WORDS: ReadonlySet<string> = new Set(
  "read get list search view find show describe fetch query stat exists inspect count lookup check info preview load open grep glob tree head tail cat diff summarize analyze explain".split(
    " ",
  ),
);
export const WRITE_WORDS: ReadonlySet<string> = new Set(
  "write create update delete remove edit move rename set put add insert append save upload replace patch modify copy mkdir touch chmod execute run exec apply import export download push commit reset clear truncate drop store".split(
    " ",
  ),
);

/** First words of SQL in the dialects; a comment or bracket may stand before them. */
export const SQL_VERBS: ReadonlySet<string> = new Set(
  "select with insert update delete replace merge upsert create alter drop truncate rename grant revoke begin start commit rollback savepoint release set show describe desc explain analyze pragma attach detach vacuum reindex use call exec execute declare copy load values table comment lock unlock do prepare deallocate optimize repair check checkpoint cluster refresh import export put install handler kill flush purge reset shutdown backup restore dbcc bulk if while go reassign security unload from pivot".split(
    " ",
  ),
);
