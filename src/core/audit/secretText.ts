/** Finds secrets inside free text: command lines, SQL, headers, JSON in strings, error messages. Linear time on any text: the agent writes it. */
import { isPlaceholder } from "./placeholder";
import { SECRET_CONTEXTS, type SecretContext } from "./secretContexts";
import { gateSearch } from "./secretGates";
import { insertedSecrets } from "./secretInserts";
import type { SecretNames } from "./secretKeys";
import { manifestSecrets } from "./secretManifests";
import { SECRET_SHAPES } from "./secretShapes";
import { isDrawn, SPOKEN_SECRETS } from "./secretSpoken";
import { namedValues, type Span } from "./secretValues";
import { textViews } from "./secretViews";

export interface TextRedaction {
  readonly type: string;
  readonly len: number;
}

/** What is longer is replaced as a whole: nothing is written unread. */
const MAX_SCANNED = 64 * 1024;

const MARKER = /\[REDACTED(?::[a-z0-9-]{1,32}:(\d{1,9}))?\]/g;

/** Each pass takes out what only shows once the one before has put its markers; a text made to need more is replaced whole. */
const MAX_PASSES = 6;

/** The text with `[REDACTED:type:len]` in place of each secret. Running it twice changes nothing more. */
export function redactText(text: string, names: SecretNames): { text: string; found: TextRedaction[] } {
  const found: TextRedaction[] = [];
  let clean = text;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    if (clean.length < 5 || PLAIN.test(clean)) return { text: clean, found };
    // Markers may be longer than what they stand for.
    if (clean.length > MAX_SCANNED) return unscanned(text);
    let spans: Span[];
    try {
      spans = findSecrets(clean, names);
    } catch {
      return unscanned(text);
    }
    if (spans.length === 0) return { text: clean, found };
    const once = replaceSpans(clean, spans);
    found.push(...once.found);
    clean = once.text;
  }
  return unscanned(text);
}

/** Hidden as a whole. */
export function unscanned(text: string): { text: string; found: TextRedaction[] } {
  return { text: marker("unscanned", text.length), found: [{ type: "unscanned", len: text.length }] };
}

/** A word of an enumeration, or a digest: the most common texts of a record. */
const PLAIN = /^(?:[a-z_]{0,16}|(?:sha256:)?[0-9a-f]{64})$/;

/** Shapes, then contexts by whether case counts. */
const CONTEXT_GROUPS = ["i", ""].map((flag) =>
  [...SECRET_CONTEXTS, ...SPOKEN_SECRETS].filter(({ gate }) => gate.flags === flag),
);
const SHAPES = 1;
const GATES = gateSearch([SECRET_SHAPES, ...CONTEXT_GROUPS].map((group) => group.map(({ gate }) => gate)));

function findSecrets(text: string, names: SecretNames): Span[] {
  const spans = spansIn(text, names);
  for (const view of textViews(text))
    for (const [start, end, type] of spansIn(view.text, names)) spans.push([...view.place(start, end), type]);
  return spans.length === 0 ? spans : outsideMarkers(text, spans);
}

/** Where secrets stand, in order and apart; for texts whose parts the caller replaces. Nothing in what is too long. */
export function secretSpans(text: string, names: SecretNames): Span[] {
  if (text.length > MAX_SCANNED) return [];
  const apart: Span[] = [];
  for (const [start, end, type] of byStart(findSecrets(text, names))) {
    const last = apart.at(-1);
    if (last === undefined || last[1] <= start) apart.push([start, end, type]);
    else if (end > last[1]) apart[apart.length - 1] = [last[0], end, last[2]];
  }
  return apart;
}

function spansIn(text: string, names: SecretNames): Span[] {
  const spans: Span[] = [];
  privateKeys(text, spans);
  const gates = GATES(text);
  for (const shape of (gates & SHAPES) === 0 ? [] : SECRET_SHAPES) {
    if (!shape.gate.test(text)) continue;
    for (const m of text.matchAll(shape.pattern)) spans.push([m.index, m.index + m[0].length, shape.type]);
  }
  urlPasswords(text, spans);
  for (const [n, contexts] of CONTEXT_GROUPS.entries())
    for (const context of (gates & (2 << n)) === 0 ? [] : contexts) contextSpans(text, context, spans);
  manifestSecrets(text, spans);
  insertedSecrets(text, names, spans);
  namedValues(text, names, spans);
  return spans;
}

/**
 * A marker is no secret, nor is a part of it, nor signs that stand beside it; what goes on behind one may be.
 * No span ends inside a marker.
 */
function outsideMarkers(text: string, spans: readonly Span[]): Span[] {
  const markers = [...text.matchAll(MARKER)].map((m) => [m.index, m.index + m[0].length] as const);
  const kept: Span[] = [];
  let at = 0;
  for (const [start, end, type] of byStart(spans)) {
    while (at < markers.length && (markers[at]?.[1] ?? 0) <= start) at += 1;
    if ((markers[at]?.[0] ?? text.length) < start) continue;
    let whole = end;
    let i = at;
    for (; (markers[i]?.[0] ?? end) < end; i += 1) whole = Math.max(end, markers[i]?.[1] ?? end);
    if (i === at || SPEAKS.test(text.slice(start, whole).replace(MARKER, "")))
      kept.push([start, whole, type]);
  }
  return kept;
}

const SPEAKS = /[\p{L}\p{N}]/u;

function byStart(spans: readonly Span[]): Span[] {
  return spans.toSorted((a, b) => a[0] - b[0] || b[1] - a[1]);
}

/** Spans in order; an earlier one wins, what overlaps it widens it. */
function replaceSpans(text: string, spans: readonly Span[]): { text: string; found: TextRedaction[] } {
  const found: TextRedaction[] = [];
  let out = "";
  let at = 0;
  for (let i = 0; i < spans.length; ) {
    const [start, first, type] = spans[i] ?? [0, 0, ""];
    let end = first;
    for (i += 1; (spans[i]?.[0] ?? Number.POSITIVE_INFINITY) < end; i += 1)
      end = Math.max(end, spans[i]?.[1] ?? end);
    const { all, fresh } = measure(text.slice(start, end));
    out += text.slice(at, start) + marker(type, all);
    found.push({ type, len: fresh });
    at = end;
  }
  return { text: out + text.slice(at), found };
}

/** One stretch of a text replaced by its marker; `len` counts what no earlier marker stands for. */
export function replaced(
  text: string,
  { start, end, type }: { readonly start: number; readonly end: number; readonly type: string },
): { readonly text: string; readonly len: number } {
  const { all, fresh } = measure(text.slice(start, end));
  return { text: text.slice(0, start) + marker(type, all) + text.slice(end), len: fresh };
}

const MAX_LEN = 999_999_999;

/** Units of a secret: what a marker inside it stands for counts in `all`, and was found before. */
function measure(secret: string): { all: number; fresh: number } {
  let hidden = 0;
  const rest = secret.replace(MARKER, (_whole, len: string | undefined) => {
    hidden += Number(len ?? 0);
    return "";
  });
  return { all: Math.min(MAX_LEN, rest.length + hidden), fresh: rest.length };
}

function marker(type: string, len: number): string {
  return `[REDACTED:${type}:${len}]`;
}

/** A PEM private key, also one whose end is cut off. */
function privateKeys(text: string, spans: Span[]): void {
  let from = 0;
  for (;;) {
    const start = text.indexOf("-----BEGIN ", from);
    if (start === -1) return;
    const label = text.slice(start + 11, start + 80);
    const close = label.indexOf("-----");
    from = start + 11;
    if (close === -1 || !label.slice(0, close).includes("PRIVATE KEY")) continue;
    const end = text.indexOf("-----END ", from);
    const stop = end === -1 ? -1 : text.indexOf("-----", end + 9);
    from = stop === -1 ? text.length : stop + 5;
    spans.push([start, from, "private-key"]);
  }
}

const MAX_USERINFO = 512;

/** `scheme://user:password@host`. */
function urlPasswords(text: string, spans: Span[]): void {
  let nextAt = -1;
  for (let i = text.indexOf("://"); i !== -1; i = text.indexOf("://", i + 3)) {
    const start = i + 3;
    if (nextAt < start) nextAt = text.indexOf("@", start);
    if (nextAt === -1) return;
    if (nextAt > start + MAX_USERINFO) continue;
    const rest = text.slice(start, start + MAX_USERINFO);
    const colon = rest.search(/[:/@?#\s"'`<>\\]/);
    const user = rest.slice(0, Math.max(0, colon));
    // A token in place of a name: `https://<token>:x-oauth-basic@host`, `https://<token>@host`.
    if ((rest[colon] === ":" || rest[colon] === "@") && user.length >= 20 && isDrawn(user))
      spans.push([start, start + colon, "url-user"]);
    if (colon === -1 || rest[colon] !== ":") continue;
    const stop = rest.slice(colon).search(/[\s"'`<>]/);
    const word = stop === -1 ? rest : rest.slice(0, colon + stop);
    const last = passwordEnd(word, { colon, isWeb: WEB.test(text.slice(Math.max(0, i - 12), i)) });
    if (last <= colon + 1) continue;
    const password = word.slice(colon + 1, last);
    if (isPlaceholder(password) || NAMED_AFTER.test(password)) continue;
    spans.push([start + colon + 1, start + last, "url-password"]);
  }
}

/** `postgres://user:password@host`, as manuals write it. */
const NAMED_AFTER = /^(?:password|passwd|pass|pwd|secret|token)$/i;

/** Where an `@` in a path is common: everywhere else the last one ends the password, whatever it holds. */
const WEB = /(?:https?|wss?|git|ssh|ftps?|file)$/i;

/** The `@` that ends the password: the last one before the path, else one after a password that itself holds a slash. */
function passwordEnd(word: string, at: { readonly colon: number; readonly isWeb: boolean }): number {
  const slash = word.indexOf("/", at.colon);
  const inAuthority = word.lastIndexOf("@", slash === -1 ? word.length : slash);
  if (inAuthority > at.colon && at.isWeb) return inAuthority;
  return /^:\d{1,5}\//.test(word.slice(at.colon)) ? -1 : word.lastIndexOf("@");
}

function contextSpans(text: string, { type, gate, pattern, accept }: SecretContext, spans: Span[]): void {
  if (!gate.test(text)) return;
  for (const m of text.matchAll(pattern)) {
    const secret = m[1] ?? m[2];
    if (secret === undefined || secret === "" || accept?.(secret) === false) continue;
    const quoted = /^["'].*["']$/s.test(secret) ? 1 : 0;
    const start = m.index + m[0].length - secret.length + quoted;
    const end = m.index + m[0].length - quoted;
    if (end > start && !isPlaceholder(text.slice(start, end))) spans.push([start, end, type]);
  }
}
