/** Secrets in files that say of themselves that they hold some: Kubernetes secrets, JSON web keys, PuTTY keys. Each text is gone through once. */
import { isPlaceholder } from "./placeholder";
import type { Span } from "./secretValues";

export function manifestSecrets(text: string, spans: Span[]): void {
  if (/\bkind["']?\s{0,4}[:=]\s{0,4}["']?Secret\b(?![A-Za-z])/.test(text)) kubernetesSecret(text, spans);
  if (/"kty\\?"/.test(text)) webKey(text, spans);
  if (text.includes("Private-Lines:")) puttyKey(text, spans);
}

const DATA_HEAD = /^([ \t]{0,64})(?:data|stringData):[ \t]*\r?$/;
const ENTRY = /^([ \t]{1,64})(["']?[\w.-]{1,253}["']?[ \t]{0,8}:[ \t]{1,8})(\S.*)$/;
const FOLDED = /^([ \t]{1,64})(\S.*)$/;

/** Every value below `data:` and `stringData:`, folded ones too. */
function kubernetesSecret(text: string, spans: Span[]): void {
  let at = 0;
  let inside = -1;
  for (const line of text.split("\n")) {
    const head = DATA_HEAD.exec(line);
    if (head !== null) inside = (head[1] ?? "").length;
    else if (inside !== -1 && line.trim() !== "" && line.search(/\S/) <= inside) inside = -1;
    else if (inside !== -1) noteLine(line, at, spans);
    at += line.length + 1;
  }
}

function noteLine(line: string, at: number, spans: Span[]): void {
  const entry = ENTRY.exec(line);
  const lead =
    entry === null
      ? (FOLDED.exec(line)?.[1] ?? "").length
      : (entry[1] ?? "").length + (entry[2] ?? "").length;
  const raw = line.slice(lead).trimEnd();
  const value = raw.replace(/^(["'])(.*)\1$/, "$2");
  if (value === "" || /^[|>][+-]?\d?$/.test(value) || isPlaceholder(value)) return;
  const start = at + lead + raw.indexOf(value);
  spans.push([start, start + value.length, "secret"]);
}

/** The private members of a JSON web key. */
function webKey(text: string, spans: Span[]): void {
  for (const m of text.matchAll(/\\?"(?:d|p|q|dp|dq|qi|k)\\?"\s{0,8}:\s{0,8}\\?"([A-Za-z0-9_-]{16,2048})/g)) {
    const secret = m[1] ?? "";
    const end = m.index + m[0].length;
    spans.push([end - secret.length, end, "web-key"]);
  }
}

function puttyKey(text: string, spans: Span[]): void {
  for (const m of text.matchAll(
    /Private-Lines: \d{1,4}\r?\n((?:[A-Za-z0-9+/=]{1,128}(?:\r?\n|$)){1,400})/g,
  )) {
    const secret = m[1] ?? "";
    const start = m.index + m[0].length - secret.length;
    spans.push([start, start + secret.trimEnd().length, "private-key"]);
  }
}
