/** Which definitions of a server's tools a person has seen or approved, and what has become of them since. Pure; knows no file. */
import { isPlainObject } from "../../core/call";
import type { ToolSighting } from "../../core/guards/toolPin";
import { stableText } from "../../core/values";
import { visibleText } from "../../core/visible";
import type { Hasher } from "../../ports";

/** All of a definition that tells a model or a client what the tool does. */
const PARTS = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const;
type Part = (typeof PARTS)[number];
/** Each part as one text, so that it can be shown. */
export type Definition = Readonly<Partial<Record<Part, string>>>;

export interface Pin {
  readonly digest: string;
  readonly definition: Definition;
  /** Set when the server's other tools were known before this one. */
  readonly late?: true;
  /** What the server lists now, where that is something else. */
  readonly now?: { readonly digest: string; readonly definition: Definition };
}

/** By tool name. */
export type Pins = Readonly<Record<string, Pin>>;

/** Characters kept of a part; the digest covers all of it. */
const MAX_PART = 32_768;
const MAX_TOOLS = 5_000;

/** What is pinned once the server has listed `tools`: what is new is noted, what differs waits for a person. */
export function seen(pins: Pins, tools: readonly unknown[], hash: Hasher): Pins {
  const listed = new Map<string, Record<string, unknown>[]>();
  for (const tool of tools)
    if (isPlainObject(tool) && typeof tool.name === "string")
      listed.set(tool.name, [...(listed.get(tool.name) ?? []), tool]);
  const first = Object.keys(pins).length === 0;
  const next = new Map(Object.entries(pins));
  for (const [name, definitions] of listed) {
    if (next.size >= MAX_TOOLS && !next.has(name)) continue;
    const now = definitionOf(definitions, hash);
    next.set(name, pinned(next.get(name), now, first));
  }
  return Object.fromEntries(next);
}

function pinned(
  known: Pin | undefined,
  now: { digest: string; definition: Definition },
  first: boolean,
): Pin {
  if (known === undefined) return first ? now : { ...now, late: true };
  const { now: _, ...approved } = known;
  return now.digest === known.digest ? approved : { ...approved, now };
}

/** A person was shown the definition `digest` and allowed a call of it. */
export function approved(pins: Pins, tool: string, digest: string): Pins {
  const pin = Object.hasOwn(pins, tool) ? pins[tool] : undefined;
  if (pin?.now?.digest !== digest) return pins;
  return { ...pins, [tool]: pin.now };
}

export function sightingOf(pins: Pins, tool: string): ToolSighting {
  const pin = Object.hasOwn(pins, tool) ? pins[tool] : undefined;
  if (pin === undefined) return { state: "unlisted" };
  const annotations = (pin.now ?? pin).definition.annotations ?? "";
  const said = /"destructiveHint":\s*true/.test(annotations) ? ({ destructive: true } as const) : {};
  if (pin.now === undefined)
    return { state: pin.late === true ? "new" : "approved", digest: pin.digest, ...said };
  const { definition: before } = pin;
  const { definition: after, digest } = pin.now;
  const parts = PARTS.filter((part) => before[part] !== after[part]);
  return {
    state: "changed",
    digest,
    ...said,
    parts: parts.length === 0 ? ["its definition"] : parts,
    lines: parts.flatMap((part) => changeOf(part, before[part], after[part])),
  };
}

function definitionOf(tools: readonly Record<string, unknown>[], hash: Hasher) {
  const [only] = tools;
  // A name listed twice: which of them a call reaches cannot be told, so they are one definition.
  const whole: Record<string, unknown> =
    tools.length === 1 && only !== undefined ? only : { description: tools.map((tool) => stableText(tool)) };
  const parts = PARTS.flatMap((part) => {
    const value = whole[part];
    return value === undefined
      ? []
      : [[part, typeof value === "string" ? value : stableText(value)] as const];
  });
  const digest = hash(stableText([whole.name ?? "", ...parts.map((pair) => [...pair])]));
  const definition: Definition = Object.fromEntries(
    parts.map(([part, text]) => [part, text.length > MAX_PART ? text.slice(0, MAX_PART) : text]),
  );
  return { digest, definition };
}

/** Characters shown on both sides of what changed, and of the change itself. */
const AROUND = 40;
const MAX_SHOWN = 2_000;

/** What was and what is, without what both begin and end with; hidden characters are shown escaped. */
function changeOf(part: Part, before = "", after = ""): readonly string[] {
  let head = 0;
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const cut = (text: string): string => {
    const from = Math.max(0, head - AROUND);
    const to = Math.min(text.length, text.length - tail + AROUND);
    const middle = visibleText(text.slice(from, to));
    const shown = middle.length > MAX_SHOWN ? `${middle.slice(0, MAX_SHOWN)}…` : middle;
    return `${from > 0 ? "…" : ""}${shown}${to < text.length ? "…" : ""}`;
  };
  return [
    `${part} was: ${before === "" ? "(nothing)" : cut(before)}`,
    `${part} is now: ${after === "" ? "(nothing)" : cut(after)}`,
  ];
}
