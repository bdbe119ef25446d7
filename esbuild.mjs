/**
 * Bundles the product into dist/, or the folder named as argument: small entries, one core.js that they share, and
 * everything heavy as files of their own that are loaded on first use. Nothing is minified, so that a reviewer can read
 * what is shipped.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { marketplaceReadme } from "./scripts/marketplaceReadme.mjs";
import { gatherNotices } from "./scripts/notices.mjs";

const root = dirname(fileURLToPath(import.meta.url));
const dist = resolve(process.argv[2] ?? join(root, "dist"));
const posix = (path) => path.split(sep).join("/");

/** What is started by name: output file → source file. */
const ENTRIES = {
  "extension.js": "src/extension.ts",
  "cli.js": "src/cli/main.ts",
  "mcp.js": "src/mcp/main.ts",
  "library.js": "src/library.ts",
  "policy.js": "src/policy.ts",
};

/** Processes and threads of their own: one small file each starts fastest. They lie beside core.js, which starts them. */
const CHILDREN = {
  "sqliteProcess.js": "src/node/databases/sqliteProcess.ts",
  "sqlWorker.js": "src/node/sql/sqlWorker.ts",
  "auditVerifyWorker.js": "src/node/auditVerifyWorker.ts",
  "callableProcess.js": "src/node/handlers/callableProcess.ts",
  "policyProcess.js": "src/node/policies/policyProcess.ts",
  "agent-plugin/client.js": "src/agents/plugin/client.ts",
  "uninstall.js": "src/agents/install/uninstallMain.ts",
};

/** Everything below these folders is in core.js, once, whichever entry asks for it. A module's code runs when it is first asked for. */
const SHARED = ["src/core/", "src/node/", "src/agents/", "src/panel/", "src/mcp/", "src/cli/callLine.ts"];

/** Packages too heavy for core.js: each import of one is a file of its own below packages/, read on first use. */
const LAZY_PACKAGES = /^(pg|mysql2|csv-parse|node-sql-parser|libpg-query|sucrase)(\/|$)/;

/** Modules of ours whose packages are heavy as a whole and light in the parts we use: files of their own too, read on first use. */
const LAZY_MODULES = {
  "packages/otlp.js": "src/node/otlp/serializer.ts",
  // It reads logs of any size within little memory, of which core.js would take the larger part.
  "verify.js": "src/cli/verify.ts",
};

/** What cli.js runs before it knows the command: the little that these need of core.js stands in cli.js too, for commands that load none of it. */
const BEFORE_CORE = ["src/cli/main.ts", "src/cli/options.ts", "src/cli/runtime.ts"];

/** What a package reads beside its own file, and no bundler sees: output file → file of the package. */
const BESIDE_PACKAGES = { "packages/libpg-query.wasm": "libpg-query/wasm/libpg-query.wasm" };

/** From one output file to another, as `require` wants it. */
function requirePath(from, to) {
  const path = posix(relative(dirname(from), to));
  return path.startsWith(".") ? path : `./${path}`;
}

const common = {
  absWorkingDir: root,
  bundle: true,
  metafile: true,
  legalComments: "none",
  logLevel: "warning",
  charset: "utf8",
  define: { "process.env.NODE_ENV": '"production"' },
};

const node = {
  ...common,
  platform: "node",
  format: "cjs",
  // One sign beyond Latin doubles what a source takes in memory.
  charset: "ascii",
  // The command line's judge, explain and verify run on Node 20; the editor's host is newer.
  target: "node20",
  // VS Code's own loader has trouble with import() in installed extensions; require is what it becomes.
  supported: { "dynamic-import": false },
  external: ["vscode", "pg-native"],
  define: { ...common.define, "import.meta.url": "moduleUrl", "import.meta.dirname": "__dirname" },
};
const MODULE_URL = 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;';

const coreName = (source) => source.replace(/^src\//, "").replace(/\.ts$/, "");
const packageFile = (name) => `packages/${name.replaceAll("/", "-").replace(/\.js$/, "")}.js`;

/** The module's path below the checkout, or undefined when it is not one of our sources. */
function sourceFile(path) {
  const found = [path, `${path}.ts`].find((file) => file.endsWith(".ts") && existsSync(file));
  return found === undefined ? undefined : posix(relative(root, found));
}

/** Makes a lazy package's import a `require` of its file, and notes it in `packages`. */
function lazyPackages(output, packages) {
  return {
    name: "lazy packages",
    setup(build) {
      build.onResolve({ filter: LAZY_PACKAGES }, ({ path, resolveDir }) => {
        if (resolveDir.includes("node_modules")) return undefined;
        packages.add(path);
        return { path: requirePath(output, packageFile(path)), external: true };
      });
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, kind }) => {
        if (kind !== "dynamic-import") return undefined;
        const source = sourceFile(resolve(resolveDir, path));
        const lazy = Object.entries(LAZY_MODULES).find(([, module]) => module === source);
        return lazy && { path: requirePath(output, lazy[0]), external: true };
      });
    },
  };
}

/** Makes imports of shared modules look-ups in core.js, and notes them in `wanted`. A child does so only for what it imports on demand. */
function sharedCore(output, wanted, { onDemandOnly }) {
  return {
    name: "shared core",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, kind, importer }) => {
        if (BEFORE_CORE.includes(posix(relative(root, importer)))) return undefined;
        if (kind === "entry-point" || (onDemandOnly && kind !== "dynamic-import")) return undefined;
        const source = sourceFile(resolve(resolveDir, path));
        if (source === undefined || !SHARED.some((folder) => source.startsWith(folder))) return undefined;
        wanted.add(source);
        return { path: source, namespace: "core" };
      });
      build.onLoad({ filter: /.*/, namespace: "core" }, ({ path }) => ({
        contents: `module.exports = require("core")[${JSON.stringify(coreName(path))}];`,
        loader: "js",
      }));
      build.onResolve({ filter: /^core$/, namespace: "core" }, () => ({
        path: requirePath(output, "core.js"),
        external: true,
      }));
    },
  };
}

const metafiles = {};

async function bundle(output, input, plugins) {
  const shebang = output === "cli.js" ? "#!/usr/bin/env node\n" : "";
  const result = await esbuild.build({
    ...node,
    ...input,
    outfile: join(dist, output),
    banner: { js: `${shebang}"use strict";\n${MODULE_URL}` },
    plugins,
  });
  metafiles[output] = result.metafile;
}

const file = (source) => ({ entryPoints: [join(root, source)] });
const text = (contents) => ({ stdin: { contents, resolveDir: root, sourcefile: "made-by-the-build.js" } });

/** Entries first: they tell which modules core.js must have, and all of them which packages. */
async function bundleNode() {
  const wanted = new Set();
  const packages = new Set();
  for (const [output, source] of Object.entries(ENTRIES)) {
    await bundle(output, file(source), [
      lazyPackages(output, packages),
      sharedCore(output, wanted, { onDemandOnly: false }),
    ]);
  }
  for (const [output, source] of Object.entries(CHILDREN)) {
    await bundle(output, file(source), [
      lazyPackages(output, packages),
      sharedCore(output, wanted, { onDemandOnly: true }),
    ]);
  }
  const getters = [...wanted]
    .sort()
    .map((source) => `  get ${JSON.stringify(coreName(source))}() { return require("./${source}"); },`);
  await bundle("core.js", text(`module.exports = {\n${getters.join("\n")}\n};\n`), [
    lazyPackages("core.js", packages),
  ]);
  for (const name of [...packages].sort()) {
    await bundle(packageFile(name), text(`module.exports = require(${JSON.stringify(name)});\n`), []);
  }
  for (const [output, source] of Object.entries(LAZY_MODULES)) await bundle(output, file(source), []);
  for (const [output, source] of Object.entries(BESIDE_PACKAGES)) {
    copyFileSync(join(root, "node_modules", source), join(dist, output));
  }
}

async function bundlePanel() {
  const result = await esbuild.build({
    ...common,
    platform: "browser",
    format: "iife",
    target: "chrome132",
    // It stands in the document of each panel that is opened.
    minify: true,
    entryPoints: [join(root, "webview-ui/main.ts")],
    outfile: join(dist, "panel.js"),
    tsconfig: join(root, "tsconfig.json"),
  });
  metafiles["panel.js"] = result.metafile;
}

/** The hook plugin's manifest and hooks, as they stand in the sources; its program is bundled. */
function copyPlugin() {
  const source = join(root, "src/agents/plugin");
  const isData = (path) => statSync(path).isDirectory() || path.endsWith(".json");
  cpSync(source, join(dist, "agent-plugin"), { recursive: true, filter: isData });
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function writeSizes() {
  const files = filesBelow(dist).filter((file) => file.endsWith(".js"));
  const sizes = files.map((file) => [posix(relative(dist, file)), readFileSync(file).length]);
  writeFileSync(join(dist, "sizes.json"), `${JSON.stringify(Object.fromEntries(sizes.sort()), null, 2)}\n`);
  return sizes;
}

// A folder that somebody else named may hold what is theirs.
const isOurs = process.argv[2] === undefined && existsSync(dist);
for (const name of isOurs ? readdirSync(dist) : []) {
  if (name !== "types") rmSync(join(dist, name), { recursive: true, force: true });
}
mkdirSync(dist, { recursive: true });
const started = Date.now();
await bundleNode();
await bundlePanel();
copyPlugin();
chmodSync(join(dist, "cli.js"), 0o755);
writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), gatherNotices(root, Object.values(metafiles)));
const readme = readFileSync(join(root, "README.md"), "utf8");
writeFileSync(join(dist, "README.md"), marketplaceReadme(readme));
const total = writeSizes().reduce((sum, [, size]) => sum + size, 0);
console.log(
  `build: ${(total / 1024).toFixed(0)} KB of JavaScript in ${((Date.now() - started) / 1000).toFixed(1)} s`,
);
