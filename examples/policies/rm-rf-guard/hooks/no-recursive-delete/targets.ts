/** Targets of a recursive `rm` that are a whole root, home or working folder. */
export function wholeTargets(line: string): readonly string[] {
  return line.split(/[;&|\n(){}]+/).flatMap((part) => {
    const words = part
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/^["']|["']$/g, ""));
    const at = words.findIndex((word) => /(?:^|\/)rm$/.test(word));
    if (at < 0) return [];
    const given = words.slice(at + 1);
    const flags = given.filter((word) => word.startsWith("-"));
    const recursive = flags.some((flag) => flag === "--recursive" || /^-[a-zA-Z]*[rR]/.test(flag));
    return recursive ? given.filter((word) => !word.startsWith("-") && isWhole(word)) : [];
  });
}

function isWhole(target: string): boolean {
  const path = target.replace(/(?<=.)\/+$/, "").replace(/\/\*$/, "") || "/";
  return /^(?:\/|\/[^/]+|~|\$\{?HOME\}?|\.|\.\.|\*)$/.test(path);
}
