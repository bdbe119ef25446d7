/** Turns the words of a bash syntax tree into the text a program would get. Knows nothing of commands. */
import type { HereDoc, Redirection, Word, WordPart } from "unbash";
import type { ShellRedirect } from "./command";

const MAX_EXPANSIONS = 64;
/** A word of more parts is put together only where it may still be the path of a file. */
const MAX_PARTS = 1000;
const MAX_PATH = 8192;

/** One word may become several by brace expansion; null = not statically known. */
export function expandWord(word: Word): readonly (string | null)[] {
  if (word.parts === undefined) return [word.value];
  if (word.parts.length > MAX_PARTS && word.text.length > MAX_PATH) return [null];
  let texts: string[] = [""];
  for (const part of word.parts) {
    const options = partTexts(part);
    if (options === null || texts.length * options.length > MAX_EXPANSIONS) return [null];
    texts = texts.flatMap((head) => options.map((tail) => head + tail));
  }
  return texts;
}

/** The one text of a word, or null. */
export function wordText(word: Word): string | null {
  const texts = expandWord(word);
  return texts.length === 1 ? (texts[0] ?? null) : null;
}

function partTexts(part: WordPart): readonly string[] | null {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [part.value];
    case "Glob":
    case "ExtendedGlob":
      return [part.text];
    case "DoubleQuoted":
    case "LocaleString": {
      let text = "";
      for (const child of part.parts) {
        if (child.type !== "Literal") return null;
        text += child.value;
      }
      return [text];
    }
    case "BraceExpansion":
      return part.parts === undefined ? plainBrace(part.text) : braceTexts(part.parts);
    default:
      return null;
  }
}

function plainBrace(text: string): readonly string[] | null {
  const inner = text.slice(1, -1);
  return /[{}\\'"`$]|\.\./.test(inner) || !inner.includes(",")
    ? null
    : inner.split(",").slice(0, MAX_EXPANSIONS + 1);
}

function braceTexts(parts: readonly WordPart[]): readonly string[] | null {
  const done: string[] = [];
  let open: string[] = [""];
  for (const part of parts) {
    // An escaped comma or a nested brace inside plain text cannot be told apart here.
    if (part.type === "Literal" && (part.text !== part.value || /[{}]/.test(part.text))) return null;
    const pieces = part.type === "Literal" ? part.value.split(",") : [null];
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        done.push(...open);
        open = [""];
      }
      const options = piece === null ? partTexts(part) : [piece];
      if (options === null || open.length * options.length + done.length > MAX_EXPANSIONS) return null;
      open = open.flatMap((head) => options.map((tail) => head + tail));
    }
  }
  const all = [...done, ...open];
  return all.length > 1 ? all : null;
}

/** Redirections in order, and the text on standard input when it is written in the command itself. */
export function readRedirects(list: readonly Redirection[]): {
  redirects: readonly ShellRedirect[];
  heredoc?: string;
} {
  const redirects: ShellRedirect[] = [];
  let heredoc: string | undefined;
  for (const item of list) {
    const fd = item.descriptor?.type === "FileDescriptor" ? { fd: item.descriptor.value } : {};
    if (item.type === "Redirect") {
      redirects.push({ op: item.operator, target: item.target ? wordText(item.target) : null, ...fd });
    } else if (item.type === "HereString") {
      const text = item.target ? wordText(item.target) : null;
      redirects.push({ op: "<<<", target: text, ...fd });
      heredoc = text === null ? (item.target?.value ?? "") : text;
    } else {
      const body = heredocText(item);
      redirects.push({ op: item.operator, target: body.static ? body.text : null, ...fd });
      heredoc = body.text;
    }
  }
  return heredoc === undefined ? { redirects } : { redirects, heredoc };
}

function heredocText(doc: HereDoc): { text: string; static: boolean } {
  const strip = doc.operator === "<<-";
  const { text: source, parts } = doc.body;
  if (doc.delimiter?.quoted) return { text: strip ? stripTabs(source) : source, static: true };
  // Whether the tab after a joined line goes away differs between shells.
  const ambiguous = strip && /\\\n\t/.test(source);
  let text = "";
  let dynamic = false;
  for (const part of parts ?? []) {
    if (part.type === "Literal") text += part.value;
    else {
      dynamic = true;
      text += part.text;
    }
  }
  if (parts === undefined) text = unescapeHeredoc(source);
  return { text: strip ? stripTabs(text) : text, static: !dynamic && !ambiguous };
}

function stripTabs(text: string): string {
  return text.replace(/^\t+/gm, "");
}

/** In an unquoted heredoc a backslash acts only before `$`, a back-tick, a backslash and a line end. */
function unescapeHeredoc(text: string): string {
  return text.replace(/\\(\n|[$`\\])/g, (_, next: string) => (next === "\n" ? "" : next));
}
