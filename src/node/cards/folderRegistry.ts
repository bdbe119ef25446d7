/** A folder of packed cards that stands in for a registry: `<folder>/@handle/name/<version>.tgz`. Checks nothing of what they hold. */
import { constants } from "node:fs";
import { link, lstat, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { maxSatisfying, rsort } from "semver";
import { MAX_PACKED_BYTES } from "../../core/cards/cardFiles";
import { parseCardName } from "../../core/cards/cardName";
import { isVersion } from "../../core/cards/cardVersion";
import { messageOf } from "../../core/errors";
import { hasCode } from "../privateFile";
import type { NpmAnswer } from "./npmProgram";

function placeOf(folder: string, card: string): string {
  const name = parseCardName(card);
  if (name === undefined) throw new Error(`${card} is no name of a card`);
  return join(folder, name.handle, name.name);
}

/** A version that is there stays as it is, as in a registry. */
export async function pushToFolder(
  folder: string,
  packed: { readonly name: string; readonly version: string; readonly bytes: Uint8Array },
): Promise<NpmAnswer<string>> {
  const place = placeOf(folder, packed.name);
  const file = join(place, `${packed.version}.tgz`);
  const draft = join(place, `.${packed.version}.${process.pid}.tmp`);
  try {
    await mkdir(place, { recursive: true });
    const handle = await open(draft, "wx", 0o644);
    try {
      await handle.writeFile(packed.bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Unlike a rename it fails where there is one.
    await link(draft, file);
    return { ok: true, value: file };
  } catch (error) {
    if (hasCode(error, "EEXIST"))
      return { ok: false, why: `version ${packed.version} is there already: raise the version in card.json` };
    return { ok: false, why: messageOf(error) };
  } finally {
    await rm(draft, { force: true });
  }
}

/** The highest version in the range; without one the highest that is no pre-release. */
export async function fetchFromFolder(
  folder: string,
  card: string,
  range: string | undefined,
): Promise<NpmAnswer<Uint8Array>> {
  try {
    const place = placeOf(folder, card);
    const names = await readdir(place);
    const versions = names.flatMap((name) => {
      const version = name.replace(/\.tgz$/, "");
      return name.endsWith(".tgz") && isVersion(version) ? [version] : [];
    });
    const best =
      maxSatisfying(versions, range ?? "*") ?? (range === undefined ? rsort(versions)[0] : undefined);
    if (best === undefined || best === null)
      return {
        ok: false,
        why: `no version of ${card} there is in ${range ?? "*"}; there are ${rsort(versions).slice(0, 5).join(", ") || "none"}`,
      };
    return { ok: true, value: await readPacked(join(place, `${best}.tgz`)) };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return { ok: false, why: `${card} is not in ${folder}` };
    return { ok: false, why: messageOf(error) };
  }
}

async function readPacked(file: string): Promise<Uint8Array> {
  if (!(await lstat(file)).isFile()) throw new Error(`${file} is no regular file`);
  const handle = await open(
    file,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > MAX_PACKED_BYTES) throw new Error(`${file} is larger than 16 MiB`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
