/** The RFC 6962 tree over the lines of a segment, as far as appending needs it: its right edge and its root. Knows nothing of files or of what a line means. */

/** SHA-256 of these bytes, 32 bytes. */
export type HashBytes = (bytes: Uint8Array) => Uint8Array;

/** The roots of the full subtrees, largest first: as many as `size` has one-bits. */
export interface Frontier {
  /** Leaves. */
  readonly size: number;
  readonly nodes: readonly Uint8Array[];
}

export interface MerkleTree {
  readonly size: number;
  /** Takes one more leaf; the bytes are only lent. */
  add(leaf: Uint8Array): void;
  /** Takes one whose `leafHash` is known; keeps it. */
  addHashed(node: Uint8Array): void;
  /** 32 bytes; SHA-256 of nothing for an empty tree. */
  root(): Uint8Array;
  frontier(): Frontier;
}

const LEAF = 0x00;
const NODE = 0x01;
const HASH_BYTES = 32;

/** The hash under which a tree holds a leaf; the bytes are only lent. */
export function leafHasher(hash: HashBytes): HashBytes {
  let room = new Uint8Array(4096);
  return (leaf) => {
    if (leaf.length + 1 > room.length) room = new Uint8Array(2 * leaf.length + 1);
    room[0] = LEAF;
    room.set(leaf, 1);
    return hash(room.subarray(0, leaf.length + 1));
  };
}

/** A tree that goes on from `from`. Throws RangeError on a frontier that cannot be one. */
export function createMerkleTree(hash: HashBytes, from: Frontier = { size: 0, nodes: [] }): MerkleTree {
  if (!isFrontier(from)) throw new RangeError("not the frontier of a tree");
  let size = from.size;
  const nodes: Uint8Array[] = [...from.nodes];
  const pair = new Uint8Array(1 + 2 * HASH_BYTES);
  pair[0] = NODE;
  const leafHash = leafHasher(hash);

  function join(left: Uint8Array, right: Uint8Array): Uint8Array {
    pair.set(left, 1);
    pair.set(right, 1 + HASH_BYTES);
    return hash(pair);
  }

  function addHashed(leaf: Uint8Array): void {
    let node = leaf;
    // Each one-bit at the end of `size` is a full subtree that the new leaf completes to a larger one.
    for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = nodes.pop();
      if (left !== undefined) node = join(left, node);
    }
    nodes.push(node);
    size += 1;
  }

  return {
    get size() {
      return size;
    },
    add: (leaf) => addHashed(leafHash(leaf)),
    addHashed,
    root() {
      const last = nodes.at(-1);
      if (last === undefined) return hash(new Uint8Array(0));
      return nodes.slice(0, -1).reduceRight((right, left) => join(left, right), last);
    },
    frontier: () => ({ size, nodes: [...nodes] }),
  };
}

function isFrontier({ size, nodes }: Frontier): boolean {
  if (!Number.isSafeInteger(size) || size < 0) return false;
  let ones = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return nodes.length === ones && nodes.every((node) => node.length === HASH_BYTES);
}
