/** Draws the committed list from the corpus: the same rows on every machine. Looks at no verdict. */
import { createHash } from "node:crypto";

const SEED = "countersign 1";
const seeded = (text) => createHash("sha256").update(`${SEED} ${text}`).digest("hex");

/** A third of all texts, by seed: never looked at while rules change. */
export function isHeld(sha256) {
  return Number.parseInt(seeded(sha256).slice(0, 8), 16) % 3 === 0;
}

/** Rows of each dialect and half. */
const PER_DIALECT = 28;
const MAX_TEXT = 4000;

/** One of each kind in turn, so that rare kinds are there and SELECT does not fill the list. */
function inTurn(rows, wanted) {
  const kinds = [...Map.groupBy(rows, (one) => one.kind)].sort(([a], [b]) => (a < b ? -1 : 1));
  const lists = kinds.map(([, list]) =>
    list.toSorted((a, b) => (seeded(a.sha256) < seeded(b.sha256) ? -1 : 1)),
  );
  const out = [];
  for (let turn = 0; out.length < wanted && lists.some((list) => list.length > turn); turn += 1)
    for (const list of lists) if (list[turn] !== undefined && out.length < wanted) out.push(list[turn]);
  return out;
}

/** @param {readonly import("./corpus.mjs").Row[]} corpus */
export function drawRows(corpus) {
  const labelled = corpus.filter((one) => one.want !== undefined && one.sql.length <= MAX_TEXT);
  const tool = labelled.filter((one) => one.source.startsWith("sqlmap") && one.want !== "allow");
  const rest = labelled.filter((one) => !tool.includes(one));
  const halves = [...Map.groupBy(rest, (one) => `${one.dialect} ${one.want === "allow"}`).values()];
  const drawn = [...tool, ...halves.flatMap((list) => inTurn(list, PER_DIALECT))];
  const part = (sha256) => (isHeld(sha256) ? "held" : "tuning");
  return drawn
    .map(({ source, file, sha256, dialect, want, labelledBy }) => ({
      source,
      file,
      sha256,
      dialect,
      want,
      labelledBy,
      part: part(sha256),
    }))
    .sort((a, b) => (a.dialect + a.sha256 < b.dialect + b.sha256 ? -1 : 1));
}
