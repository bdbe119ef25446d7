/** The files that a patch text changes: the `*** … File:` lines of Codex, the lines of unified, context and git diffs. */

/** As generous as the most generous reader: a line too many asks about one file more, a line too few about none. */
const LINES: readonly RegExp[] = [
  /^\s*\*\*\*\s*(?:(?:add|update|delete|create|remove|modify)\s+file|(?:move|rename|copy)\s+to)\s*:\s*(.+)$/i,
  /^(?:\+\+\+|---|\*\*\*) (?!Begin Patch|End |\w+ (?:File|to): |\d+(?:,\d+)? \*{4})([^\t]+)/,
  /^(?:rename|copy) (?:from|to) (.+)$/,
  /^Index: (.+)$/,
];
const GIT = /^diff --git (?:"((?:[^"\\]|\\.)*)"|(\S.*?)) (?:"((?:[^"\\]|\\.)*)"|((?:b|[ciow])\/.*|\S+))$/;

export function filesInPatch(text: string): readonly string[] {
  const files = new Set<string>();
  const add = (name: string | undefined, git: boolean) => {
    const plain = unquoted((name ?? "").trim());
    const bare = git ? plain.replace(/^[abciow]\//, "") : plain;
    if (bare !== "" && bare !== "/dev/null") files.add(bare);
  };
  for (const line of text.split(/\r?\n|\r/)) {
    const [marked, ...others] = LINES;
    add(marked?.exec(line)?.[1], false);
    for (const shape of others) add(shape.exec(line)?.[1], true);
    const git = GIT.exec(line);
    if (git !== null) {
      add(git[1] === undefined ? git[2] : `"${git[1]}"`, true);
      add(git[3] === undefined ? git[4] : `"${git[3]}"`, true);
    }
  }
  return [...files];
}

/** Git writes unusual names in quotes, bytes as octal numbers. */
function unquoted(name: string): string {
  if (!/^".*"$/s.test(name)) return name;
  const bytes = name
    .slice(1, -1)
    .replace(/\\([0-7]{3})|\\(.)/g, (_, octal?: string, char?: string) =>
      octal === undefined
        ? encodeURIComponent(char ?? "")
        : `%${Number.parseInt(octal, 8).toString(16).padStart(2, "0")}`,
    );
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes;
  }
}
