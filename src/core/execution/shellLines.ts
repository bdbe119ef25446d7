/** The lines of a text for another program that a shell runs: `!rm x` for an editor, `shell rm x` for a debugger, `- rm x` of a task file. Judges nothing. */

export function shellLines(of: "editor" | "debugger" | "tasks", text: string): string {
  const lines = text.split(/\r?\n/);
  const pattern = PATTERNS[of];
  return lines.flatMap((line) => pattern.exec(line)?.[1]?.trim() ?? []).join("\n");
}

const PATTERNS = {
  editor: /^[\s:]*(?:silent!?\s+)?(?:\d*,?\$?%?r(?:ead)?\s*)?!(.*)$/,
  debugger:
    /^\s*(?:shell|!|make|python\s+import\s+os;\s*os\.system\(["']|platform\s+shell|command\s+script\s+import)\s*(.*)$/,
  tasks:
    /^\s*(?:-\s+(?:cmd:\s*|defer:\s*)?|cmd:\s*|sh:\s*|@?-?(?=\S))(?![\w-]+:\s*$)(?:["'])?(.*?)(?:["'])?\s*$/,
} as const;
