/** Names of cards, policies and skills: what is safe as an npm name, a folder and a word of a record at once. Knows no disk. */
export interface CardName {
  /** With its `@`. */
  readonly handle: string;
  readonly name: string;
  /** `@handle/name` */
  readonly id: string;
}

/** No `..`, nothing hidden, nothing that ends in a dot: lower-case letters and digits, with single `.`, `_` and `-` between them. */
const PART = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
const MAX_PART = 64;
/** Windows takes these for devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
const TAKEN = new Set(["node_modules", "favicon.ico"]);

export const NAME_RULE =
  "lower-case letters and digits, with single `.`, `_` or `-` between them, at most 64 of them";

/** Undefined = it may be a folder's name; else what is wrong with it. */
export function partProblem(part: string): string | undefined {
  if (part === "") return "it is empty";
  if (part.length > MAX_PART || !PART.test(part)) return `it must be ${NAME_RULE}`;
  if (DEVICE.test(part)) return "some systems take it for a device";
  if (TAKEN.has(part)) return "package programs keep this name for themselves";
  return undefined;
}

/** Undefined where `text` is no `@handle/name`. */
export function parseCardName(text: string): CardName | undefined {
  const [, handle, name] = /^(@[^/@]+)\/([^/@]+)$/.exec(text) ?? [];
  if (handle === undefined || name === undefined) return undefined;
  if (partProblem(handle.slice(1)) !== undefined || partProblem(name) !== undefined) return undefined;
  return { handle, name, id: `${handle}/${name}` };
}
