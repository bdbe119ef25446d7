/** The symbolic links that a path leads through: where one is set to another target, another file runs. Reads no contents. */
import { createHash } from "node:crypto";
import { readlink } from "node:fs/promises";
import { dirname, join, parse, resolve, sep } from "node:path";

/** As the system itself allows. */
const MAX_LINKS = 40;

/** The text of each link on the way, in order; none for a path without one or that is not there. Never rejects. */
export async function linksOn(path: string): Promise<readonly string[]> {
  const texts: string[] = [];
  let place = parse(resolve(path)).root;
  let rest = resolve(path).slice(place.length).split(sep);
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = join(place, name);
    const text = await readlink(next).catch(() => undefined);
    if (text === undefined) {
      place = next;
      continue;
    }
    texts.push(text);
    if (texts.length > MAX_LINKS) return texts;
    const whole = resolve(dirname(next), text, ...rest);
    place = parse(whole).root;
    rest = whole.slice(place.length).split(sep);
  }
  return texts;
}

/** Undefined where no link is on the way; else 64 hex digits over where the links lead and, if given, what lies there. */
export async function linkedDigest(path: string, content = ""): Promise<string | undefined> {
  const links = await linksOn(path);
  if (links.length === 0) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([...links, content]))
    .digest("hex");
}
