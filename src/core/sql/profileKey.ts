/** Tells which facts of a profile matter for one text, so that equal readings are made once. Knows no verdict. */
import { DIALECTS, type Dialect, type Profile } from "./dialects";

export type Fact = (profile: Profile) => unknown;

/** What must stand in a text before a fact can make a difference. */
type Row = readonly [needle: string | RegExp, facts: readonly Fact[]];

const FACTS: readonly Row[] = [
  ["\\", [(p) => p.backslash, (p) => p.eString, (p) => p.rawString, (p) => p.backslashWord]],
  ["''", [(p) => p.doubledQuote, (p) => p.tripleQuote, (p) => p.rawString]],
  ['"', [(p) => p.doubleQuote, (p) => p.tripleQuote, (p) => p.doubledQuote, (p) => p.rawString]],
  ["`", [(p) => p.backtick]],
  ["[", [(p) => p.bracket]],
  ["--", [(p) => p.dashNeedsBlank, (p) => p.returnEndsComment]],
  ["#", [(p) => p.hash]],
  [/^[ \t]*\/[ \t]*\r?$/m, [(p) => p.slashLine]],
  ["//", [(p) => p.slashComment]],
  ["/*", [(p) => p.nestedComment, (p) => p.openComment, (p) => p.executable]],
  ["$", [(p) => p.dollar]],
  [/[$@:#]/, [(p) => p.bracketParam]],
  ["{", [(p) => p.braceComment]],
  [/[qQ]'/, [(p) => p.qQuote]],
  [/[eE]'/, [(p) => p.eString]],
  ["@", [(p) => p.atName, (p) => p.goLine]],
  [/\bgo\b/i, [(p) => p.goLine]],
];

/** One dialect's readings differ in few facts; only these are looked for. */
const WITHIN: ReadonlyMap<Dialect, readonly Row[]> = new Map(
  DIALECTS.map((dialect) => [
    dialect,
    FACTS.filter(([, facts]) => facts.some((fact) => new Set(dialect.readings.map(fact)).size > 1)),
  ]),
);

/** The facts that matter for `text` among the readings of `dialect`, or of all; made once, used for each profile. */
export function factsThatMatter(text: string, dialect?: Dialect): readonly Fact[] {
  const out: Fact[] = [];
  for (const [needle, facts] of (dialect && WITHIN.get(dialect)) ?? FACTS)
    if (typeof needle === "string" ? text.includes(needle) : needle.test(text)) out.push(...facts);
  return out;
}

/** Profiles with equal keys cut the text into the same tokens. */
export function profileKey(facts: readonly Fact[], profile: Profile): string {
  let key = "";
  for (const fact of facts) key += `${fact(profile)},`;
  return key;
}
