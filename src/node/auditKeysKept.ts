/** The private keys of one log as they are kept, as text and as values. Knows nothing of where the text is kept. */
import * as z from "zod";
import { CountersignError } from "../core/errors";

/** A key is in force from the segment in which the log names it until the next one is named. */
export interface KeptKey {
  readonly from: number;
  /** Base64 of 32 bytes. */
  readonly seed: string;
}

export interface KeptKeys {
  readonly v: 1;
  /** Verifier key that the log was opened with; what a person pins. */
  readonly first?: string | undefined;
  /** Oldest first; the last one is in force. Older ones only until the last checkpoint of their segments is signed. */
  readonly keys: readonly KeptKey[];
  /** Made, and perhaps named in the log already. */
  readonly next?: KeptKey | undefined;
}

const kept = z.object({ from: z.number().int().positive(), seed: z.string() });
const keptKeys = z.object({
  v: z.literal(1),
  first: z.string().optional(),
  keys: z.array(kept),
  next: kept.optional(),
});

/** Throws `audit.unreadable` on a text that is none of ours: making a new key in its place would hide that the old one is gone. */
export function parseKeptKeys(text: string | undefined): KeptKeys {
  if (text === undefined) return { v: 1, keys: [] };
  try {
    return keptKeys.parse(JSON.parse(text));
  } catch (cause) {
    throw new CountersignError("audit.unreadable", "The kept keys of the audit log cannot be read.", {
      cause,
    });
  }
}
