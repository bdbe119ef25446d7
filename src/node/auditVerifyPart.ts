/** Memory that threads share while a log is verified: a part of its bytes, and what one of them found in it. Knows nothing of files. */
import { type AheadRoom, createAheadReader } from "../core/audit/verifyAhead";
import { verifyPorts } from "./auditBytes";

export interface Part {
  readonly memory: SharedArrayBuffer;
  /** Only the thread that reads the file writes here. */
  readonly bytes: Buffer<SharedArrayBuffer>;
  /** Only the thread that the part was given to writes here. */
  readonly room: Required<AheadRoom>;
}

/** Records are longer; in a part of shorter lines the last ones are left to whoever judges. */
const SHORT_LINE = 256;
const LEAF_BYTES = 32;

const linesIn = (size: number): number => Math.max(8, Math.ceil(size / SHORT_LINE));

/** `size` = bytes of the log. */
export function newPart(size: number): Part {
  const lines = linesIn(size);
  return partIn(new SharedArrayBuffer(lines * (Uint32Array.BYTES_PER_ELEMENT + 1 + LEAF_BYTES) + size), size);
}

/** The part that another thread made here. */
function partIn(memory: SharedArrayBuffer, size: number): Part {
  const lines = linesIn(size);
  const leavesAt = lines * Uint32Array.BYTES_PER_ELEMENT;
  const inOrderAt = leavesAt + lines * LEAF_BYTES;
  return {
    memory,
    bytes: Buffer.from(memory, inOrderAt + lines, size),
    room: {
      ends: new Uint32Array(memory, 0, lines),
      leaves: new Uint8Array(memory, leavesAt, lines * LEAF_BYTES),
      inOrder: new Uint8Array(memory, inOrderAt, lines),
    },
  };
}

/** What is asked of a thread. */
export interface PartJob {
  readonly memory: SharedArrayBuffer;
  /** Bytes of the log: room for them, and how many stand there. They end with a LF. */
  readonly size: number;
  readonly filled: number;
  readonly leaves: "wanted" | "unwanted";
}

/** Reads a part ahead into its room. Returns the number of lines it read. */
export function createPartReader(): (job: PartJob) => number {
  const readAhead = createAheadReader(verifyPorts);
  /** A line is changed for a moment while it is read: that must not happen to bytes that others see. */
  let own = Buffer.alloc(0);
  return ({ memory, size, filled, leaves }) => {
    const { bytes, room } = partIn(memory, size);
    if (own.length < size) own = Buffer.allocUnsafeSlow(size);
    own.set(bytes.subarray(0, filled));
    const { ends, inOrder } = room;
    return readAhead(own.subarray(0, filled), leaves === "wanted" ? room : { ends, inOrder });
  };
}
