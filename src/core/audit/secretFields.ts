/** Which name a field gets from its neighbours: `{ "name": "Authorization", "value": "…" }`, `{ "element": "Password field", "text": "…" }`. Judges no name. */
import type { JsonObject } from "./canonical";
import { keyWords } from "./secretKeys";

/** Fields that hold a name, and the fields beside them that it names; lower case. */
const NAMING: readonly (readonly [names: readonly string[], values: readonly string[]])[] = [
  [["name", "key", "header", "id", "variable", "property"], ["value"]],
  [["k"], ["v"]],
  // What tools that fill in forms are given.
  [
    ["field", "element", "selector", "label", "target", "locator", "placeholder"],
    ["value", "text", "v", "input", "content"],
  ],
];
/** What a form's part is, behind what it is for. */
const PARTS = new Set(
  `field fields input box textbox textfield textarea form control element entry area prompt`.split(/\s+/),
);
const MAX_NAME = 200;

/** Gives for a key of the object the names that its neighbours announce. `clean` is how a name will be written. */
export function neighbourName(
  object: JsonObject,
  clean: (name: string) => string,
): (key: string) => readonly string[] {
  const found: (readonly [name: string, values: readonly string[]])[] = [];
  for (const [key, value] of Object.entries(object)) {
    if (typeof value !== "string" || key.length > 16) continue;
    const row = NAMING.find(([names]) => names.includes(key.toLowerCase()));
    if (row === undefined) continue;
    const name = clean(value);
    if (name.length <= MAX_NAME) found.push([row[0].includes("field") ? purpose(name) : name, row[1]]);
  }
  if (found.length === 0) return () => [];
  return (key) => found.filter(([, values]) => values.includes(key.toLowerCase())).map(([name]) => name);
}

/** `#login-password-input` is for a password, `form.token-form #user` for a user. */
function purpose(name: string): string {
  const words = keyWords(name);
  while (PARTS.has(words.at(-1) ?? "")) words.pop();
  return words.slice(-2).join("_");
}
