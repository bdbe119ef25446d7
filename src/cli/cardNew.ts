/** `countersign card new`: the folder of a new card. Overwrites nothing. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { MANIFEST, manifestText } from "../core/cards/cardManifest";
import { parseCardName } from "../core/cards/cardName";
import { messageOf } from "../core/errors";
import { writeAuthorFiles } from "../node/cards/authorFiles";
import { hasCode } from "../node/privateFile";
import { notACard } from "./cardPlace";
import type { Run } from "./io";
import { answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign card new @HANDLE/NAME [--dir DIR]

Makes the folder NAME, or DIR, with a card.json to start from. Nothing that is there is overwritten.

Exit: 0 made, 1 there is a card already, 2 wrong usage, or it cannot be written.
`;

const LINE = { name: "card new", usage: USAGE, texts: ["dir"], words: 1 } as const;

export const runCardNew: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const [text] = asked.words;
  if (text === undefined) return answerUsage({ kind: "wrong", why: "name the card: @handle/name" }, LINE, io);
  const card = parseCardName(text);
  if (card === undefined) return answerUsage({ kind: "wrong", why: notACard(text) }, LINE, io);
  const folder = resolve(io.cwd, asked.values.dir ?? card.name);
  const file = join(folder, MANIFEST);
  const manifest = {
    name: card.id,
    version: "0.1.0",
    description: "",
    hooks: { include: [] },
    skills: { include: [] },
    servers: {},
  };
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, manifestText(manifest), { flag: "wx" });
    await writeAuthorFiles(folder);
  } catch (error) {
    const there = hasCode(error, "EEXIST");
    io.stderr(
      `countersign card new: ${there ? `${file} is there already; it stays as it is` : messageOf(error)}\n`,
    );
    return there ? 1 : 2;
  }
  await io.stdout(
    `${relative(io.cwd, file)} is written\nnext: countersign card source add-hook ${card.id} POLICY\n`,
  );
  return 0;
};
