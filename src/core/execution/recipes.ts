/** The shell texts that a package's scripts or a Makefile's targets stand for. Reads no file, judges nothing. */
import { isPlainObject } from "../call";

/** Undefined = it is no package file. */
export function packageScripts(text: string, names: readonly string[]): readonly string[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const scripts = isPlainObject(parsed) ? parsed.scripts : undefined;
  if (!isPlainObject(scripts)) return [];
  return names.flatMap((name) => {
    const own = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
    return typeof own === "string" ? [own] : [];
  });
}

interface Rule {
  readonly names: readonly string[];
  readonly needs: readonly string[];
  readonly lines: readonly string[];
}

const MAX_PATTERNS = 100;
/** Behind more than anyone writes, every recipe counts. */
const MAX_NAMES = 5000;

/** The recipes of the targets and of all they need, in shell; without a target the first one that is no special one. */
export function makeRecipes(text: string, targets: readonly string[]): readonly string[] {
  const rules = rulesOf(text.replaceAll("\\\n", " "));
  const first = rules.find(({ names }) => names.some((name) => !name.startsWith(".")))?.names[0];
  const seen = reached(rules, targets.length > 0 ? targets : first === undefined ? [] : [first]);
  // What is evaluated while the file is read runs whatever the target is.
  const evaluated = [...text.matchAll(/\$\(shell\s([^)\n]+)\)/g)].map((match) => match[1] ?? "");
  const recipes = [...seen].map(({ lines }) => lines.join("\n")).filter((lines) => lines !== "");
  return [...evaluated, ...recipes].map(plainVariables);
}

function reached(rules: readonly Rule[], targets: readonly string[]): Iterable<Rule> {
  const byName = new Map<string, Rule[]>();
  const patterns: Rule[] = [];
  for (const rule of rules)
    for (const name of rule.names) {
      if (name.includes("%")) patterns.push(rule);
      else {
        const known = byName.get(name);
        if (known === undefined) byName.set(name, [rule]);
        else known.push(rule);
      }
    }
  const open = new Set(targets);
  const seen = new Set<Rule>();
  if (patterns.length > MAX_PATTERNS) return rules;
  // A set that grows while it is walked is walked to its end.
  for (const target of open) {
    const byPattern = patterns.filter(({ names }) =>
      names.some((name) => name.includes("%") && fitsPattern(name, target)),
    );
    for (const rule of [...(byName.get(target) ?? []), ...byPattern]) {
      if (seen.has(rule)) continue;
      seen.add(rule);
      for (const need of rule.needs) open.add(need);
    }
    if (open.size > MAX_NAMES) return rules;
  }
  return seen;
}

function fitsPattern(pattern: string, name: string): boolean {
  const [before = "", after = ""] = pattern.split("%");
  return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

function rulesOf(text: string): readonly Rule[] {
  const rules: { names: string[]; needs: string[]; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("\t")) {
      rules.at(-1)?.lines.push(line.trim().replace(/^[@+-]+\s*/, ""));
      continue;
    }
    const colon = line.indexOf(":");
    const names = line.slice(0, Math.max(colon, 0));
    const rest = line.slice(colon + (line[colon + 1] === ":" ? 2 : 1));
    if (names.trim() === "" || /^\s|[#=]/.test(names) || rest.startsWith("=")) continue;
    const end = rest.indexOf(";");
    const needs = end < 0 ? rest : rest.slice(0, end);
    const own = end < 0 ? undefined : rest.slice(end + 1);
    rules.push({
      names: words(names),
      needs: words(needs.replaceAll("|", " ")),
      lines: own === undefined ? [] : [own.trim()],
    });
  }
  return rules;
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

/** `$(NAME)` and `$$name` of make as the shell's own variables: nobody can tell their values either. */
function plainVariables(text: string): string {
  return text
    .replace(/\$\$/g, "\u0002")
    .replace(/\$[({]([A-Za-z_]\w*)[)}]/g, (_, name: string) => `\${${name}}`)
    .replaceAll("\u0002", "$");
}
