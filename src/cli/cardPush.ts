/** `countersign card push`: packs a card and puts it where others find it. Pushes nothing that doctor calls wrong. */
import { resolve } from "node:path";
import { type CardManifest, policiesOf } from "../core/cards/cardManifest";
import { pushToFolder } from "../node/cards/folderRegistry";
import { type NpmAnswer, npmPublish } from "../node/cards/npmProgram";
import { type PackedCard, packCard } from "../node/cards/packedCard";
import { diagnoseSource, issueLine } from "../node/cards/sourceDoctor";
import { sourceOf } from "./cardPlace";
import type { Io, Run } from "./io";
import { answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign card push CARD [--to FOLDER] [--dry-run] [--json] [--dir DIR]
       countersign card push CARD [--registry URL] [--access public|restricted] [--tag TAG]

Packs CARD as npm packs packages, and puts it into FOLDER, or with your npm program into the registry that your .npmrc
names for its @handle. Your token stays with npm.
  --to        a folder that stands in for a registry
  --registry  another registry than that of .npmrc
  --access    who may read it, where the registry asks; --tag  the tag it gets, latest by default
  --dry-run   packs and checks, pushes nothing; --json  for programs
  --dir       the card's folder; else it is looked for

Exit: 0 pushed, 1 refused, 2 wrong usage.
`;

const ACCESS = /^(?:public|restricted)$/;
const LINE = {
  name: "card push",
  usage: USAGE,
  texts: ["dir", "to", "registry", "access", "tag"],
  flags: ["dry-run", "json"],
  words: 1,
} as const;

export const runCardPush: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const [card] = asked.words;
  const why = card === undefined ? "name the card: @handle/name" : wrongOption(asked.values);
  if (card === undefined || why !== undefined)
    return answerUsage({ kind: "wrong", why: why ?? "name the card" }, LINE, io);
  const form = asked.flags.has("json") ? "json" : "text";
  const ready = await readyToPush(card, asked.values.dir, io);
  if (!ready.ok) return refuse(ready.why, form, io);
  const { manifest, packed, files } = ready;
  const { name, version } = manifest;
  const dry = asked.flags.has("dry-run");
  const pushed = dry ? { ok: true as const } : await send({ name, version, ...packed }, asked.values, io);
  if (!pushed.ok) return refuse(pushed.why, form, io);
  const { integrity, bytes } = packed;
  const size = bytes.length;
  const policies = policiesOf(manifest);
  const result = { ok: true, pushed: !dry, name, version, integrity, bytes: size, policies, files };
  const said = `${name} ${version}: ${dry ? "packed, not pushed" : "pushed"}, ${size} bytes\n${integrity}\n`;
  await io.stdout(
    form === "json"
      ? `${JSON.stringify(result, null, 2)}\n`
      : `${files.map((path) => `  ${path}\n`).join("")}${said}`,
  );
  return 0;
};

type Values = Readonly<Partial<Record<(typeof LINE.texts)[number], string>>>;

function wrongOption({ to, registry, access, tag }: Values): string | undefined {
  if (to !== undefined && (registry ?? access ?? tag) !== undefined)
    return "--to is a folder; it takes no registry, access or tag";
  if (access !== undefined && !ACCESS.test(access)) return "--access is public or restricted";
  if (tag !== undefined && !/^[A-Za-z][\w.-]{0,63}$/.test(tag)) return "--tag is a word";
  if (registry !== undefined && !isAddress(registry))
    return "--registry is an address that begins with https:// or http://";
  return undefined;
}

type Ready =
  | {
      readonly ok: true;
      readonly manifest: CardManifest;
      readonly packed: PackedCard;
      readonly files: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

async function readyToPush(card: string, dir: string | undefined, io: Io): Promise<Ready> {
  const source = await sourceOf(card, dir, io);
  if (!source.ok) return source;
  const { issues, manifest, files } = await diagnoseSource(source.folder, card);
  const errors = issues.filter(({ severity }) => severity === "error");
  if (errors.length > 0 || manifest === undefined || files === undefined)
    return { ok: false, why: `doctor found what must be mended first:\n${errors.map(issueLine).join("\n")}` };
  if (manifest.name !== card) return { ok: false, why: `the card there is ${manifest.name}, not ${card}` };
  const done = packCard(files, manifest);
  if (!done.ok) return done;
  return { ok: true, manifest, packed: done.packed, files: done.files.map(({ path }) => path).sort() };
}

function send(
  packed: PackedCard & { readonly name: string; readonly version: string },
  { to, registry, access, tag }: Values,
  io: Io,
): Promise<NpmAnswer<unknown>> {
  if (to !== undefined) return pushToFolder(resolve(io.cwd, to), packed);
  return npmPublish(packed, {
    env: io.env,
    cwd: io.cwd,
    ...(registry === undefined ? {} : { registry }),
    ...(access === undefined ? {} : { access }),
    ...(tag === undefined ? {} : { tag }),
  });
}

function isAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

function refuse(why: string, form: "json" | "text", io: Io): number {
  if (form === "json") io.stdout(`${JSON.stringify({ ok: false, message: why }, null, 2)}\n`);
  else io.stderr(`countersign card push: ${why}\n`);
  return 1;
}
