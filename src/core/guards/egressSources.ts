/** Which secrets a call reads, by the files it names and by what its result holds. Asks nobody, remembers nothing. */
import type { FileSystem } from "../../ports";
import { secretKeys } from "../audit/secretKeys";
import { SECRET_SHAPES } from "../audit/secretShapes";
import { redactText } from "../audit/secretText";
import type { Facets, ToolCall } from "../call";
import { credentialPlaces } from "../paths/credentialPlaces";
import { resolvePath } from "../paths/resolvePath";

/** Longer results are looked at up to here, in UTF-16 units. */
const MAX_SCANNED = 1_048_576;
const MAX_DEPTH = 6;

/** Credential files that the call reads, each with what it holds. */
export async function sourcesInFiles(
  call: ToolCall,
  facets: Facets,
  fs: FileSystem,
): Promise<readonly string[]> {
  const reads = facets.paths.filter(({ access }) => access === "read");
  if (reads.length === 0) return [];
  // All of it waits for the disk at once.
  const [home, ...ends] = await Promise.all([
    resolvePath({ path: fs.home, fs }),
    ...reads.map(({ path }) => resolvePath({ path, cwd: call.cwd, fs })),
  ]);
  const homes = { own: home.ok ? home.real : undefined };
  const found: string[] = [];
  for (const [i, { path }] of reads.entries()) {
    const resolved = ends[i];
    if (resolved?.ok !== true) continue;
    const place = [resolved.real, ...resolved.others].flatMap(
      (real) => credentialPlaces.at(real, homes) ?? [],
    );
    const [first] = place;
    if (first !== undefined) found.push(`${path} (${first.what})`);
  }
  return [...new Set(found)];
}

const NAMES = secretKeys();

/** What kind of secret a result holds; only forms that are known for sure, since everyday text is full of words such as "token". */
export function secretIn(result: unknown): string | undefined {
  let left = MAX_SCANNED;
  for (const text of textsOf(result, 0)) {
    if (left <= 0) return undefined;
    const part = text.slice(0, left);
    left -= part.length;
    const sure = SECRET_SHAPES.find(({ gate, pattern }) => gate.test(part) && part.search(pattern) >= 0);
    if (sure !== undefined) return sure.type;
    if (
      /-----BEGIN [A-Z ]*PRIVATE KEY/.test(part) &&
      redactText(part, NAMES).found.some(({ type }) => type === "private-key")
    )
      return "private-key";
  }
  return undefined;
}

function* textsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null && depth < MAX_DEPTH)
    for (const inner of Object.values(value)) yield* textsOf(inner, depth + 1);
}
