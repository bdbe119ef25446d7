/** Gathers the licences of every package whose code is in a bundle. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `node_modules/a`, `node_modules/@b/c`, nested ones included. */
function packageFolder(input) {
  const parts = input.split("/");
  const at = parts.lastIndexOf("node_modules");
  if (at < 0) return undefined;
  const depth = parts[at + 1]?.startsWith("@") ? 3 : 2;
  return parts.slice(0, at + depth).join("/");
}

function licenceText(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").trim())
    .join("\n\n");
}

/** `metafiles` are esbuild's; a package without a licence of its own stops the build. */
export function gatherNotices(root, metafiles) {
  const used = metafiles.flatMap((metafile) =>
    Object.values(metafile.outputs).flatMap((output) =>
      Object.entries(output.inputs)
        .filter(([, input]) => input.bytesInOutput > 0)
        .map(([name]) => packageFolder(name)),
    ),
  );
  const folders = [...new Set(used)].filter(
    (folder) => folder !== undefined && existsSync(join(root, folder)),
  );
  const notices = folders.sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    // What a package carries in compiled form and its own licence file does not name.
    const inside = join(root, "scripts/licences", `${name.replaceAll("/", "-")}.txt`);
    const further = existsSync(inside) ? `\n\n${readFileSync(inside, "utf8").trim()}` : "";
    const text = licenceText(join(root, folder)) + further;
    if (!license && !text) throw new Error(`${name} ${version} has no licence; it cannot be shipped.`);
    return `${name} ${version} (${license ?? "see below"})\n\n${text || `Licence: ${license}`}`;
  });
  return `Countersign contains code of these packages.\n\n${notices.join(`\n\n${"-".repeat(78)}\n\n`)}\n`;
}
