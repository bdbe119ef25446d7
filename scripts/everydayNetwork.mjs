/**
 * `node scripts/everydayNetwork.mjs NAME=FOLDER …`: prints commands that may reach the network out of the READMEs, pages, scripts and
 * Dockerfiles below the folders (checkouts of public repositories), in the order of their hashes: what was drawn for
 * `test/corpus/everydayNetwork.txt`. Labels are given by a person.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const PROGRAMS =
  "curl|wget|git|npm|npx|yarn|pnpm|bun|pip3?|pipx|docker|go|cargo|gem|brew|apt-get|ssh|scp|rsync|sftp|gh|nc|ping|dig|aws|gsutil|gcloud|az|helm|dnf|yum|apk|gpg|http|rclone|add-apt-repository|kubectl|skopeo|podman";
const STARTS = new RegExp(`^(?:sudo\\s+)?(?:${PROGRAMS})\\s`);
const REACHES = /:\/\/|@|clone|push|pull|fetch|install|add|cp|remote/;
/** Rows of one program, so that no program fills the list. */
const MOST = {
  "apt-get": 4,
  apk: 3,
  npm: 8,
  pip: 4,
  pip3: 3,
  git: 24,
  brew: 3,
  cargo: 4,
  yarn: 3,
  curl: 30,
  wget: 14,
  docker: 6,
  aws: 6,
  go: 4,
  kubectl: 3,
  ssh: 4,
  scp: 3,
  rsync: 3,
};
const FEW = 2;

/** Placeholders of tldr pages become the words in them. */
function plain(line) {
  return line
    .trim()
    .replace(/^(?:RUN|\$|#)\s+/, "")
    .replace(/^`(.*)`$/, "$1")
    .replace(/\{\{([^{}]*)\}\}/g, (_, word) => word.replace(/^\[.*\|--?/, "--").replace(/\]$/, ""));
}

function commandsIn(text) {
  const lines = text.replace(/\\\r?\n\s*/g, " ").split("\n");
  return lines
    .flatMap((line) => plain(line).split(/\s*(?:&&|;)\s*/))
    .filter((part) => STARTS.test(part) && part.length < 180 && !/[{}`]/.test(part) && REACHES.test(part));
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile() && /(?:^Dockerfile|\.sh$|\.md$)/.test(entry.name)) yield path;
  }
}

const rows = new Map();
for (const given of process.argv.slice(2)) {
  const [name, folder] = given.split("=");
  for (const file of filesBelow(folder))
    for (const command of commandsIn(readFileSync(file, "utf8")))
      rows.set(command, `${name}:${relative(folder, file)}`);
}
const hash = (text) => createHash("sha256").update(text).digest("hex");
const counts = {};
for (const [command, source] of [...rows].sort(([a], [b]) => (hash(a) < hash(b) ? -1 : 1))) {
  const program = command.replace(/^sudo\s+/, "").split(" ")[0];
  counts[program] = (counts[program] ?? 0) + 1;
  if (counts[program] <= (MOST[program] ?? FEW)) console.log(`${source}\t${command.replace(/\s+/g, " ")}`);
}
