/** Which notes a key has signed: each asked once, and only so many wrong ones, so that a file full of them holds nobody up. Knows nothing of what notes say. */
import { toBase64 } from "./base64";
import {
  formatVerifierKey,
  isSignedBy,
  type SignedNote,
  type VerifierKey,
  type VerifySignature,
} from "./signedNote";

/** After so many signatures that are wrong under the right key's id the log is broken anyway. */
const MAX_WRONG = 200;

export interface NoteSigns {
  isSigned(note: SignedNote, key: VerifierKey): boolean;
  /** Notes that were taken for unsigned without a look, because so many before them were wrong. */
  readonly skipped: number;
}

export function createNoteSigns(verify: VerifySignature): NoteSigns {
  const known = new Map<string, boolean>();
  let wrong = 0;
  let skipped = 0;

  const counted: VerifySignature = (signed) => {
    if (wrong >= MAX_WRONG) {
      skipped += 1;
      return false;
    }
    const holds = verify(signed);
    if (!holds) wrong += 1;
    return holds;
  };

  return {
    isSigned(note, key) {
      const id = idOf(note, key);
      const before = known.get(id);
      if (before !== undefined) return before;
      const holds = isSignedBy(note, key, counted);
      known.set(id, holds);
      return holds;
    },
    get skipped() {
      return skipped;
    },
  };
}

/** The same for copies of a note, whatever stands there besides this key's signatures. */
function idOf(note: SignedNote, key: VerifierKey): string {
  const own = note.signatures
    .filter(({ name }) => name === key.name)
    .map(({ keyId, signature }) => `${toBase64(keyId)}${toBase64(signature)}`);
  return `${formatVerifierKey(key)}\n${own.join("\n")}\n${note.text}`;
}
