/** Packs the extension (and, for demo and tests, the scripted agent) as .vsix files. Warnings are failures. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuild, ensurePackages, environment, root, underNewNode } from "./setup.mjs";

export const productFile = join(root, "out/countersign.vsix");
export const nextProductFile = join(root, "out/countersign-next.vsix");
export const demoAgentFile = join(root, "out/countersign-demo-agent.vsix");

const LARGEST_BYTES = 3 * 1024 * 1024;

function pack(folder, file, flags = []) {
  mkdirSync(join(root, "out"), { recursive: true });
  const args = [
    join(root, "node_modules/@vscode/vsce/vsce"),
    "package",
    "--no-dependencies",
    ...flags,
    "--out",
    file,
  ];
  const done = spawnSync(process.execPath, args, {
    cwd: folder,
    env: environment(),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = `${done.stdout}${done.stderr}`;
  if (done.status !== 0) throw new Error(`vsce package failed in ${folder}:\n${said}`);
  if (/warning/i.test(said)) throw new Error(`vsce package warns in ${folder}:\n${said}`);
  return said;
}

/** Without one of these the product cannot work. */
const NEEDED = [
  "package.json",
  "dist/extension.js",
  "dist/core.js",
  "dist/mcp.js",
  "dist/cli.js",
  "dist/panel.js",
  "dist/panel.css",
  "dist/packages/libpg-query.wasm",
  "dist/agent-plugin/.claude-plugin/plugin.json",
  "dist/agent-plugin/hooks/hooks.json",
  "dist/agent-plugin/client.js",
  "dist/THIRD-PARTY-NOTICES.txt",
  "LICENSE",
  "docs/agents.md",
];

/** What may be packed beside them: built code, pictures that the product shows, translations, texts. */
const PERMITTED =
  /^(dist\/[\w./-]+\.js|media\/[\w./-]+\.(png|svg|json)|l10n\/[\w.-]+\.json|package\.nls[\w.-]*\.json|CHANGELOG\.md)$/;

/** Throws when the package would lack something or hold what does not belong there. */
async function checkContents() {
  const { listFiles, PackageManager } = await import("@vscode/vsce");
  const files = await listFiles({ cwd: root, packageManager: PackageManager.None });
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const steps = (manifest.contributes?.walkthroughs ?? []).flatMap((walkthrough) => walkthrough.steps);
  const pictures = steps.flatMap(({ media }) =>
    [media.svg, media.image, media.markdown].filter((name) => name),
  );
  const lacking = [...NEEDED, manifest.icon, ...pictures].filter((name) => !files.includes(name));
  const strange = files.filter(
    (name) => !NEEDED.includes(name) && !PERMITTED.test(name) && !/^(dist\/)?README\.md$/.test(name),
  );
  const problems = [
    ...lacking.map((name) => `${name} is missing`),
    ...strange.map((name) => `${name} does not belong there`),
  ];
  if (problems.length > 0) throw new Error(`the package is not right: ${problems.join(", ")}`);
}

/** The product: out/countersign.vsix. */
export async function packageProduct() {
  await checkContents();
  const said = pack(root, productFile, ["--allow-missing-repository", "--readme-path", "dist/README.md"]);
  const { size } = statSync(productFile);
  if (size > LARGEST_BYTES) {
    throw new Error(`${productFile} has ${(size / 1024 / 1024).toFixed(2)} MB; 3 MB is the most.\n${said}`);
  }
  return { file: productFile, size, said };
}

/** The same under another version, for a test of what an update does. */
export function packageProductAs(version, file) {
  const keep = ["--no-git-tag-version", "--no-update-package-json"];
  pack(root, file, [version, ...keep, "--allow-missing-repository", "--readme-path", "dist/README.md"]);
}

/** The scripted agent, which is never part of the product. Packed once, for it seldom changes. */
export function packageDemoAgent() {
  const folder = join(root, "test/agent-extension");
  const sources = ["package.json", "extension.js", "evaluate.js"].map(
    (name) => statSync(join(folder, name)).mtimeMs,
  );
  if (existsSync(demoAgentFile) && statSync(demoAgentFile).mtimeMs > Math.max(...sources)) return;
  pack(folder, demoAgentFile, ["--allow-missing-repository", "--skip-license"]);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  ensurePackages();
  await underNewNode(fileURLToPath(import.meta.url));
  ensureBuild();
  const { file, size, said } = await packageProduct();
  console.log(said.trim());
  console.log(`${file}: ${(size / 1024).toFixed(0)} KB`);
}
