/**
 * The editor's end of `countersign card trust`: reads the card itself, has a person asked, and keeps what they agreed to. Only the
 * return value of the dialog makes trust. Knows no dialog and no audit log: both are handed in.
 */
import type { BrokerAnswer, BrokerRequest } from "../../agents/hookRequest";
import { policiesOf } from "../../core/cards/cardManifest";
import { parseCardName } from "../../core/cards/cardName";
import { isRange } from "../../core/cards/cardVersion";
import { type Consent, defaultRange, stateOfConsent } from "../../core/cards/consent";
import {
  CARDS_OBSERVER,
  type TrustAnswer,
  type TrustPrompt,
  type TrustRequest,
  trustRequest,
} from "../../core/cards/trustRequest";
import { messageOf } from "../../core/errors";
import { realOf } from "../dataFolder";
import type { CardConsents } from "./cardConsents";
import { type CardState, weighCards } from "./cardsInForce";
import { kindsOf } from "./sourceDoctor";

/** What goes on record once a person has decided. */
export interface TrustRecord {
  readonly root: string;
  readonly card: string;
  readonly to: "trust" | "untrust";
  readonly version?: string;
  readonly range?: string;
  readonly digest?: string;
}

export interface TrustDoorDeps {
  /** `<root>/.countersign` of an open and trusted workspace folder; undefined = it is neither. Real paths. */
  readonly dataFolderOf: (root: string) => Promise<string | undefined>;
  readonly consents: CardConsents;
  /** Shows the dialog; true only where the person chose to. */
  readonly confirm: (prompt: TrustPrompt) => Promise<boolean>;
  /** Durable before trust is given. Rejects where it cannot be written: then no trust is given. */
  readonly record: (record: TrustRecord) => Promise<void>;
  /** Told once policies are to be read anew. */
  readonly onChanged: (root: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type TrustDoor = (
  request: BrokerRequest,
  ctx: { readonly signal: AbortSignal },
) => Promise<BrokerAnswer>;

export const isForTrustDoor = ({ observer }: BrokerRequest): boolean => observer === CARDS_OBSERVER;

export function createTrustDoor(deps: TrustDoorDeps): TrustDoor {
  // One dialog at a time; whoever floods waits behind their own first one, and is refused.
  let asking = false;
  return async ({ payload }, { signal }) => {
    const say = (answer: TrustAnswer): BrokerAnswer => ({ stdout: JSON.stringify(answer) });
    const read = readPayload(payload);
    if (read === undefined) return say({ kind: "refused", why: "the request cannot be read" });
    if (asking) return say({ kind: "refused", why: "a dialog about a card is open already" });
    asking = true;
    try {
      return say(await decide(read, deps, signal));
    } catch (error) {
      return say({ kind: "refused", why: messageOf(error) });
    } finally {
      asking = false;
    }
  };
}

function readPayload(payload: string): TrustRequest | undefined {
  try {
    return trustRequest.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

/** Also for the editor's own command, which needs no broker. */
export async function decide(
  request: TrustRequest,
  deps: TrustDoorDeps,
  signal: AbortSignal,
): Promise<TrustAnswer> {
  const root = await realOf(request.root);
  const dataFolder = await deps.dataFolderOf(root);
  if (dataFolder === undefined)
    return { kind: "refused", why: "this folder is not open in the window, or not trusted" };
  if (parseCardName(request.card) === undefined) return { kind: "refused", why: "that is no name of a card" };
  if (request.range !== undefined && !isRange(request.range))
    return { kind: "refused", why: "that is no range of versions" };
  return request.to === "trust"
    ? trust(request, { root, dataFolder }, deps, signal)
    : untrust(request, { root, dataFolder }, deps, signal);
}

interface Place {
  readonly root: string;
  readonly dataFolder: string;
}

async function trust(
  request: TrustRequest,
  place: Place,
  deps: TrustDoorDeps,
  signal: AbortSignal,
): Promise<TrustAnswer> {
  const { card } = request;
  const [state] = await weighCards(place, [card], withoutMemory(deps.consents));
  if (state?.found === undefined)
    return { kind: "refused", why: state?.issue?.message ?? "it is not installed" };
  if (policiesOf(state.found.content.manifest).length === 0)
    return { kind: "refused", why: "it has no policies to trust" };
  const known = await deps.consents.load(place.root);
  const earlier =
    known.kind === "kept" && Object.hasOwn(known.consents, card) ? known.consents[card] : undefined;
  const consent = await consentTo(state, request, deps.now());
  const covers = stateOfConsent(consent, { version: consent.version, digest: consent.digest });
  if (covers.kind !== "trusted")
    return { kind: "refused", why: `version ${consent.version} is outside of ${consent.consentedRange}` };
  const prompt = promptOf(state, consent, {
    request,
    root: place.root,
    ...(earlier === undefined ? {} : { earlier }),
  });
  if (!(await deps.confirm(prompt)) || signal.aborted) return { kind: "declined" };
  // What the person saw, or nothing: files may have been swapped while they read.
  const [after] = await weighCards(place, [card], withoutMemory(deps.consents));
  if (after?.found?.content.digest !== consent.digest)
    return { kind: "refused", why: "its files changed while the dialog was open" };
  const { version, digest } = consent;
  await deps.record({ root: place.root, card, to: "trust", version, digest, range: consent.consentedRange });
  await deps.consents.save(place.root, card, consent);
  deps.onChanged(place.root);
  return { kind: "done", digest };
}

/** The card as it lies there, whatever was agreed to before. */
const withoutMemory = (consents: CardConsents): CardConsents => ({
  ...consents,
  load: async () => ({ kind: "none" }),
});

async function consentTo(
  state: CardState,
  { range, unconfined }: TrustRequest,
  now: number,
): Promise<Consent> {
  if (state.found === undefined) throw new Error("it is not installed");
  const { content, files } = state.found;
  const { version } = content.manifest;
  return {
    consentedAt: new Date(now).toISOString(),
    consentedRange: range ?? defaultRange(version),
    digest: content.digest,
    version,
    kinds: await kindsOf(content.manifest, files),
    files: Object.fromEntries(content.files.map(({ path, sha256 }) => [path, sha256])),
    ...(unconfined === undefined ? {} : { unconfined }),
  };
}

function promptOf(
  { found }: CardState,
  consent: Consent,
  {
    request,
    root,
    earlier,
  }: { readonly request: TrustRequest; readonly root: string; readonly earlier?: Consent },
): TrustPrompt {
  const files = found?.content.files ?? [];
  const before = new Map(Object.entries(earlier?.files ?? {}));
  return {
    to: "trust",
    root,
    card: request.card,
    version: consent.version,
    range: consent.consentedRange,
    digest: consent.digest,
    policies: Object.entries(consent.kinds).map(([name, kind]) => ({ name, kind })),
    files: files.map(({ path, sha256 }) => ({
      path,
      sha256,
      absolute: `${found?.folder ?? ""}/${path}`,
      ...(earlier === undefined
        ? {}
        : {
            change: !before.has(path)
              ? ("new" as const)
              : before.get(path) === sha256
                ? ("as trusted" as const)
                : ("changed" as const),
          }),
    })),
    gone: [...before.keys()].filter((path) => !files.some((file) => file.path === path)),
    unconfined: consent.unconfined === true,
  };
}

async function untrust(
  { card }: TrustRequest,
  { root }: Place,
  deps: TrustDoorDeps,
  signal: AbortSignal,
): Promise<TrustAnswer> {
  const known = await deps.consents.load(root);
  const earlier =
    known.kind === "kept" && Object.hasOwn(known.consents, card) ? known.consents[card] : undefined;
  if (earlier === undefined && known.kind !== "damaged")
    return { kind: "refused", why: "its hooks are not trusted" };
  const prompt: TrustPrompt = {
    to: "untrust",
    root,
    card,
    version: earlier?.version ?? "",
    range: earlier?.consentedRange ?? "",
    digest: earlier?.digest ?? "",
    policies: Object.entries(earlier?.kinds ?? {}).map(([name, kind]) => ({ name, kind })),
    files: [],
    gone: [],
    unconfined: earlier?.unconfined === true,
  };
  if (!(await deps.confirm(prompt)) || signal.aborted) return { kind: "declined" };
  await deps.record({ root, card, to: "untrust" });
  await deps.consents.save(root, card, undefined);
  deps.onChanged(root);
  return { kind: "done" };
}
