/** How each card that a workspace names stands: installed, as locked, trusted. The one place where these are weighed; asks nobody. */
import { lt } from "semver";
import type { CardFile } from "../../core/cards/cardFiles";
import type { CardLock, LockedCard } from "../../core/cards/cardLock";
import { policiesOf } from "../../core/cards/cardManifest";
import { parseCardName } from "../../core/cards/cardName";
import { type Consent, enforces, stateOfConsent } from "../../core/cards/consent";
import type { CardIssue } from "../../core/policies/types";
import type { CardConsents, StoredConsents } from "./cardConsents";
import type { CardContent } from "./cardContent";
import { readLockFile } from "./cardLockFile";
import { type InstalledCard, readInstalled } from "./cardStore";

export interface CardsPlace {
  /** Absolute path of the workspace folder. */
  readonly root: string;
  /** `<root>/.countersign` */
  readonly dataFolder: string;
}

export interface CardState {
  readonly card: string;
  readonly state: "trusted" | "pending" | "lost" | "unusable";
  /** Absent where it is not there or not what the lock says. */
  readonly found?: {
    readonly folder: string;
    readonly content: CardContent;
    readonly files: readonly CardFile[];
  };
  readonly consent?: Consent;
  /** What a person is told; absent where all is well. */
  readonly issue?: CardIssue;
  /** It was trusted to stop calls and cannot now: calls must not pass because of that. */
  readonly broken: boolean;
}

export interface Weighed {
  readonly lock: CardLock;
  readonly consents: StoredConsents;
}

export async function weighCards(
  place: CardsPlace,
  names: readonly string[],
  store: CardConsents,
): Promise<readonly CardState[]> {
  const weighed: Weighed = { lock: await readLockFile(place.root), consents: await store.load(place.root) };
  return Promise.all(names.map((card) => weighCard(place, card, weighed)));
}

export async function weighCard(
  { dataFolder }: CardsPlace,
  card: string,
  { lock, consents }: Weighed,
): Promise<CardState> {
  const known =
    consents.kind === "kept" && Object.hasOwn(consents.consents, card) ? consents.consents[card] : undefined;
  const consent = known === undefined ? {} : { consent: known };
  const unusable = (said: Said): CardState => ({
    card,
    state: "unusable",
    ...consent,
    broken:
      said.severity !== "warning" &&
      (consents.kind === "damaged" || (known !== undefined && enforces(known))),
    issue: { card, severity: "error", ...said },
  });
  const locked = lockedCard(card, lock, known);
  if ("code" in locked) return unusable(locked);
  const installed = await readInstalled(dataFolder, { card, version: locked.version });
  if (installed.kind !== "read") return unusable(notInstalled(card, locked.version, installed));
  const { folder, content, files } = installed;
  const found = { folder, content, files };
  if (`sha256-${content.digest}` !== locked.content) return unusable(otherFiles(card, folder));
  if (consents.kind === "damaged") {
    const mend = "Delete it and trust the card again.";
    const issue = {
      code: "card.trust_unknown",
      card,
      message: consents.message,
      mend,
      severity: "error",
    } as const;
    return { card, state: "lost", found, broken: policiesOf(content.manifest).length > 0, issue };
  }
  return { ...stateOf(card, content, known), found, ...consent };
}

type Said = Pick<CardIssue, "code" | "message" | "mend"> & { readonly severity?: "warning" };

const again = (card: string): string => `Run \`countersign card install ${card}\`.`;

/** What card.lock says of it, or why that does not count. */
function lockedCard(card: string, lock: CardLock, known: Consent | undefined): LockedCard | Said {
  const downgraded = (message: string, mend = again(card)): Said => ({
    code: "card.lock_downgraded",
    message,
    mend: `Take card.lock back from version control, or: ${mend}`,
  });
  if (parseCardName(card) === undefined)
    return { code: "card.name", message: "it is no @handle/name", mend: "Mend [policies] cards." };
  switch (lock.kind) {
    case "broken":
      return {
        code: "card.lock_broken",
        message: `card.lock cannot be read: ${lock.why}`,
        mend: "Take card.lock back from version control, or install its cards again.",
      };
    case "old": {
      const message = "card.lock is of version 2, which knows no hooks, so its hooks do not run";
      if (known !== undefined) return downgraded(`card.lock went down to version 2, which knows no hooks`);
      return { code: "card.lock_old", message, mend: again(card), severity: "warning" };
    }
    case "none":
      if (known !== undefined) return downgraded("card.lock is gone");
      return { code: "card.not_installed", message: "it is not installed", mend: again(card) };
    case "read": {
      const locked = Object.hasOwn(lock.cards, card) ? lock.cards[card] : undefined;
      if (locked === undefined)
        return { code: "card.not_installed", message: "card.lock does not name it", mend: again(card) };
      if (known === undefined || !lt(locked.version, known.version)) return locked;
      const message = `card.lock went down from ${known.version}, which was trusted, to ${locked.version}`;
      return downgraded(message, `run \`countersign card trust ${card} --hooks\` for the older one.`);
    }
    default:
      return lock satisfies never;
  }
}

function notInstalled(
  card: string,
  version: string,
  installed: Exclude<InstalledCard, { kind: "read" }>,
): Said {
  if (installed.kind === "refused")
    return { code: "card.damaged", message: installed.why, mend: again(card) };
  const message = `version ${version} is not installed here`;
  return { code: "card.not_installed", message, mend: "Run `countersign card install`." };
}

const otherFiles = (card: string, folder: string): Said => ({
  code: "card.integrity",
  message: "its files are not those that card.lock names",
  mend: `Look at what changed in ${folder}, then run \`countersign card install ${card}\`.`,
});

function stateOf(
  card: string,
  content: CardContent,
  consent: Consent | undefined,
): Pick<CardState, "card" | "state" | "issue" | "broken"> {
  const { version } = content.manifest;
  const count = policiesOf(content.manifest).length;
  const policies = count === 1 ? "1 policy" : `${count} policies`;
  const state = stateOfConsent(consent, { version, digest: content.digest });
  const mend = `Look at the files, then run \`countersign card trust ${card} --hooks\`.`;
  // Nothing of it runs: there is nothing to agree to.
  if (count === 0 || state.kind === "trusted") return { card, state: "trusted", broken: false };
  if (state.kind === "pending") {
    const inert =
      count === 1 ? "is inert: nobody has trusted it here" : "are inert: nobody has trusted them here";
    const message = `${policies} of version ${version} ${inert}`;
    return {
      card,
      state: "pending",
      broken: false,
      issue: { code: "card.hooks_pending", card, message, mend, severity: "warning" },
    };
  }
  const verb = count === 1 ? "does" : "do";
  const message = `${policies} ${verb} not run any more: ${state.message}`;
  const broken = consent !== undefined && enforces(consent);
  return {
    card,
    state: "lost",
    broken,
    issue: { code: "card.hooks_lost", card, message, mend, severity: "error" },
  };
}
