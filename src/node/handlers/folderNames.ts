/** What a folder holds, as far as that may be run. Reads no contents. */
import { readdir } from "node:fs/promises";

/** Python writes its compiled files while it runs; handlers are kept from reading them. */
export async function entriesOf(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name !== "__pycache__").sort();
}

/** Names in a folder as one text; a folder that is gone has none. Never rejects. */
export async function namesIn(folder: string): Promise<string> {
  return (await entriesOf(folder).catch(() => [])).join("/");
}
