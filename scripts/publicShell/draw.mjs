/** Draws commands that a person then labels: the same ones on every machine. Looks at no verdict. */
import { createHash } from "node:crypto";

const SEED = "countersign shell 1";
const seeded = (text) => createHash("sha256").update(`${SEED} ${text}`).digest("hex");

/** A third of all commands, by seed: never looked at while rules change. */
export function isHeld(sha256) {
  return Number.parseInt(seeded(sha256).slice(0, 8), 16) % 3 === 0;
}

/** Words that make a command worth a look for the destructive half; most of what holds one is harmless nevertheless. */
const LOUD =
  /\b(rm|rmi|rmdir|delete|del|remove|purge|prune|destroy|reset|clean|clear|force|drop|terminate|wipe|wipefs|shred|truncate|mkfs(\.\w+)?|fdisk|dd|kill|killall|pkill|stop|shutdown|reboot|halt|poweroff|drain|uninstall|unpublish|revoke|expire|filter-branch|gc|cleanup|lvremove|vgremove|userdel|deluser|flush|disable|deregister|detach|schedule-key-deletion|restore|checkout|overwrite|sh|bash|eval|deleteall|unlink|forget)\b|--delete|-delete|(^|\s)-f\b|--force/;

const WANTED = { quiet: 15, loud: 34 };

/** One of each program and verb in turn, so that rare ones are there. */
function inTurn(rows, wanted) {
  const verb = ({ command }) =>
    command
      .replace(/^sudo /, "")
      .split(" ")
      .slice(0, 3)
      .filter((word) => !/^-/.test(word))
      .slice(0, /^aws /.test(command) ? 3 : 2)
      .join(" ");
  const kinds = [...Map.groupBy(rows, verb).values()]
    .map((list) => list.toSorted((a, b) => (seeded(a.sha256) < seeded(b.sha256) ? -1 : 1)))
    .toSorted((a, b) => (seeded(a[0].sha256) < seeded(b[0].sha256) ? -1 : 1));
  const out = [];
  for (let turn = 0; out.length < wanted && kinds.some((list) => list.length > turn); turn += 1)
    for (const list of kinds) if (list[turn] !== undefined && out.length < wanted) out.push(list[turn]);
  return out;
}

/** @param {readonly import("./corpus.mjs").Row[]} corpus */
export function drawRows(corpus) {
  const groups = Map.groupBy(
    corpus,
    ({ source, command }) => `${source} ${LOUD.test(command) ? "loud" : "quiet"}`,
  );
  return [...groups].flatMap(([name, rows]) => inTurn(rows, WANTED[name.split(" ")[1]]));
}
