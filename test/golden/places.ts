/** The folders that the golden calls speak of: a workspace, one outside it, and a link between them. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Args } from "../../src/core/call";

export interface GoldenPlaces {
  readonly ws: string;
  /** Empty; for programs that keep something in a person's home folder. */
  readonly home: string;
  /** The arguments with the folders' paths in place of `{ws}` and `{outside}`. */
  placed(args: Args): Args;
  remove(): Promise<void>;
}

export async function goldenPlaces(): Promise<GoldenPlaces> {
  // Temporary folders are free to read, so "outside" must lie elsewhere.
  const base = await realpath(await mkdtemp(join(homedir(), ".countersign-golden-")));
  const places: Readonly<Record<string, string>> = { ws: join(base, "ws"), outside: join(base, "outside") };
  for (const place of Object.values(places)) {
    await mkdir(place);
    await writeFile(join(place, "notes.txt"), "hello");
  }
  await mkdir(join(base, "home"));
  await symlink(join(base, "outside"), join(base, "ws", "link"));
  return {
    ws: join(base, "ws"),
    home: join(base, "home"),
    placed(args) {
      const filled = JSON.stringify(args).replace(/\{(ws|outside)\}/g, (_whole, name: string) =>
        JSON.stringify(places[name] ?? "").slice(1, -1),
      );
      return JSON.parse(filled) as Args;
    },
    remove: () => rm(base, { recursive: true, force: true }),
  };
}
