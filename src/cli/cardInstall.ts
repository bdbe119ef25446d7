/** `countersign card install|uninstall`: brings cards into this workspace and takes them out. Installs code, and runs and trusts none of it. */
import { resolve } from "node:path";
import { parseCardName } from "../core/cards/cardName";
import { type CardSpec, parseCardSpec } from "../core/cards/cardVersion";
import { messageOf } from "../core/errors";
import { readLockFile } from "../node/cards/cardLockFile";
import { nameCard } from "../node/cards/configOnDisk";
import {
  type Installed,
  type InstallOptions,
  installCard,
  installLocked,
  type Origin,
  uninstallCard,
} from "../node/cards/installCard";
import type { NpmAnswer } from "../node/cards/npmProgram";
import { cardsPlace, notACard } from "./cardPlace";
import type { Io, Run } from "./io";
import { answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign card install CARD[@RANGE] [--from FOLDER|registry] [--registry URL] [--json]
       countersign card install [--from FOLDER|registry]
       countersign card uninstall CARD

Fetches a card, checks it, puts it into .countersign/cards, locks it in card.lock and names it in gateway-hooks.toml. Its policies
do nothing until a person trusts them: countersign card trust CARD --hooks.
Without CARD: every card of card.lock, exactly as it is locked.
  RANGE          of versions, as npm has them: @acme/backend@^1.2.0
  --from         a folder of pushed cards, or a card's own source; registry (the default) asks your npm program
  --registry     another registry than that of .npmrc
  --allow-lower  takes a version below the locked one
  --json         for programs

Exit: 0 done, 1 refused, 2 wrong usage.
`;

const LINE = {
  name: "card install",
  usage: USAGE,
  texts: ["from", "registry"],
  flags: ["allow-lower", "json"],
  words: 1,
} as const;

export const runCardInstall: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const [text] = asked.words;
  const spec = text === undefined ? undefined : parseCardSpec(text);
  const wrong = (why: string): number => answerUsage({ kind: "wrong", why }, LINE, io);
  if (text !== undefined && spec === undefined)
    return wrong(`${notACard(text)}, and perhaps @ and a range of versions`);
  const { from = "registry", registry } = asked.values;
  if (registry !== undefined && from !== "registry") return wrong("--registry needs no --from");
  if (registry !== undefined && !/^https?:\/\/[^\s"]+$/.test(registry))
    return wrong("--registry is an address that begins with https:// or http://");
  const origin: Origin =
    from === "registry"
      ? {
          kind: "registry",
          npm: { env: io.env, cwd: io.cwd, ...(registry === undefined ? {} : { registry }) },
        }
      : { kind: "folder", folder: resolve(io.cwd, from) };
  const { root } = await cardsPlace(io);
  const options: InstallOptions = {
    root,
    origin,
    lower: asked.flags.has("allow-lower") ? "allow" : "refuse",
  };
  const form = asked.flags.has("json") ? "json" : "text";
  return spec === undefined ? restore(options, form, io) : bring(spec, options, form, io);
};

type Form = "json" | "text";

async function bring(spec: CardSpec, options: InstallOptions, form: Form, io: Io): Promise<number> {
  const done = await installCard(spec, options);
  if (!done.ok) return refuse(`${spec.card.id}: ${done.why}`, form, io);
  const named = await nameCard(options.root, spec.card.id, "named").catch((error: unknown) => ({
    kind: "by hand" as const,
    why: messageOf(error),
  }));
  if (form === "json") {
    await io.stdout(`${JSON.stringify({ ok: true, installed: [done.value], named }, null, 2)}\n`);
    return 0;
  }
  await io.stdout(installedText(done.value));
  if (named.kind === "by hand")
    await io.stdout(
      `add "${spec.card.id}" to cards in [policies] of gateway-hooks.toml yourself: ${named.why}\n`,
    );
  if (done.value.policies.length > 0)
    await io.stdout(
      `its policies do nothing yet; to trust them: countersign card trust ${spec.card.id} --hooks\n`,
    );
  return 0;
}

function installedText({ card, version, folder, before, policies }: Installed): string {
  const changed = before === undefined || before === version ? "" : ` (was ${before})`;
  const names = policies.length === 0 ? "no policies" : `policies ${policies.join(", ")}`;
  return `${card} ${version}${changed}: installed, ${names}\n  ${folder}\n`;
}

async function restore(options: InstallOptions, form: Form, io: Io): Promise<number> {
  const lock = await readLockFile(options.root);
  if (lock.kind !== "read") {
    const why = {
      none: "there is no card.lock here; name a card",
      old: "card.lock is of version 2, which holds no hooks; install its cards by name",
      broken: "card.lock cannot be read",
    };
    return refuse(lock.kind === "broken" ? `${why.broken}: ${lock.why}` : why[lock.kind], form, io);
  }
  const results: [string, NpmAnswer<Installed>][] = [];
  for (const card of Object.keys(lock.cards)) results.push([card, await installLocked(card, options)]);
  const installed = results.flatMap(([, done]) => (done.ok ? [done.value] : []));
  const failed = results.flatMap(([card, done]) => (done.ok ? [] : [`${card}: ${done.why}`]));
  if (form === "json")
    await io.stdout(`${JSON.stringify({ ok: failed.length === 0, installed, failed }, null, 2)}\n`);
  else for (const one of installed) await io.stdout(installedText(one));
  if (form === "text") for (const why of failed) io.stderr(`countersign card install: ${why}\n`);
  return failed.length === 0 ? 0 : 1;
}

export const runCardUninstall: Run = async (argv, io) => {
  const line = { ...LINE, name: "card uninstall", texts: [], flags: [] } as const;
  const asked = readOptions(argv, line);
  if (asked.kind !== "run") return answerUsage(asked, line, io);
  const [card] = asked.words;
  if (card === undefined || parseCardName(card) === undefined)
    return answerUsage(
      { kind: "wrong", why: card === undefined ? "name the card" : notACard(card) },
      line,
      io,
    );
  const { root, dataFolder } = await cardsPlace(io);
  const known = await uninstallCard(root, dataFolder, card);
  const named = await nameCard(root, card, "unnamed");
  if (!known && named.kind === "unchanged") return refuse(`${card} is not installed here`, "text", io);
  await io.stdout(
    `${card}: uninstalled${named.kind === "by hand" ? `; take it out of [policies] yourself: ${named.why}` : ""}\n`,
  );
  return 0;
};

function refuse(why: string, form: Form, io: Io): number {
  if (form === "json") io.stdout(`${JSON.stringify({ ok: false, message: why }, null, 2)}\n`);
  else io.stderr(`countersign card install: ${why}\n`);
  return 1;
}
