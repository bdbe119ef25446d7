/** `node scripts/cardRegistry.mjs`: installs the npm registry that tests push cards to, once, as its lock names it. */
import { join } from "node:path";
import { installPrograms } from "./npmPrograms.mjs";

await installPrograms({
  from: join(import.meta.dirname, "cardRegistry"),
  folder: join(import.meta.dirname, "..", ".card-registry"),
});
