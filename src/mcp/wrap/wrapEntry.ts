/**
 * Puts the proxy before one server in a client's configuration, and takes it out again: text in, text out. Only the words that
 * start the server change; names, variables, secrets and comments stay as they are. Knows no disk.
 */
import { type ConfigText, readConfig, type Span, type Syntax } from "./configText";
import type { Entry } from "./serverEntries";

export interface Wrapped {
  readonly text: string;
  /** What was changed, as it was and as it is: the way back, byte for byte. */
  readonly before: string;
  readonly after: string;
}

export type WrapResult =
  | { readonly ok: true; readonly value: Wrapped }
  | { readonly ok: false; readonly why: string };

export interface WrapPlace {
  readonly text: string;
  readonly syntax: Syntax;
  readonly config: ConfigText;
  /** Absolute path of the launcher. */
  readonly launcher: string;
}

/** The part of the text that wrapping changes, and unwrapping gives back. */
export function changedSpan(entry: Entry, config: ConfigText): Span | undefined {
  const command = config.span([...entry.path, "command"]);
  if (entry.shape === "command list" || command === undefined) return command ?? config.span(entry.path);
  const args = config.span([...entry.path, "args"]);
  if (args === undefined) return command;
  return { start: Math.min(command.start, args.start), end: Math.max(command.end, args.end) };
}

export function wrapEntry(entry: Entry, place: WrapPlace): WrapResult {
  const { reached } = entry;
  if (entry.wrapped) return { ok: false, why: "it is wrapped already" };
  if (reached.kind === "other") return { ok: false, why: reached.why };
  if (reached.kind === "http") return wrapRemote(entry, place);
  return entry.shape === "command list" ? wrapList(entry, place) : wrapPair(entry, place);
}

function wrapPair(entry: Entry, place: WrapPlace): WrapResult {
  const { text, config, launcher } = place;
  const command = config.span([...entry.path, "command"]);
  const args = config.span([...entry.path, "args"]);
  const span = changedSpan(entry, config);
  if (command === undefined || span === undefined)
    return { ok: false, why: "its place in the file cannot be told" };
  const original = text.slice(command.start, command.end);
  const words = `${proxyWords(entry)}, "--", ${original}`;
  const edits =
    args === undefined
      ? // Behind the command on a line of its own: right in JSON and in TOML.
        [
          {
            start: command.start,
            end: command.end,
            with: withArgs(place, { launcher, words, at: command.start }),
          },
        ]
      : [
          { start: command.start, end: command.end, with: quoted(launcher) },
          { start: args.start, end: args.end, with: prefixed(text.slice(args.start, args.end), words) },
        ];
  return done(place, span, edits);
}

/** `command` with an `args` that was not there. */
function withArgs(
  { text, syntax }: WrapPlace,
  made: { readonly launcher: string; readonly words: string; readonly at: number },
): string {
  const lineStart = text.lastIndexOf("\n", made.at) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart, made.at))?.[0] ?? "";
  if (syntax === "toml") {
    const inTable = text.slice(lineStart, made.at).includes("{");
    return inTable
      ? `${quoted(made.launcher)}, args = [${made.words}]`
      : `${quoted(made.launcher)}\n${indent}args = [${made.words}]`;
  }
  return `${quoted(made.launcher)}, "args": [${made.words}]`;
}

function wrapList(entry: Entry, place: WrapPlace): WrapResult {
  const span = changedSpan(entry, place.config);
  if (span === undefined) return { ok: false, why: "its place in the file cannot be told" };
  const list = place.text.slice(span.start, span.end);
  const words = `${quoted(place.launcher)}, ${proxyWords(entry)}, "--"`;
  return done(place, span, [{ ...span, with: prefixed(list, words) }]);
}

/** A server over the network becomes one that is started: what the headers hold goes into variables, which clients fill in as they do headers. */
function wrapRemote(entry: Entry, place: WrapPlace): WrapResult {
  const { reached, shape, path } = entry;
  if (reached.kind !== "http") return { ok: false, why: "it is not reached over the network" };
  if (place.syntax === "toml")
    return { ok: false, why: "a server over the network stays as it is in this file" };
  const span = place.config.span(path);
  if (span === undefined) return { ok: false, why: "its place in the file cannot be told" };
  const names = Object.keys(reached.headers).map((_, index) => `COUNTERSIGN_HEADER_${index + 1}`);
  const variables = Object.fromEntries(
    Object.entries(reached.headers).map(([key, value], index) => [names[index], `${key}: ${value}`]),
  );
  const words = ["mcp", "proxy", `--name=${entry.name}`, "--url", reached.url];
  if (names.length > 0) words.push("--header-env", names.join(","));
  const env = names.length === 0 ? {} : { [shape === "command list" ? "environment" : "env"]: variables };
  const made =
    shape === "command list"
      ? { type: "local", command: [place.launcher, ...words], ...env }
      : { type: "stdio", command: place.launcher, args: words, ...env };
  const lineStart = place.text.lastIndexOf("\n", span.start) + 1;
  const indent = /^[ \t]*/.exec(place.text.slice(lineStart))?.[0] ?? "";
  const unit = /^([ \t]+)\S/m.exec(place.text)?.[1] ?? "  ";
  const eol = place.text.includes("\r\n") ? "\r\n" : "\n";
  const value = JSON.stringify(made, null, unit).replaceAll("\n", eol + indent);
  return done(place, span, [{ ...span, with: value }]);
}

/** `=`: a name that begins with a dash is a name all the same. */
function proxyWords({ name }: Entry): string {
  return ["mcp", "proxy", `--name=${name}`].map(quoted).join(", ");
}

/** JSON's quotes are right in TOML too. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A list with words put before its first one. */
function prefixed(list: string, words: string): string {
  const rest = list.slice(1);
  const empty = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/|#[^\n]*\n)*\]$/.test(rest);
  return `[${words}${empty ? "" : ", "}${rest}`;
}

interface Edit extends Span {
  readonly with: string;
}

function done(place: WrapPlace, span: Span, edits: readonly Edit[]): WrapResult {
  const { text, syntax } = place;
  const after = [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce(
      (part, edit) => part.slice(0, edit.start - span.start) + edit.with + part.slice(edit.end - span.start),
      text.slice(span.start, span.end),
    );
  const now = text.slice(0, span.start) + after + text.slice(span.end);
  const read = readConfig(now, syntax);
  if (!read.ok) return { ok: false, why: `it could not be changed safely: ${read.message}` };
  return { ok: true, value: { text: now, before: text.slice(span.start, span.end), after } };
}

/** The text with the server as it was; `kept` is what wrapping changed, where that is known. */
export function unwrapEntry(
  entry: Entry,
  place: Omit<WrapPlace, "launcher">,
  kept: Pick<Wrapped, "before" | "after"> | undefined,
): WrapResult {
  const { text, config } = place;
  // A server over the network was changed as a whole.
  for (const span of [changedSpan(entry, config), config.span(entry.path)])
    if (span !== undefined && kept !== undefined && text.slice(span.start, span.end) === kept.after)
      return done(place as WrapPlace, span, [{ ...span, with: kept.before }]);
  return rebuilt(entry, place);
}

/** Somebody has changed the entry since: the words of the proxy are taken out of it and the rest stays. */
function rebuilt(entry: Entry, place: Omit<WrapPlace, "launcher">): WrapResult {
  const { reached, path, shape } = entry;
  const { text, config } = place;
  const span = changedSpan(entry, config);
  const cut = reached.kind === "stdio" ? reached.args.indexOf("--") : -1;
  const list = config.span([...path, shape === "command list" ? "command" : "args"]);
  const first = shape === "command list" ? cut + 2 : cut + 1;
  const word = config.span([...path, shape === "command list" ? "command" : "args", first]);
  if (cut < 0 || span === undefined || list === undefined || word === undefined)
    return { ok: false, why: "it was changed since it was wrapped: put its address back by hand" };
  const next = config.span([...path, shape === "command list" ? "command" : "args", first + 1]);
  const rest = (from: Span | undefined): string =>
    `[${from === undefined ? "]" : text.slice(from.start, list.end)}`;
  if (shape === "command list") return done(place as WrapPlace, span, [{ ...list, with: rest(word) }]);
  const command = config.span([...path, "command"]);
  if (command === undefined) return { ok: false, why: "its place in the file cannot be told" };
  return done(place as WrapPlace, span, [
    { ...command, with: text.slice(word.start, word.end) },
    { ...list, with: rest(next) },
  ]);
}
