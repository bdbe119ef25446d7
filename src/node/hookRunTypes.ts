/** What a run is given, and what it gives back. */
import { isPlainObject } from "../core/call";
import type { Finding } from "../core/decision";
import type { ToolPolicy } from "../core/policies/define";
import type { Ask, Log } from "../ports";
import { HookError } from "./hookRunErrors";

export interface HookRunOptions {
  /** Secret of the run, from which aliases are made; default 32 random bytes in hex. */
  readonly runKey?: string;
  /** Default `run_` and a sortable unique id. */
  readonly runId?: string;
  /** Further texts that name the subject of the run: file names, case numbers. */
  readonly slugs?: readonly string[];
  /** Id of the session that the run belongs to; events carry it. */
  readonly session?: string;
  /** Label of the calling program in events; default "library". */
  readonly source?: string;
  /** Default the current directory. */
  readonly cwd?: string;
  /** `{run_dir}`; default `<cwd>/runs/<run id>`. */
  readonly runDir?: string;
  /** Where `${NAME}` of the configuration is read; default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Who answers where a rule or a guard asks; default nobody, which denies. */
  readonly ask?: Ask;
  /** Policies of this program, asked before the rules. */
  readonly policies?: readonly ToolPolicy[];
  readonly log?: Log;
}

export interface RunVerdict {
  /** False where a rule of `run_end` refused the report. */
  readonly passed: boolean;
  readonly reason: string | null;
  /** Those of the run's end, and of handlers that were still at work then. */
  readonly findings: readonly Finding[];
  /** What rules have to say of the report, labelled. */
  readonly context: readonly string[];
}

export interface Legend {
  readonly run_id: string;
  readonly run_key: string;
  readonly aliases: Readonly<Record<string, string>>;
}

const OPTIONS: readonly string[] = [
  "runKey",
  "runId",
  "slugs",
  "session",
  "source",
  "cwd",
  "runDir",
  "env",
  "ask",
  "policies",
  "log",
];

/** A misspelt option would silently mean its default. */
export function checkOptions(options: unknown): void {
  if (!isPlainObject(options)) throw new HookError(`a run's options are an object`);
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown === undefined) return;
  throw new HookError(`a run has no option "${unknown}"`, { hint: `It has: ${OPTIONS.join(", ")}.` });
}
