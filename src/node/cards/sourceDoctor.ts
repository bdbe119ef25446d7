/** What is wrong with a card that somebody writes, each mistake with its place and how to mend it. Runs no code of it. */
import { posix } from "node:path";
import type { CardFile } from "../../core/cards/cardFiles";
import {
  type CardManifest,
  MANIFEST,
  policiesOf,
  readManifest,
  skillsOf,
} from "../../core/cards/cardManifest";
import type { PolicyToken } from "../../core/cards/policyLiterals";
import { factsOf, importsOf, type PolicyImport } from "../../core/cards/policyText";
import { placeIn } from "../../core/cards/textPlace";
import type { CardIssue, PolicyKind } from "../../core/policies/types";
import { policyFile, textIn } from "./cardContent";
import { readSource } from "./cardSource";
import { policyTokens } from "./policyTokens";

export interface Diagnosis {
  readonly issues: readonly CardIssue[];
  /** Absent where card.json or the folder cannot be read. */
  readonly manifest?: CardManifest;
  readonly files?: readonly CardFile[];
}

/** What a policy's typed declaration is imported from. */
const OURS = new Set(["countersign/policy", "darwinian-minds/hook-policy", "darwinian/hook-policy"]);
const ENDINGS = ["", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];

/** `card` is what it is called until card.json says it. Files are named relative to `folder`. Never rejects. */
export async function diagnoseSource(folder: string, card: string): Promise<Diagnosis> {
  const read = await readSource(folder);
  const alone = (code: string, message: string, mend: string, file = MANIFEST): Diagnosis => ({
    issues: [{ code, card, message, mend, file, line: 1, column: 1, severity: "error" }],
  });
  if (read.kind === "missing")
    return alone("card.missing", `there is no folder ${folder}`, "Make one with `countersign card new`.");
  if (read.kind === "refused") return alone("card.file", read.why, "Take it out of the card.", read.path);
  const { files } = read;
  const text = textIn(files, MANIFEST);
  if (text === undefined)
    return alone("card.missing", "there is no card.json", "Make a card with `countersign card new`.");
  const manifest = readManifest(text, { file: MANIFEST, card });
  if (!manifest.ok) return { issues: manifest.issues, files };
  const issues: CardIssue[] = [...declaredIssues(manifest.manifest, { files, text })];
  for (const policy of policiesOf(manifest.manifest))
    issues.push(...(await policyIssues(policyFile(policy), files, manifest.manifest.name)));
  return { issues, manifest: manifest.manifest, files };
}

/** The kind of each policy as far as its text tells. */
export async function kindsOf(
  manifest: CardManifest,
  files: readonly CardFile[],
): Promise<Readonly<Record<string, PolicyKind | "unknown">>> {
  const kinds = policiesOf(manifest).map(async (policy) => {
    const text = textIn(files, policyFile(policy));
    const tokens = text === undefined ? undefined : await policyTokens(text);
    return [policy, tokens?.ok === true ? factsOf(tokens.tokens).kind : "unknown"] as const;
  });
  return Object.fromEntries(await Promise.all(kinds));
}

/** What card.json names and is not there, and what is there and it does not name. */
function declaredIssues(
  manifest: CardManifest,
  { files, text }: { readonly files: readonly CardFile[]; readonly text: string },
): readonly CardIssue[] {
  const card = manifest.name;
  const paths = new Set(files.map(({ path }) => path));
  const policies = policiesOf(manifest);
  const missing = (name: string, said: Pick<CardIssue, "code" | "message" | "mend">): CardIssue => {
    const place = placeIn(text, Math.max(0, text.lastIndexOf(JSON.stringify(name))));
    return { card, file: MANIFEST, ...place, ...said, severity: "error" };
  };
  const withoutFile = policies
    .filter((name) => !paths.has(policyFile(name)))
    .map((name) => {
      const mend = `Write it, or run \`countersign card source remove-hook ${card} ${name}\`.`;
      return missing(name, { code: "policy.missing", message: `${policyFile(name)} is missing`, mend });
    });
  const skills = skillsOf(manifest)
    .filter((name) => !paths.has(`skills/${name}/SKILL.md`))
    .map((name) => {
      const mend = "Write it, or take the skill out of skills.include.";
      return missing(name, { code: "skill.missing", message: `skills/${name}/SKILL.md is missing`, mend });
    });
  return [...withoutFile, ...skills, ...unnamedPolicies(card, policies, paths)];
}

function unnamedPolicies(
  card: string,
  policies: readonly string[],
  paths: Iterable<string>,
): readonly CardIssue[] {
  return [...paths].flatMap((path): readonly CardIssue[] => {
    const name = /^hooks\/([^/]+)\/policy\.ts$/.exec(path)?.[1];
    if (name === undefined || policies.includes(name)) return [];
    const message = `hooks.include does not name ${name}: it never runs`;
    const mend = "Add it to hooks.include in card.json, or delete it.";
    return [
      { card, file: path, line: 1, column: 1, code: "policy.unnamed", message, mend, severity: "warning" },
    ];
  });
}

/** Of `policy.ts` and every file that it imports. */
async function policyIssues(
  entry: string,
  files: readonly CardFile[],
  card: string,
): Promise<readonly CardIssue[]> {
  const issues: CardIssue[] = [];
  const seen = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const text = textIn(files, path);
    if (text === undefined || path.endsWith(".json")) continue;
    const read = await policyTokens(text);
    const common = { card, file: path };
    if (!read.ok) {
      const { message, line, column } = read;
      issues.push({
        ...common,
        code: "policy.syntax",
        message,
        mend: "Mend the TypeScript.",
        line,
        column,
        severity: "error",
      });
      continue;
    }
    if (path === entry)
      for (const { offset, ...mistake } of factsOf(read.tokens).mistakes)
        issues.push({ ...common, ...mistake, ...placeIn(text, offset) });
    const { next, refused } = followed(path, read.tokens, files);
    waiting.push(...next);
    for (const { offset, ...mistake } of refused)
      issues.push({ ...common, ...mistake, ...placeIn(text, offset), severity: "error" });
  }
  return issues;
}

interface RefusedImport {
  readonly code: string;
  readonly message: string;
  readonly mend: string;
  readonly offset: number;
}

function followed(
  path: string,
  tokens: readonly PolicyToken[],
  files: readonly CardFile[],
): { readonly next: readonly string[]; readonly refused: readonly RefusedImport[] } {
  const next: string[] = [];
  const refused: RefusedImport[] = [];
  for (const one of importsOf(tokens)) {
    const found = targetOf(path, one, files);
    if (typeof found === "string") next.push(found);
    else if (found !== undefined) refused.push({ ...found, offset: one.offset });
  }
  return { next, refused };
}

/** The file of the card that is meant; undefined = our own types; else why it is refused. */
function targetOf(
  from: string,
  { specifier, computed }: PolicyImport,
  files: readonly CardFile[],
): string | Omit<RefusedImport, "offset"> | undefined {
  if (computed === true)
    return {
      code: "policy.import",
      message: "it imports what is only known when it runs",
      mend: "Name the file in quotes.",
    };
  if (OURS.has(specifier)) return undefined;
  if (!/^\.\.?(?:\/|$)/.test(specifier))
    return {
      code: "policy.import",
      message: `it imports ${JSON.stringify(specifier)}, and a policy may import only files of its own card`,
      mend: "Copy what it needs into the card and import that with `./`.",
    };
  const wanted = posix.normalize(posix.join(posix.dirname(from), specifier));
  if (wanted === ".." || wanted.startsWith("../"))
    return {
      code: "policy.import_outside",
      message: `it imports ${JSON.stringify(specifier)}, which lies outside of the card`,
      mend: "Copy what it needs into the card.",
    };
  const names = [...ENDINGS.map((ending) => wanted + ending), wanted.replace(/\.([cm]?)js$/, ".$1ts")];
  const found = names.find((name) => files.some(({ path }) => path === name));
  return (
    found ?? {
      code: "policy.import_missing",
      message: `it imports ${JSON.stringify(specifier)}, which is not there`,
      mend: "Mend the path; only files within the card are packed.",
    }
  );
}

/** `file:line:column: message (mend)` */
export function issueLine({ file, line, column, message, mend }: CardIssue): string {
  const place = file === undefined ? "" : `${file}:${line ?? 1}:${column ?? 1}: `;
  return `${place}${message}. ${mend}`;
}
