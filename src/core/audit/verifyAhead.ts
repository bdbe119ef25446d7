/**
 * Reads the lines of a part of a log ahead of the one who judges them, in any thread: which of them are in order after the line
 * before them in the part. Knows nothing of what came before the part, of heads, keys or checkpoints.
 */
import { type HashBytes, leafHasher } from "./merkle";
import { isSigned } from "./recordSignature";
import { RECOVERED } from "./verifyChain";
import { createLineReader, type LinePorts, type Reading } from "./verifyLine";

/** What was found, line by line; as many lines as there is room for. */
export interface AheadRoom {
  /** Index of the line's LF. */
  readonly ends: Uint32Array;
  /** 1 = in order, with nothing in it that must be looked into. 0 = nothing is said of it. */
  readonly inOrder: Uint8Array;
  /** 32 bytes for each line: its hash as a leaf of the tree. Absent = not wanted. */
  readonly leaves?: Uint8Array;
}

/** Bytes of whole lines, a LF at the end; one may be changed while the call lasts. Returns the number of lines that were read. */
export type ReadAhead = (bytes: Uint8Array, room: AheadRoom) => number;

const LF = 0x0a;
const LEAF_BYTES = 32;

export function createAheadReader(ports: LinePorts & { readonly digest: HashBytes }): ReadAhead {
  const read = createLineReader(ports);
  const leafHash = leafHasher(ports.digest);
  return (bytes, { ends, inOrder, leaves }) => {
    let before: Reading | undefined;
    let start = 0;
    for (let line = 0; line < ends.length; line += 1) {
      const end = bytes.indexOf(LF, start);
      if (end === -1) return line;
      const reading = read({ bytes, start, end });
      ends[line] = end;
      inOrder[line] = isInOrder(before, reading) ? 1 : 0;
      leaves?.set(leafHash(bytes.subarray(start, end)), line * LEAF_BYTES);
      before = reading;
      start = end + 1;
    }
    return ends.length;
  };
}

/** As the chain has it of a record that is sound, where it stands at the one before; and of a kind that nobody signs. */
function isInOrder(before: Reading | undefined, reading: Reading | undefined): boolean {
  if (before?.ownHash !== "right" || reading?.ownHash !== "right") return false;
  if (before.seq < 0 || reading.seq !== before.seq + 1 || reading.prevHash !== before.stated) return false;
  if (reading.logId !== before.logId || reading.mayHaveWaited) return false;
  return reading.event !== RECOVERED && !isSigned(reading.event);
}
