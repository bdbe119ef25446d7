import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMerkleTree, type HashBytes } from "../../../src/core/audit/merkle";
import { hashBytes } from "../../../src/node/auditKeysEd25519";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => Buffer.from(text, "hex");

/** Leaves and roots of 1..8 leaves, from the reference tests of Certificate Transparency. */
const LEAVES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
];
const ROOTS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

test("an empty tree has the hash of nothing", () => {
  expect(hex(createMerkleTree(hashBytes).root())).toBe(
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  );
});

test.each(ROOTS.map((root, i) => ({ leaves: i + 1, root })))(
  "$leaves reference leaves",
  ({ leaves, root }) => {
    const tree = createMerkleTree(hashBytes);
    for (const leaf of LEAVES.slice(0, leaves)) tree.add(bytes(leaf));
    expect(hex(tree.root())).toBe(root);
  },
);

/** RFC 6962 section 2.1, word for word. */
function rootByDefinition(leaves: readonly Uint8Array[], hash: HashBytes): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return hash(new Uint8Array(0));
  if (leaves.length === 1) return hash(Buffer.concat([Buffer.from([0]), only]));
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  const parts = [rootByDefinition(leaves.slice(0, k), hash), rootByDefinition(leaves.slice(k), hash)];
  return hash(Buffer.concat([Buffer.from([1]), ...parts]));
}

test("any leaves, stopped and gone on from the frontier anywhere: the root of the definition", () => {
  const leaves = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 70 });
  fc.assert(
    fc.property(leaves, fc.nat(70), (all, stop) => {
      const first = createMerkleTree(hashBytes);
      for (const leaf of all.slice(0, stop)) first.add(leaf);
      const second = createMerkleTree(hashBytes, first.frontier());
      for (const leaf of all.slice(stop)) second.add(leaf);
      expect(second.size).toBe(all.length);
      expect(hex(second.root())).toBe(hex(rootByDefinition(all, hashBytes)));
    }),
  );
});

test("a leaf is only lent, and a long one makes room for itself", () => {
  const tree = createMerkleTree(hashBytes);
  const leaf = new Uint8Array(70_000).fill(7);
  tree.add(leaf);
  const root = hex(tree.root());
  leaf.fill(8);
  expect(hex(tree.root())).toBe(root);
  expect(root).toBe(hex(rootByDefinition([new Uint8Array(70_000).fill(7)], hashBytes)));
});

test.each([
  { size: 1, nodes: [] },
  { size: 0, nodes: [new Uint8Array(32)] },
  { size: 3, nodes: [new Uint8Array(32)] },
  { size: 1, nodes: [new Uint8Array(31)] },
  { size: 1.5, nodes: [new Uint8Array(32)] },
  { size: -1, nodes: [new Uint8Array(32)] },
])("no frontier of a tree: size $size", (frontier) => {
  expect(() => createMerkleTree(hashBytes, frontier)).toThrow(RangeError);
});
