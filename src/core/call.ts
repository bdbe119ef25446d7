/** A tool call as every door hands it to the core. Knows nothing of any agent's payload. */

/** The arguments of a call: a plain object as the agent sent it. */
export type Args = Readonly<Record<string, unknown>>;

export interface ToolCall {
  /** Unique per call; the door's own id where it has one. */
  readonly callId: string;
  readonly runId: string;
  readonly sessionId: string;
  /** The program that calls: "vscode", "claude", "codex", "library", "cli", ... */
  readonly agent: string;
  readonly subagent?: string;
  /** The name as the agent sent it. */
  readonly toolName: string;
  /** Bash, Read, Write, Edit, Glob, Grep, WebFetch, Task, `mcp__<server>__<tool>`, else the raw name. */
  readonly canonicalName: string;
  readonly vendor?: string;
  readonly input: Args;
  /** Absolute path; the directory in which relative paths of the arguments are resolved. */
  readonly cwd?: string;
  readonly profile: string;
  readonly traceId: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What the arguments of a call mean, told by a mapping table of tool and argument names. */
export interface Facets {
  readonly paths: readonly PathFacet[];
  readonly commands: readonly CommandFacet[];
  readonly sql: readonly SqlFacet[];
  /** What the tool's own words say that it takes away; absent = nothing. */
  readonly destroys?: readonly DestroyFacet[];
  /** "read" when the tool is known to change nothing at all. */
  readonly effect: "read" | "write" | "unknown";
}

export interface DestroyFacet {
  /** The argument that says it; "" = the tool's name. */
  readonly arg: string;
  /** The words as a person reads them: `kubectl delete`. */
  readonly shown: string;
  /** The row that fired. */
  readonly id: string;
  /** What happens, as a sentence. */
  readonly reason: string;
}

export interface PathFacet {
  readonly arg: string;
  readonly path: string;
  readonly access: "read" | "write";
  /** True for the governed import tools (kb_add_file, kb_add_path, db_import_csv): outside the roots is denied, never asked. */
  readonly strict: boolean;
  /** True when only the argument's name says that it is a file: of a tool nobody knows. */
  readonly guessed?: true;
  /** Reached only if it is there: a search through a folder comes across it. */
  readonly ifThere?: true;
}

export interface CommandFacet {
  readonly arg: string;
  readonly text: string;
  /** Where it starts, absolute or below the cwd; absent = the cwd. */
  readonly folder?: string;
  readonly shell: Shell;
}

export interface SqlFacet {
  readonly arg: string;
  readonly text: string;
  /** As the caller or the client program names it; absent = unknown. */
  readonly dialect?: string;
  /** The client program when the text was found in a shell command (psql, mysql, sqlite3, ...). */
  readonly client?: string;
  /** Set when what runs cannot be seen in the text; one sentence. */
  readonly why?: string;
}

export type Shell = "bash" | "sh" | "zsh" | "pwsh" | "powershell" | "cmd";

export type ReadFacets = (call: Pick<ToolCall, "toolName" | "canonicalName" | "extra">, args: Args) => Facets;

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === null || proto === Object.prototype || Object.getPrototypeOf(proto) === null;
}
