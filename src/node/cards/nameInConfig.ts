/** Adds a card's name to `[policies] cards` of a configuration, or takes it out: text in, text out, all else stays as it is written. */
import { appendTo, takeOut } from "../../agents/install/jsonEdit";
import { pathKey } from "../../core/rules/jsonText";
import { tomlSpans } from "../../core/rules/locate";
import { type ConfigFormat, parseConfig } from "../../core/rules/parse";

export interface ConfigText {
  readonly text: string;
  readonly format: ConfigFormat;
}

/** Undefined where it cannot be told how: a person writes it then. The same text where the name is there already. */
export function withCard({ text, format }: ConfigText, card: string): string | undefined {
  const before = cardsIn({ text, format });
  if (before === undefined) return undefined;
  if (before.includes(card)) return text;
  const after = format === "json" ? jsonWith(text, card) : tomlWith(text, card);
  return after !== undefined && sameCards(after, format, [...before, card]) ? after : undefined;
}

export function withoutCard({ text, format }: ConfigText, card: string): string | undefined {
  const before = cardsIn({ text, format });
  if (before === undefined) return undefined;
  if (!before.includes(card)) return text;
  const after = format === "json" ? jsonWithout(text, card) : tomlWithout(text, card);
  const left = before.filter((name) => name !== card);
  return after !== undefined && sameCards(after, format, left) ? after : undefined;
}

/** Undefined where the configuration has mistakes. */
function cardsIn({ text, format }: ConfigText): readonly string[] | undefined {
  const parsed = parseConfig({ text, file: "gateway-hooks", format });
  return parsed.ok ? (parsed.value.policies?.cards ?? []) : undefined;
}

/** Whatever was written, this is what it must mean. */
function sameCards(text: string, format: ConfigFormat, cards: readonly string[]): boolean {
  const found = cardsIn({ text, format });
  return found !== undefined && JSON.stringify(found) === JSON.stringify(cards);
}

function jsonWith(text: string, card: string): string | undefined {
  const edited = appendTo(text, ["policies", "cards"], card);
  return edited.ok ? edited.text : undefined;
}

function jsonWithout(text: string, card: string): string | undefined {
  const edited = takeOut(text, { within: ["policies", "cards"], ours: (value) => value === card, made: [] });
  return edited.ok ? edited.text : undefined;
}

const HEADER = /^[ \t]*\[policies\][ \t]*(?:#[^\n]*)?(?:\r?\n|$)/m;

function tomlWith(text: string, card: string): string | undefined {
  const list = tomlSpans(text).get(pathKey(["policies", "cards"]))?.value;
  if (list !== undefined) {
    const inner = text.slice(list.start + 1, list.end - 1);
    const filled = inner.trimEnd();
    const comma = filled === "" || filled.endsWith(",") ? "" : ",";
    const blank = filled === "" ? "" : " ";
    const at = list.start + 1 + filled.length;
    return `${text.slice(0, at)}${comma}${blank}${JSON.stringify(card)}${text.slice(at)}`;
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const line = `cards = [${JSON.stringify(card)}]${eol}`;
  const header = HEADER.exec(text);
  if (header !== null) {
    const at = header.index + header[0].length;
    return `${text.slice(0, at)}${header[0].endsWith("\n") ? "" : eol}${line}${text.slice(at)}`;
  }
  const end = text === "" || text.endsWith("\n") ? "" : eol;
  return `${text}${end}${text.trim() === "" ? "" : eol}[policies]${eol}${line}`;
}

function tomlWithout(text: string, card: string): string | undefined {
  const list = tomlSpans(text).get(pathKey(["policies", "cards"]))?.value;
  if (list === undefined) return undefined;
  const inner = text.slice(list.start + 1, list.end - 1);
  const written = [JSON.stringify(card), `'${card}'`].find((form) => inner.includes(form));
  if (written === undefined) return undefined;
  const at = inner.indexOf(written);
  const after = /^\s*,[ \t]*/.exec(inner.slice(at + written.length))?.[0];
  const before = after === undefined ? (/,\s*$/.exec(inner.slice(0, at))?.[0] ?? "") : "";
  const left = inner.slice(0, at - before.length) + inner.slice(at + written.length + (after?.length ?? 0));
  return text.slice(0, list.start + 1) + left + text.slice(list.end - 1);
}
