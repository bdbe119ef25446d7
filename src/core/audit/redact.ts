/** Takes secrets out of what is about to be recorded: by the name of a field, and by looks inside any text. Never touches what the tool receives. */
import type { Json, JsonObject } from "./canonical";
import { argumentSecrets } from "./secretArguments";
import { neighbourName } from "./secretFields";
import { type SecretNames, secretKeys } from "./secretKeys";
import { redactText, replaced, unscanned } from "./secretText";

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
/** What holds more texts with secrets than any call was seen to hold; each costs time. The rest is hidden unread. */
const MAX_SECRET_TEXTS = 500;
const SECRET_FLAG = /^(?:--?|\/)[A-Za-z][\w.-]{0,63}$/;

interface Walk {
  readonly names: SecretNames;
  readonly found: Redaction[];
  secretTexts: number;
}

/** One redactor per log: built once from its options. */
export function createRedactor(options: RedactOptions = {}): Redactor {
  const names = secretKeys(options.keys, options.exempt);
  return {
    value: (value, path) => {
      const walk: Walk = { names, found: [], secretTexts: 0 };
      return { value: walkValue(value, path, walk), redactions: walk.found };
    },
    text: (text, path) => {
      const walk: Walk = { names, found: [], secretTexts: 0 };
      return { value: walkText(text, path, walk), redactions: walk.found };
    },
  };
}

function walkValue(value: Json, path: string, walk: Walk): Json {
  if (typeof value === "string") return walkText(value, path, walk);
  if (typeof value !== "object" || value === null) return value;
  if (isAnyList(value)) return walkList(value, path, walk);
  return walkObject(value, path, walk);
}

function walkText(text: string, path: string, walk: Walk): string {
  const { text: clean, found } = readText(text, walk);
  for (const { type, len } of found) note(walk, { path, type, len });
  return clean;
}

function readText(text: string, walk: Walk): ReturnType<typeof redactText> {
  if (walk.secretTexts >= MAX_SECRET_TEXTS) return unscanned(text);
  const read = redactText(text, walk.names);
  if (read.found.length > 0) walk.secretTexts += 1;
  return read;
}

/** An argument list, where the word after `--password` is the secret, or a list of names and values. */
function walkList(list: readonly Json[], path: string, walk: Walk): readonly Json[] {
  const isPairs = list.length > 0 && list.every(isPair);
  const items = list.map((item, index) => {
    const before = list[index - 1];
    const at = `${path}[${index}]`;
    if (isPairs && isPair(item)) return walkPair(item, at, walk);
    if (typeof before === "string" && typeof item === "string" && isSecretFlag(before, item, walk)) {
      return hide(item, at, walk);
    }
    return walkValue(item, at, walk);
  });
  return withoutArguments(items, path, walk);
}

/** `["password", "…"]`, as the entries of a map are written. */
function isPair(value: Json): value is readonly [string, Json] {
  return isAnyList(value) && value.length === 2 && typeof value[0] === "string";
}

function isAnyList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function walkPair([key, value]: readonly [string, Json], path: string, walk: Walk): Json[] {
  const clean = walkText(key, `${path}[0]`, walk);
  const at = `${path}[1]`;
  const isSecret = clean.length <= MAX_PATH && walk.names.isSecret(clean, value);
  return [clean, isSecret ? hide(value, at, walk) : walkValue(value, at, walk)];
}

/** A marker may show the next secret, as in a text. */
const MAX_PASSES = 6;

/** What only the words before it announce. */
function withoutArguments(list: readonly Json[], path: string, walk: Walk): readonly Json[] {
  let items = list;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const found = argumentSecrets(items, walk.names);
    if (found.length === 0) return items;
    const copy = [...items];
    // From the end, so that places before it stay what they are.
    for (const { index, start, end, type } of found.toReversed()) {
      const { text, len } = replaced(String(copy[index]), { start, end, type });
      copy[index] = text;
      if (len > 0) note(walk, { path: `${path}[${index}]`, type, len });
    }
    const changed = new Set(found.map(({ index }) => index));
    // Beside its marker an item may read otherwise; only now, so that the places above held.
    items = copy.map((item, index) =>
      changed.has(index) && typeof item === "string" ? walkText(item, `${path}[${index}]`, walk) : item,
    );
  }
  return items.map((item, index) =>
    typeof item === "string" ? hide(item, `${path}[${index}]`, walk) : item,
  );
}

function isSecretFlag(flag: string, value: string, walk: Walk): boolean {
  if (!SECRET_FLAG.test(flag) || !walk.names.isSecret(flag.replace(/^[-/]+/, ""), value)) return false;
  // Not what looks like the next flag, unless it is a secret itself: `-----BEGIN PRIVATE KEY-----`.
  return !redactText(value, walk.names).text.startsWith("-");
}

function walkObject(object: JsonObject, path: string, walk: Walk): JsonObject {
  const copy: Record<string, Json> = Object.create(null);
  const named = neighbourName(object, (name) => redactText(name, walk.names).text);
  const isNamedSecret = (key: string, value: Json): boolean =>
    walk.names.isSecret(key, value) || named(key).some((name) => walk.names.isSecret(name, value));
  let count = 0;
  for (const [key, value] of Object.entries(object)) {
    // A name is judged as it will be written, so that a reader of the record comes to the same result.
    const clean = key.length < 16 ? key : readText(key, walk).text;
    const at = `${path}.${clean}`;
    // The number stands before: behind, it would read as the rest of a secret.
    const slot = Object.hasOwn(copy, clean) ? `#${count} ${clean}` : clean;
    count += 1;
    copy[slot] = isNamedSecret(clean, value) ? hide(value, at, walk) : walkValue(value, at, walk);
  }
  return copy;
}

function hide(value: Json, path: string, walk: Walk): string {
  if (value !== HIDDEN) note(walk, { path, type: "key", len: typeof value === "string" ? value.length : 0 });
  return HIDDEN;
}

function note(walk: Walk, redaction: Redaction): void {
  if (walk.found.length >= MAX_LISTED) return;
  walk.found.push({ ...redaction, path: redaction.path.slice(0, MAX_PATH) });
}
