/** `countersign card list`: the cards of this workspace and how each stands. Changes nothing. */
import { homedir } from "node:os";
import { LOCK_FILE } from "../core/cards/cardLock";
import { policiesOf } from "../core/cards/cardManifest";
import { createCardConsents } from "../node/cards/cardConsents";
import { readLockFile } from "../node/cards/cardLockFile";
import { type CardState, weighCards } from "../node/cards/cardsInForce";
import { loadWorkspaceConfig } from "../node/configFiles";
import { cardsPlace } from "./cardPlace";
import type { Run } from "./io";
import { answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign card list [--json]

The cards of card.lock and of [policies] in gateway-hooks.toml: version, policies, and whether their hooks are trusted.
`;

const LINE = { name: "card list", usage: USAGE, texts: [], flags: ["json"] } as const;

export const runCardList: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const place = await cardsPlace(io);
  const loaded = await loadWorkspaceConfig(place.root);
  const named = loaded.kind === "read" ? (loaded.parsed.policies?.cards ?? []) : [];
  const lock = await readLockFile(place.root);
  const locked = lock.kind === "read" ? Object.keys(lock.cards) : [];
  const cards = [...new Set([...named, ...locked])].sort();
  const states = await weighCards(place, cards, createCardConsents({ home: homedir() }));
  const rows = states.map((state) => rowOf(state, named.includes(state.card) ? "named" : "unnamed"));
  if (asked.flags.has("json")) {
    await io.stdout(`${JSON.stringify({ root: place.root, cards: rows }, null, 2)}\n`);
    return 0;
  }
  if (lock.kind === "broken") io.stderr(`countersign card list: ${LOCK_FILE} cannot be read: ${lock.why}\n`);
  await io.stdout(rows.map(lineOf).join("") || "no cards here; countersign card install CARD brings one\n");
  return 0;
};

function rowOf({ card, state, found, issue }: CardState, name: "named" | "unnamed") {
  return {
    card,
    version: found?.content.manifest.version ?? null,
    state,
    inConfig: name === "named",
    policies: found === undefined ? [] : policiesOf(found.content.manifest),
    message: issue?.message ?? null,
  };
}

function lineOf({ card, version, state, inConfig, policies, message }: ReturnType<typeof rowOf>): string {
  const notes = [message, inConfig ? null : "not named in [policies] cards: its policies do not run"].filter(
    (note) => note !== null,
  );
  return `${card} ${version ?? "-"} ${state} ${policies.join(", ")}\n${notes.map((note) => `  ${note}\n`).join("")}`;
}
