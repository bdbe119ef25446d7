/**
 * What the command line asks of the editor about a card's hooks. It opens a dialog and nothing else: no field of it stands in for a
 * person's answer, and nothing in it is believed. The editor reads the card itself.
 */
import * as z from "zod";

/** Which of the broker's requests are ours. */
export const CARDS_OBSERVER = "cards";

export const trustRequest = z.strictObject({
  kind: z.literal("card.trust"),
  /** Absolute path of the workspace folder. */
  root: z.string(),
  /** `@handle/name` */
  card: z.string(),
  to: z.enum(["trust", "untrust"]),
  /** Default: `^version`. */
  range: z.string().exactOptional(),
  /** Ask also for leave to run where the runtime cannot confine a policy. */
  unconfined: z.literal(true).exactOptional(),
});
export type TrustRequest = z.infer<typeof trustRequest>;

export const trustAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), digest: z.string().exactOptional() }),
  /** The person did not agree. */
  z.object({ kind: z.literal("declined") }),
  /** There was nothing to ask about. */
  z.object({ kind: z.literal("refused"), why: z.string() }),
]);
export type TrustAnswer = z.infer<typeof trustAnswer>;

/** What the person is shown: all of it, and nothing that the command line said. */
export interface TrustPrompt {
  readonly to: "trust" | "untrust";
  readonly root: string;
  readonly card: string;
  readonly version: string;
  readonly range: string;
  /** Content digest of the card, 64 hex digits. */
  readonly digest: string;
  readonly policies: readonly {
    readonly name: string;
    readonly kind: "observer" | "enforcement" | "unknown";
  }[];
  /** Every file of the card. `absolute` opens it in the editor. */
  readonly files: readonly {
    readonly path: string;
    readonly absolute: string;
    readonly sha256: string;
    /** Against what was trusted before; absent where nothing was. */
    readonly change?: "new" | "changed" | "as trusted";
  }[];
  /** Files that were trusted and are gone. */
  readonly gone: readonly string[];
  readonly unconfined: boolean;
}
