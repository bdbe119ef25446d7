/** Puts beside a card's source what its author's editor needs to check policies. None of it is packed; what is there stays. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { authorTsconfig, policyTypes, TYPES_FILE } from "../../core/cards/authorTypes";
import { hasCode } from "../privateFile";

export async function writeAuthorFiles(folder: string): Promise<void> {
  const files = { [TYPES_FILE]: policyTypes, "tsconfig.json": authorTsconfig };
  for (const [name, text] of Object.entries(files)) {
    try {
      await writeFile(join(folder, name), text, { flag: "wx" });
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
  }
}
