/** The policies of the cards that a workspace names: those that a person trusted and that are still what was trusted, and the others. Runs none. */
import { homedir } from "node:os";
import { join } from "node:path";
import { LOCK_FILE } from "../../core/cards/cardLock";
import { policiesOf } from "../../core/cards/cardManifest";
import type { CardIssue, PolicySource } from "../../core/policies/types";
import { effective } from "../../core/rules/layers";
import type { Config } from "../../core/rules/schema";
import { mirroredUserLayer, type TrustStore } from "../trustStore";
import { type CardConsents, createCardConsents } from "./cardConsents";
import { policyFile } from "./cardContent";
import { readLockFile } from "./cardLockFile";
import { stampOf, type Watched } from "./cardStamp";
import { cardFolder } from "./cardStore";
import { type CardState, weighCards } from "./cardsInForce";

export interface PoliciesPlace {
  /** Absolute path of the workspace folder. */
  readonly root: string;
  /** `<root>/.countersign` */
  readonly dataFolder: string;
  readonly trust: TrustStore;
  /** What is in force; read from the store where it is left out. */
  readonly inForce?: { readonly policies: Config["policies"]; readonly trusted: boolean };
  /** Default: those of this user. */
  readonly consents?: CardConsents;
}

export interface InstalledPolicies {
  /** Trusted, and checked a moment ago; in the order in which they are asked. */
  readonly active: readonly PolicySource[];
  readonly pending: readonly PolicySource[];
  readonly issues: readonly CardIssue[];
  /**
   * Of the issues, those of cards that were trusted to stop calls and cannot, or that `strict` wants in force. While there is one,
   * no call that is not a read may pass: else a change of one byte would switch a policy off.
   */
  readonly broken: readonly CardIssue[];
}

interface Remembered {
  readonly watched: Watched;
  readonly stamp: string;
  readonly found: InstalledPolicies;
}

/** Asked for with every call: what cannot have changed is not read again. A window has few folders open. */
const remembered = new WeakMap<CardConsents, Map<string, Remembered>>();
const ownStores = new Map<string, CardConsents>();
const MAX_REMEMBERED = 16;

/** Never rejects. */
export async function installedPolicies(place: PoliciesPlace): Promise<InstalledPolicies> {
  const inForce = place.inForce ?? (await storedPolicies(place));
  const store = place.consents ?? ownStore();
  const known = remembered.get(store) ?? new Map<string, Remembered>();
  remembered.set(store, known);
  const key = JSON.stringify([place.root, place.dataFolder, inForce]);
  const last = known.get(key);
  if (last !== undefined && stampOf(last.watched, Date.now())?.text === last.stamp) return last.found;
  known.delete(key);
  const before = await watchedOf(place, store, inForce.policies);
  const first = stampOf(before, Date.now());
  const found = await readPolicies(place, store, inForce);
  // Unless it was the same before and after it was read, nobody can tell which of the two was read.
  const after = stampOf(await watchedOf(place, store, inForce.policies), Date.now());
  if (first?.settled === true && first.text === after?.text) {
    known.set(key, { watched: before, stamp: first.text, found });
    const [oldest] = known.keys();
    if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  }
  return found;
}

function ownStore(): CardConsents {
  const home = homedir();
  const store = ownStores.get(home) ?? createCardConsents({ home });
  ownStores.set(home, store);
  return store;
}

/** Everything that `readPolicies` looks at. */
async function watchedOf(
  { root, dataFolder }: PoliciesPlace,
  store: CardConsents,
  { cards }: Config["policies"],
): Promise<Watched> {
  const lock = await readLockFile(root);
  const versions = lock.kind === "read" ? lock.cards : {};
  const folders = cards.flatMap((card) => {
    const version = Object.hasOwn(versions, card) ? versions[card]?.version : undefined;
    return version === undefined ? [] : [cardFolder(dataFolder, { card, version })];
  });
  return { files: [join(root, LOCK_FILE), await store.file(root), root], folders, top: root };
}

async function readPolicies(
  place: PoliciesPlace,
  store: CardConsents,
  { policies, trusted }: NonNullable<PoliciesPlace["inForce"]>,
): Promise<InstalledPolicies> {
  const names = [...new Set(policies.cards)].filter((card) => !policies.exclude.includes(card));
  const states = await weighCards(place, names, store);
  const sources = (wanted: (state: CardState) => boolean): PolicySource[] =>
    states
      .filter(wanted)
      .flatMap(sourcesOf)
      .filter(({ name }) => !policies.exclude.includes(name));
  const runs = (state: CardState): boolean => trusted && state.state === "trusted";
  const issues = states.flatMap(({ issue }) => issue ?? []);
  if (!trusted && names.length > 0) issues.push(...names.map(untrusted));
  return {
    active: sources(runs),
    pending: sources((state) => !runs(state) && state.state !== "unusable"),
    issues,
    broken: states.flatMap(({ issue, broken }) =>
      issue !== undefined && (broken || policies.strict) ? [issue] : [],
    ),
  };
}

const untrusted = (card: string): CardIssue => ({
  code: "card.workspace_untrusted",
  card,
  message: "its policies do not run: this workspace is not trusted",
  mend: "Trust the workspace in the editor.",
  severity: "warning",
});

async function storedPolicies({
  root,
  trust,
}: PoliciesPlace): Promise<NonNullable<PoliciesPlace["inForce"]>> {
  const { user, locked, trusted } = await mirroredUserLayer(trust, root);
  const stored = await trust.load(root);
  const layers = stored.kind === "kept" ? stored.value : undefined;
  const { config } = effective({
    user,
    locked,
    environmentMode: "tighten",
    ...(layers === undefined ? {} : { workspace: layers.layer }),
    ...(trusted && layers?.accepted !== undefined ? { accepted: layers.accepted } : {}),
  });
  return { policies: config.policies, trusted };
}

export function sourcesOf({ card, found, consent }: CardState): readonly PolicySource[] {
  if (found === undefined) return [];
  const { folder, content } = found;
  return policiesOf(content.manifest).map((policy) => ({
    name: `${card}/${policy}`,
    card,
    folder,
    entry: join(folder, ...policyFile(policy).split("/")),
    files: content.files,
    digest: content.digest,
    ...(consent?.unconfined === true ? { unconfined: true } : {}),
  }));
}
