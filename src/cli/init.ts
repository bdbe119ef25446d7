/** `countersign init`: a commented `gateway-hooks.toml` to start from. Overwrites nothing. */
import { lstat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../core/errors";
import { starterText } from "../core/rules/starter";
import { CONFIG_JSON, CONFIG_TOML } from "../node/configFiles";
import { hasCode } from "../node/privateFile";
import type { Run } from "./io";
import { answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign init [--help]

Writes a gateway-hooks.toml into this folder: every key with its default and what
it does, and rules to start from, as comments. A file that is there stays as it is.

Exit: 0 written, 1 there is a file already, 2 wrong usage, or it cannot be written.
`;

const LINE = { name: "init", usage: USAGE, texts: [] } as const;

export const runInit: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const file = join(io.cwd, CONFIG_TOML);
  const there = (await standsThere(file)) ? CONFIG_TOML : CONFIG_JSON;
  if (there === CONFIG_TOML || (await standsThere(join(io.cwd, CONFIG_JSON)))) {
    io.stderr(`countersign init: there is a ${there} already; it stays as it is\n`);
    return 1;
  }
  try {
    // "wx": whatever came here since we looked is not overwritten either, and a link is not followed.
    await writeFile(file, starterText(), { flag: "wx" });
  } catch (error) {
    io.stderr(`countersign init: ${CONFIG_TOML} cannot be written: ${messageOf(error)}\n`);
    return hasCode(error, "EEXIST") ? 1 : 2;
  }
  io.stdout(
    `${CONFIG_TOML} is written; its keys and rules are comments, so nothing changes until you use one\n`,
  );
  return 0;
};

/** A link counts wherever it leads; so does a place that may not be looked at. */
async function standsThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    return !hasCode(error, "ENOENT");
  }
}
