/** The files that a patch text changes: the `*** … File:` lines of Codex, the `+++` and `---` lines of diff. */

export function filesInPatch(text: string): readonly string[] {
  const files = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const marked = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to|Rename to): (.+)$/.exec(line);
    const diff =
      /^(?:\+\+\+|---) (?:[abciow]\/)?([^\t]+)/.exec(line) ?? /^(?:rename|copy) (?:from|to) (.+)$/.exec(line);
    const name = (marked?.[1] ?? diff?.[1])?.trim();
    if (name !== undefined && name !== "" && name !== "/dev/null") files.add(name);
  }
  return [...files];
}
