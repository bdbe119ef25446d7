/** Sizes of what is shipped, as the last build and the last package left them. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

export const name = "sizes";

const MOST_BYTES = 3 * 1024 * 1024;

export function bench({ root }) {
  const sizes = JSON.parse(readFileSync(join(root, "dist/sizes.json"), "utf8"));
  const kilobytes = Object.entries(sizes).map(([file, bytes]) => [`${file} (KB)`, bytes / 1024]);
  const packed = Object.keys(sizes).reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(root, "dist", file))).length,
    0,
  );
  const vsix = join(root, "out/countersign.vsix");
  const ratios = { "compressed JavaScript to 3 MB": { value: packed / MOST_BYTES, goal: 1 } };
  if (existsSync(vsix))
    ratios["countersign.vsix to 3 MB"] = { value: statSync(vsix).size / MOST_BYTES, goal: 1 };
  return { measures: { ...Object.fromEntries(kilobytes), "compressed (KB)": packed / 1024 }, ratios };
}
