/**
 * Writes what follows from the configuration schema: package.json's contributes.configuration,
 * media/gateway-hooks.schema.json, and three tables of README.md. `--check` writes nothing and exits 1 on drift.
 * `--root DIR` works on another tree.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const project = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({ options: { check: { type: "boolean" }, root: { type: "string" } } });
const root = resolve(values.root ?? project);

const reference = await loadReference();
const targets = {
  "package.json": withContribution,
  "media/gateway-hooks.schema.json": () => `${JSON.stringify(reference.jsonSchema(), null, 2)}\n`,
  "README.md": withTables,
};

const drifted = [];
for (const [name, produce] of Object.entries(targets)) {
  const path = join(root, name);
  const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const after = produce(before);
  if (after === before) continue;
  drifted.push(name);
  if (!values.check) {
    writeFileSync(path, after);
    console.log(`wrote ${name}`);
  }
}
if (values.check && drifted.length > 0) {
  console.error(`out of date: ${drifted.join(", ")}; run node scripts/generate.mjs`);
  process.exitCode = 1;
}

/** The schema is TypeScript: bundled in memory and loaded from there. */
async function loadReference() {
  const { outputFiles } = await build({
    entryPoints: [join(project, "src/core/rules/reference.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

function withContribution(text) {
  if (text === undefined) throw new Error(`${join(root, "package.json")} is missing`);
  const manifest = JSON.parse(text);
  const configuration = reference.settingsContribution();
  manifest.contributes = { ...manifest.contributes, configuration };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function withTables(text) {
  if (text === undefined) throw new Error(`${join(root, "README.md")} is missing`);
  const settings = between(text, "settings", reference.settingsTable());
  const config = between(settings, "config", reference.configTable());
  return between(config, "rules", reference.rulesTable());
}

function between(text, name, body) {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${start} … ${end}`);
  return `${text.slice(0, from + start.length)}\n${body}\n${text.slice(to)}`;
}
