/**
 * Which workspace configuration is in force: the state machine behind "a change applies by itself only where it purely tightens".
 * Is given what is on disk and what was stored; stores and asks nothing itself.
 */
import type { Problem } from "../errors";
import { diffEffective } from "./effectiveDiff";
import { joinValues, type KeyPath, keyPaths, keyRules, readKey, writeKey } from "./keyRules";
import { type Effective, effective, type LayerNote, type LayersInput } from "./layers";
import { asRules, denyingPart } from "./ruleLists";
import type { ConfigFile } from "./schema";
import { sameConfig, tightens } from "./tightens";

/** What is kept outside the workspace, per root. */
export interface InForce {
  /** The layer that applies. */
  readonly layer: ConfigFile;
  /** What a person accepted; absent = nobody has accepted anything, so only what tightens applies. */
  readonly accepted?: ConfigFile;
  /** SHA-256 of the file that `layer` was read from; absent when only a part of a file applies. */
  readonly digest?: string;
  /** Digest of all local files that the accepted rules reach, as a person accepted them with the file; absent = no code of it runs. */
  readonly reach?: string;
  /** A file that loosens was seen and nobody has decided on it. */
  readonly undecided: boolean;
}

/** What stands in the workspace now. */
export type Found =
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly problems: readonly Problem[] }
  | { readonly kind: "read"; readonly layer: ConfigFile; readonly digest: string };

export interface Situation {
  readonly found: Found;
  readonly stored: InForce | undefined;
  readonly user: ConfigFile;
  readonly environment: ConfigFile;
  readonly environmentMode: "tighten" | "full";
  readonly locked: readonly string[];
  readonly trusted: boolean;
}

export type ConfigState = "defaults" | "accepted" | "tightened" | "waiting" | "broken";

/** What a person may accept: the file (or its absence) as it was found. */
export interface Pending {
  /** Absent = accept that there is no file any more. */
  readonly digest?: string;
  readonly layer: ConfigFile;
  /** The change of effective settings, what loosens first. */
  readonly lines: readonly string[];
  readonly loosening: readonly KeyPath[];
  /** Digest of the local files that its rules reach, as the person is shown them; absent = it reaches none that could be told. */
  readonly reach?: string;
}

export interface Verdict extends Effective {
  readonly state: ConfigState;
  readonly pending?: Pending;
  /** Of the accepted rules' local files; see `InForce`. Absent where nothing is accepted, or the workspace is not trusted. */
  readonly reach?: string;
  /** Every call that is not a read asks, until a person has decided. */
  readonly askAllButReads: boolean;
  /** Set when the store must be brought up to date. */
  readonly save?: InForce;
}

export function decideConfig(situation: Situation): Verdict {
  const { stored, trusted } = situation;
  const decided = decideFound(situation);
  const reach = trusted ? (decided.save ?? stored)?.reach : undefined;
  return reach === undefined ? decided : { ...decided, reach };
}

function decideFound(situation: Situation): Verdict {
  const { found, stored } = situation;
  const current = inForceNow(situation);
  if (found.kind === "broken") {
    // Without a snapshot nobody knows what the file was meant to forbid.
    return verdict(current, "broken", { askAllButReads: stored?.undecided ?? true });
  }
  return found.kind === "missing" ? whenMissing(situation, current) : whenRead(situation, current, found);
}

/** What a person accepted stays what it was, whatever tightens beside it. */
function acceptedOf(stored: InForce | undefined): Pick<InForce, "accepted" | "reach"> {
  if (stored?.accepted === undefined) return {};
  const { accepted, reach } = stored;
  return { accepted, ...(reach === undefined ? {} : { reach }) };
}

function layersOf(situation: Situation, workspace: ConfigFile, accepted: ConfigFile | undefined): Effective {
  const { user, environment, environmentMode, locked, trusted } = situation;
  const input: LayersInput = { user, environment, environmentMode, locked, workspace };
  return effective(trusted && accepted !== undefined ? { ...input, accepted } : input);
}

function inForceNow(situation: Situation): Effective {
  return layersOf(situation, situation.stored?.layer ?? {}, situation.stored?.accepted);
}

function verdict(
  from: Effective,
  state: ConfigState,
  rest: { askAllButReads: boolean; pending?: Pending; save?: InForce },
): Verdict {
  return { config: from.config, origins: from.origins, notes: from.notes, state, ...rest };
}

function whenMissing(situation: Situation, current: Effective): Verdict {
  const { stored } = situation;
  if (stored === undefined) return verdict(current, "defaults", { askAllButReads: false });
  const without = layersOf(situation, {}, undefined);
  const same = sameConfig(current.config, without.config);
  if (stored.accepted === undefined && same) {
    const save: InForce = { layer: {}, undecided: false };
    return verdict(without, "defaults", { askAllButReads: false, ...(stored.undecided ? { save } : {}) });
  }
  if (same) return verdict(current, "defaults", { askAllButReads: false });
  const { loosening } = tightens(current.config, without.config);
  const pending = { layer: {}, lines: diffEffective(current.config, without.config), loosening };
  return verdict(current, "waiting", { askAllButReads: stored.undecided, pending });
}

function whenRead(situation: Situation, current: Effective, found: Found & { kind: "read" }): Verdict {
  const { stored } = situation;
  const wanted = layersOf({ ...situation, trusted: true }, found.layer, found.layer);
  const { pure, loosening } = tightens(current.config, wanted.config);
  if (pure) return whenPure(situation, found, wanted);
  const lines = diffEffective(current.config, wanted.config);
  const pending: Pending = { digest: found.digest, layer: found.layer, lines, loosening };
  // With something accepted, the accepted snapshot stands as a whole while the change waits.
  if (situation.trusted && stored?.accepted !== undefined) {
    return verdict(current, "waiting", { askAllButReads: stored.undecided, pending });
  }
  if (!situation.trusted && stored?.accepted !== undefined && stored.digest === found.digest) {
    const { notes } = layersOf(situation, found.layer, undefined);
    return verdict({ ...current, notes }, "tightened", { askAllButReads: false });
  }
  return withTighteningPart(situation, found, pending);
}

/** The file as a whole is at most as loose as what is in force: it is in force from now on. */
function whenPure(situation: Situation, found: Found & { kind: "read" }, wanted: Effective): Verdict {
  const { stored } = situation;
  const save: InForce = {
    layer: found.layer,
    ...acceptedOf(stored),
    digest: found.digest,
    undecided: false,
  };
  const accepted =
    stored?.accepted !== undefined &&
    sameConfig(wanted.config, layersOf(situation, stored.accepted, stored.accepted).config);
  const known = stored?.digest === found.digest && !stored.undecided;
  const now = layersOf(situation, found.layer, stored?.accepted);
  return verdict(now, accepted ? "accepted" : "tightened", {
    askAllButReads: false,
    ...(known ? {} : { save }),
  });
}

/** Nobody has accepted anything: what tightens applies over what is in force, and every call that is not a read asks. */
function withTighteningPart(
  situation: Situation,
  found: Found & { kind: "read" },
  pending: Pending,
): Verdict {
  const { stored } = situation;
  let layer: ConfigFile = stored?.layer ?? {};
  for (const key of keyPaths) {
    const value = tighteningValue(key, readKey(found.layer, key));
    if (value === undefined) continue;
    const next = writeKey(layer, key, joinValues(key, readKey(layer, key), value));
    const before = layersOf(situation, layer, stored?.accepted);
    const after = layersOf(situation, next, stored?.accepted);
    const kept = !after.notes.some((note) => refused(note, key));
    if (kept && tightens(before.config, after.config).pure) layer = next;
  }
  const accepted = stored?.accepted;
  // Only while a workspace is not trusted can there be an accepted file here: it was decided on.
  const save: InForce =
    accepted === undefined
      ? { layer, undecided: true }
      : { layer, ...acceptedOf(stored), undecided: stored?.undecided ?? true };
  const now = layersOf(situation, layer, accepted);
  const asFound = layersOf(situation, found.layer, accepted);
  return verdict({ ...now, notes: asFound.notes }, "waiting", {
    askAllButReads: true,
    pending,
    ...(sameSnapshot(stored, save) ? {} : { save }),
  });
}

/** Of rules the part that only denies; every other key's value is tried as a whole. */
function tighteningValue(key: KeyPath, value: unknown): unknown {
  return value === undefined || keyRules[key].kind !== "rules" ? value : denyingPart(asRules(value));
}

/** A mapping that is refused as such stays without effect and does not hold back the others. */
const refused = (note: LayerNote, key: KeyPath): boolean =>
  note.layer === "workspace" &&
  note.kind !== "mapped" &&
  (note.key === key || note.key.startsWith(`${key}.`));

/** The digest does not count: it follows from the layer. */
function sameSnapshot(a: InForce | undefined, b: InForce): boolean {
  const text = ({ layer, accepted, reach, undecided }: InForce) =>
    JSON.stringify([layer, accepted, reach, undecided]);
  return a !== undefined && text(a) === text(b);
}

/** What the store keeps once a person has accepted. */
export function acceptPending(pending: Pending): InForce {
  return {
    layer: pending.layer,
    accepted: pending.layer,
    ...(pending.digest === undefined ? {} : { digest: pending.digest }),
    ...(pending.reach === undefined ? {} : { reach: pending.reach }),
    undecided: false,
  };
}
