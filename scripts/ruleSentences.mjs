/**
 * Writes docs/rules.md: what holds of runs and rules, one line per test, taken from the names of the tests in
 * test/library/hookRun*.test.ts and, of the editor, test/agents/hookDoorRules.test.ts. `--check` writes nothing and exits 1 on drift. `--root DIR` works on another tree.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const project = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({ options: { check: { type: "boolean" }, root: { type: "string" } } });
const root = resolve(values.root ?? project);

const FOLDERS = [
  ["test/library", /^hookRun.*\.test\.ts$/u],
  ["test/agents", /^hookDoorRules\.test\.ts$/u],
];
const TARGET = "docs/rules.md";
const QUOTED = String.raw`("(?:[^"\\]|\\.)*")`;
const HEADING = new RegExp(String.raw`^describe\(${QUOTED}`, "u");
const SENTENCE = new RegExp(String.raw`^\s+test\(\s*${QUOTED}`, "u");
const ANY_TEST = /^\s*(?:test|it|describe)\b/u;

const sections = FOLDERS.flatMap(([folder, wanted]) =>
  (existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [])
    .filter((name) => wanted.test(name))
    .sort()
    .flatMap((name) => sectionsOf(`${folder}/${name}`, readFileSync(join(root, folder, name), "utf8"))),
);

const after = page(sections);
const path = join(root, TARGET);
const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
if (after !== before && values.check) {
  console.error(`out of date: ${TARGET}; run node scripts/ruleSentences.mjs`);
  process.exitCode = 1;
} else if (after !== before) {
  writeFileSync(path, after);
  console.log(`wrote ${TARGET}`);
}

/** Each `describe` is a section, each `test` in it a sentence. A name that cannot be read here would be missing from the page. */
function sectionsOf(name, text) {
  const found = [];
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (!ANY_TEST.test(line)) continue;
    // The formatter puts a long name on the line below its `test(`.
    const written = line.trimEnd().endsWith("(")
      ? `${line.trimEnd()}${(lines[index + 1] ?? "").trim()}`
      : line;
    const heading = HEADING.exec(written)?.[1];
    const sentence = SENTENCE.exec(written)?.[1];
    if (heading !== undefined) found.push({ file: name, title: JSON.parse(heading), sentences: [] });
    else if (sentence !== undefined && found.length > 0) found.at(-1).sentences.push(JSON.parse(sentence));
    else throw new Error(`${name}:${index + 1}: a test needs a plain name inside a describe`);
  }
  return found;
}

function page(all) {
  const seen = new Set();
  for (const text of all.flatMap((section) => section.sentences)) {
    if (seen.has(text)) throw new Error(`two tests are named "${text}"`);
    seen.add(text);
  }
  const parts = all.map(({ file, title, sentences }) => {
    const rows = sentences.map((text) => `| ${cell(text)} | [${basename(file)}](../${file}) |`);
    return `## ${title}\n\n| holds | test |\n|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Runs and rules\n\nWhat holds of \`HookRun\` and the rules of \`gateway-hooks.toml\`. Each line is the name of a test, and this page is made of them: \`node scripts/ruleSentences.mjs\`.\n\n${parts.join("\n")}`;
}

function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
