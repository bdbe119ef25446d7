/** What our installing made in agents' settings files, so that uninstalling leaves what was there before: `~/.countersign/installs.json`. */
import { join } from "node:path";
import * as z from "zod";
import { readPrivateFile, writePrivateFile } from "./privateFile";

const schema = z.record(
  z.string(),
  z.object({
    /** Containers that were not there. */
    made: z.array(z.array(z.union([z.string(), z.number()]))),
    /** Whether the file was not there. */
    created: z.boolean(),
  }),
);
type Installs = z.infer<typeof schema>;
export type KnownInstall = Installs[string];

const placeOf = (home: string): string => join(home, ".countersign", "installs.json");

async function readAll(home: string): Promise<Installs> {
  try {
    const text = await readPrivateFile(placeOf(home));
    return text === undefined ? {} : schema.parse(JSON.parse(text));
  } catch {
    // Without it only empty containers of ours are left behind.
    return {};
  }
}

/** The files that hold a hook of ours, as far as it was told. */
export async function knownInstalls(home: string): Promise<readonly string[]> {
  return Object.keys(await readAll(home));
}

export async function readInstall(home: string, file: string): Promise<KnownInstall | undefined> {
  const all = await readAll(home);
  return Object.hasOwn(all, file) ? all[file] : undefined;
}

/** An install over an earlier one of ours keeps what the first one found. */
export async function rememberInstall(
  home: string,
  file: string,
  install: { readonly made: readonly (readonly (string | number)[])[]; readonly created: boolean },
): Promise<void> {
  const all = await readAll(home);
  const first = all[file];
  const made = [...(first?.made ?? []), ...install.made.map((path) => [...path])];
  const created = first?.created ?? install.created;
  await writePrivateFile(placeOf(home), JSON.stringify({ ...all, [file]: { made, created } }));
}

export async function forgetInstall(home: string, file: string): Promise<void> {
  const { [file]: _, ...rest } = await readAll(home);
  await writePrivateFile(placeOf(home), JSON.stringify(rest));
}
