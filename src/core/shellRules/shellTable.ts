/** All rows of the shell guard, found by program. Pure data. */
import { ACCOUNT_ROWS } from "./accountRows";
import { ARCHIVE_ROWS } from "./archiveRows";
import { CLOUD_ROWS } from "./cloudRows";
import { CONTAINER_ROWS } from "./containerRows";
import { DISK_ROWS } from "./diskRows";
import { EMPTY_ROWS } from "./emptyRows";
import { FILE_ROWS } from "./fileRows";
import { GIT_HISTORY_ROWS } from "./gitHistoryRows";
import { GIT_ROWS } from "./gitRows";
import { INFRASTRUCTURE_ROWS } from "./infrastructureRows";
import { OTHER_GIT_ROWS } from "./otherGitRows";
import { REQUEST_ROWS } from "./requestRows";
import { RUN_ROWS } from "./runRows";
import type { ShellRule } from "./shellRule";
import { STORE_ROWS } from "./storeRows";
import { SYSTEM_ROWS } from "./systemRows";
import { WINDOWS_ROWS } from "./windowsRows";

export const SHELL_ROWS: readonly ShellRule[] = [
  ...FILE_ROWS,
  ...EMPTY_ROWS,
  ...DISK_ROWS,
  ...GIT_ROWS,
  ...GIT_HISTORY_ROWS,
  ...OTHER_GIT_ROWS,
  ...ARCHIVE_ROWS,
  ...RUN_ROWS,
  ...SYSTEM_ROWS,
  ...ACCOUNT_ROWS,
  ...CONTAINER_ROWS,
  ...INFRASTRUCTURE_ROWS,
  ...CLOUD_ROWS,
  ...STORE_ROWS,
  ...REQUEST_ROWS,
  ...WINDOWS_ROWS,
];

/** Patterns of rows for every program. */
const ANY: ReadonlySet<string> = new Set(["^", "^."]);

const byName = new Map<string, ShellRule[]>();
const byPattern: { readonly pattern: RegExp; readonly rule: ShellRule }[] = [];
for (const rule of SHELL_ROWS) {
  if (rule.programs instanceof RegExp) byPattern.push({ pattern: rule.programs, rule });
  else for (const name of rule.programs) byName.set(name, [...(byName.get(name) ?? []), rule]);
}

export function rowsFor(program: string): readonly ShellRule[] {
  const others = byPattern.filter(({ pattern }) => pattern.test(program)).map(({ rule }) => rule);
  return [...(byName.get(program) ?? []), ...others];
}

/** True for a program that has a row of its own. */
export function hasRows(program: string): boolean {
  return (
    byName.has(program) || byPattern.some(({ pattern }) => !ANY.has(pattern.source) && pattern.test(program))
  );
}
