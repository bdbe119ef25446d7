/** Adds a policy to a card's source, or takes it out: `hooks.include` of card.json and the policy's folder. Plans first, writes when told. */
import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { appendTo, takeOut } from "../../agents/install/jsonEdit";
import { lineDiff } from "../../agents/install/lineDiff";
import { MANIFEST, policiesOf, readManifest } from "../../core/cards/cardManifest";
import { partProblem } from "../../core/cards/cardName";
import { policyStub } from "../../core/cards/policyStub";
import type { CardIssue } from "../../core/policies/types";
import { replaceFile, textOf } from "../agentSettings";
import { policyFile } from "./cardContent";
import { issueLine } from "./sourceDoctor";

export interface SourceEdit {
  /** card.json before and after. */
  readonly before: string;
  readonly after: string;
  /** Below the card's folder. */
  readonly creates: readonly string[];
  readonly removes: readonly string[];
  readonly diff: readonly string[];
}

export type PlannedEdit =
  | { readonly ok: true; readonly edit: SourceEdit }
  | { readonly ok: false; readonly code: string; readonly why: string };

interface Manifest {
  readonly text: string;
  readonly policies: readonly string[];
}

const failed = (code: string, why: string): PlannedEdit => ({ ok: false, code, why });

export async function planAddHook(
  folder: string,
  { card, policy }: { readonly card: string; readonly policy: string },
): Promise<PlannedEdit> {
  const read = await manifestIn(folder, { card, policy });
  if ("why" in read) return failed(read.code, read.why);
  if (read.policies.includes(policy))
    return failed("card.duplicate", `${card} has a policy ${policy} already`);
  const path = policyFile(policy);
  if (await isThere(join(folder, "hooks", policy)))
    return failed(
      "card.duplicate",
      `hooks/${policy} is there already, and hooks.include does not name it; nothing was changed`,
    );
  const edited = appendTo(read.text, ["hooks", "include"], policy);
  if (!edited.ok) return failed("card.value", edited.message);
  return {
    ok: true,
    edit: {
      before: read.text,
      after: edited.text,
      creates: [path],
      removes: [],
      diff: [...lineDiff(MANIFEST, read.text, edited.text), ...lineDiff(path, "", policyStub)],
    },
  };
}

export async function planRemoveHook(
  folder: string,
  {
    card,
    policy,
    files,
  }: { readonly card: string; readonly policy: string; readonly files: "keep" | "remove" },
): Promise<PlannedEdit> {
  const read = await manifestIn(folder, { card, policy });
  if ("why" in read) return failed(read.code, read.why);
  if (!read.policies.includes(policy)) return failed("policy.unknown", `${card} has no policy ${policy}`);
  const edited = takeOut(read.text, {
    within: ["hooks", "include"],
    ours: (value) => value === policy,
    made: [],
  });
  if (!edited.ok) return failed("card.value", edited.message);
  const there = files === "remove" && (await isThere(join(folder, "hooks", policy)));
  return {
    ok: true,
    edit: {
      before: read.text,
      after: edited.text,
      creates: [],
      removes: there ? [`hooks/${policy}`] : [],
      diff: lineDiff(MANIFEST, read.text, edited.text),
    },
  };
}

export async function applyEdit(
  folder: string,
  { before, after, creates, removes }: SourceEdit,
): Promise<void> {
  const file = join(folder, MANIFEST);
  if ((await textOf(file)) !== before) throw new Error(`${file} has changed meanwhile; nothing was written`);
  for (const path of creates) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), policyStub, { flag: "wx" });
  }
  if (after !== before) await replaceFile(file, after, false);
  for (const path of removes) await rm(join(folder, path), { recursive: true, force: true });
}

async function manifestIn(
  folder: string,
  { card, policy }: { readonly card: string; readonly policy: string },
): Promise<Manifest | { readonly code: string; readonly why: string }> {
  const unsafe = partProblem(policy);
  if (unsafe !== undefined)
    return {
      code: "card.unsafe_name",
      why: `${JSON.stringify(policy)} cannot be a policy's name: ${unsafe}`,
    };
  const text = await textOf(join(folder, MANIFEST));
  if (text === undefined) return { code: "card.missing", why: `${join(folder, MANIFEST)} is missing` };
  const read = readManifest(text, { file: MANIFEST, card });
  if (!read.ok) {
    const [first] = read.issues as readonly [CardIssue];
    return { code: first.code, why: issueLine(first) };
  }
  if (read.manifest.name !== card)
    return { code: "card.name", why: `the card there is ${read.manifest.name}, not ${card}` };
  return { text, policies: policiesOf(read.manifest) };
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
