/** Takes secrets out of what is about to be recorded: by the name of a field, and by looks inside any text. Never touches what the tool receives. */
import type { Json, JsonObject } from "./canonical";
import { type SecretNames, secretKeys } from "./secretKeys";
import { redactText } from "./secretText";

export interface Redaction {
  /** `args.headers.authorization`, `args.argv[3]`. */
  readonly path: string;
  readonly type: string;
  /** UTF-16 units of what was taken out; 0 where it was not a text. */
  readonly len: number;
}

export interface RedactOptions {
  /** More names that announce a secret. */
  readonly keys?: readonly string[];
  /** Names, as a whole, that do not. */
  readonly exempt?: readonly string[];
}

export interface Redacted<T extends Json> {
  readonly value: T;
  readonly redactions: readonly Redaction[];
}

export interface Redactor {
  /** A structure: fields named like secrets become exactly `[REDACTED]`. */
  readonly value: (value: Json, path: string) => Redacted<Json>;
  /** A text on its own: a reason, an error, a prompt. */
  readonly text: (text: string, path: string) => Redacted<string>;
}

const HIDDEN = "[REDACTED]";
const MAX_LISTED = 100;
const MAX_PATH = 200;
const SECRET_FLAG = /^(?:--?|\/)[A-Za-z][\w.-]{0,63}$/;

interface Walk {
  readonly names: SecretNames;
  readonly found: Redaction[];
}

/** One redactor per log: built once from its options. */
export function createRedactor(options: RedactOptions = {}): Redactor {
  const names = secretKeys(options.keys, options.exempt);
  return {
    value: (value, path) => {
      const walk: Walk = { names, found: [] };
      return { value: walkValue(value, path, walk), redactions: walk.found };
    },
    text: (text, path) => {
      const walk: Walk = { names, found: [] };
      return { value: walkText(text, path, walk), redactions: walk.found };
    },
  };
}

function walkValue(value: Json, path: string, walk: Walk): Json {
  if (typeof value === "string") return walkText(value, path, walk);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return walkList(value, path, walk);
  return walkObject(value, path, walk);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function walkText(text: string, path: string, walk: Walk): string {
  const { text: clean, found } = redactText(text, walk.names);
  for (const { type, len } of found) note(walk, { path, type, len });
  return clean;
}

/** An argument list: the word after `--password` is the secret. */
function walkList(list: readonly Json[], path: string, walk: Walk): Json[] {
  return list.map((item, index) => {
    const before = list[index - 1];
    const at = `${path}[${index}]`;
    if (typeof before === "string" && typeof item === "string" && isSecretFlag(before, item, walk)) {
      return hide(item, at, walk);
    }
    return walkValue(item, at, walk);
  });
}

function isSecretFlag(flag: string, value: string, walk: Walk): boolean {
  if (!SECRET_FLAG.test(flag) || !walk.names.isSecret(flag.replace(/^[-/]+/, ""), value)) return false;
  // Not what looks like the next flag, unless it is a secret itself: `-----BEGIN PRIVATE KEY-----`.
  return !redactText(value, walk.names).text.startsWith("-");
}

function walkObject(object: JsonObject, path: string, walk: Walk): JsonObject {
  const copy: Record<string, Json> = Object.create(null);
  const named = namedBy(object, walk);
  for (const [key, value] of Object.entries(object)) {
    // A name is judged as it will be written, so that a reader of the record comes to the same result.
    const clean = key.length < 16 ? key : redactText(key, walk.names).text;
    const at = `${path}.${clean}`;
    const name = named !== undefined && key.toLowerCase() === "value" ? named : clean;
    // The number stands before: behind, it would read as the rest of a secret.
    const slot = Object.hasOwn(copy, clean) ? `#${Object.keys(copy).length} ${clean}` : clean;
    copy[slot] = walk.names.isSecret(name, value) ? hide(value, at, walk) : walkValue(value, at, walk);
  }
  return copy;
}

/** `{ "name": "Authorization", "value": "..." }`: the field is named by its neighbour. */
function namedBy(object: JsonObject, walk: Walk): string | undefined {
  for (const key of ["name", "key", "header", "Name", "Key"]) {
    const name = object[key];
    if (typeof name !== "string") continue;
    const clean = redactText(name, walk.names).text;
    if (clean.length <= 200) return clean;
  }
  return undefined;
}

function hide(value: Json, path: string, walk: Walk): string {
  if (value !== HIDDEN) note(walk, { path, type: "key", len: typeof value === "string" ? value.length : 0 });
  return HIDDEN;
}

function note(walk: Walk, redaction: Redaction): void {
  if (walk.found.length >= MAX_LISTED) return;
  walk.found.push({ ...redaction, path: redaction.path.slice(0, MAX_PATH) });
}
