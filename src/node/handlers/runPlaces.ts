/** Fills `{run_id}` and `{run_dir}` in what a handler is given. Knows nothing of runs. */

export interface RunPlace {
  readonly id: string;
  /** Absolute. */
  readonly dir: string;
}

export const RUN_ID = "COUNTERSIGN_RUN_ID";
export const RUN_DIR = "COUNTERSIGN_RUN_DIR";

export function fillRun(text: string, run: RunPlace): string {
  return text.replaceAll("{run_id}", run.id).replaceAll("{run_dir}", run.dir);
}

/** In a shell's text the values are variables, so that nothing in them is read as a command. */
export function fillRunInShell(text: string): string {
  const variable = (name: string) => (process.platform === "win32" ? `%${name}%` : `"\${${name}}"`);
  const plain = (name: string) => (process.platform === "win32" ? `%${name}%` : `\${${name}}`);
  return [
    ["{run_id}", RUN_ID],
    ["{run_dir}", RUN_DIR],
  ].reduce((sofar, [word = "", name = ""]) => {
    const parts = sofar.split(word);
    return parts.reduce(
      (before, after) => before + (isInQuotes(before) ? plain(name) : variable(name)) + after,
    );
  }, text);
}

/** Inside double quotes further ones would end them. */
function isInQuotes(before: string): boolean {
  return (before.replace(/\\./g, "").match(/"/g) ?? []).length % 2 === 1;
}
