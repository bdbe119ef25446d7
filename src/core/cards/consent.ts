/** When what a person agreed to still covers a card: the version lies in the range, and not one byte differs. Knows no disk. */
import { satisfies } from "semver";
import * as z from "zod";
import { isRange, isVersion } from "./cardVersion";

const kinds = z.record(z.string(), z.enum(["observer", "enforcement", "unknown"]));

/** What is kept outside the workspace once a person has agreed. */
export const consentSchema = z.object({
  /** ISO 8601. */
  consentedAt: z.string(),
  consentedRange: z.string().refine(isRange),
  /** Content digest of the card, 64 hex digits. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  version: z.string().refine(isVersion),
  /** SHA-256 of each file, so that the next question can say what changed. */
  files: z.record(z.string(), z.string()),
  /** By policy; what is no observer may not be switched off by changing the card. */
  kinds,
  /** The person agreed that it runs where the runtime cannot keep it from files, programs and the network. */
  unconfined: z.literal(true).exactOptional(),
});
export type Consent = z.infer<typeof consentSchema>;

export type ConsentState =
  | { readonly kind: "trusted" }
  | { readonly kind: "pending"; readonly why: "never" }
  /** A person agreed to something else: `message` says what is different. */
  | { readonly kind: "lost"; readonly why: "changed" | "downgraded" | "range"; readonly message: string };

export function stateOfConsent(
  consent: Consent | undefined,
  card: { readonly version: string; readonly digest: string },
): ConsentState {
  if (consent === undefined) return { kind: "pending", why: "never" };
  const inRange = satisfies(card.version, consent.consentedRange, { includePrerelease: true });
  if (!inRange)
    return {
      kind: "lost",
      why: "range",
      message: `version ${card.version} is outside of ${consent.consentedRange}, which was trusted`,
    };
  if (card.digest === consent.digest) return { kind: "trusted" };
  return {
    kind: "lost",
    why: "changed",
    message:
      card.version === consent.version
        ? `its files are not those that were trusted, under the same version ${card.version}`
        : `version ${card.version} holds other files than ${consent.version}, which was trusted`,
  };
}

/** Whether switching the card off would let calls through that it was trusted to judge. */
export const enforces = ({ kinds: all }: Consent): boolean =>
  Object.values(all).some((kind) => kind !== "observer");

export const defaultRange = (version: string): string => `^${version}`;
