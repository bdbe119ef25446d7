/** A search tool that is a program of its own: prints the names of the pages that hold all words of the query. */
import { readdirSync, readFileSync } from "node:fs";

const words = process.argv.slice(2).join(" ").toLowerCase().split(/\s+/);
const pages = new URL("pages/", import.meta.url);
for (const name of readdirSync(pages).sort()) {
  const page = readFileSync(new URL(name, pages), "utf8").toLowerCase();
  if (words.every((word) => page.includes(word))) console.log(name);
}
