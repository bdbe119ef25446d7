/** The MCP servers that a client's configuration names, in the words of each client. Pure; changes nothing. */
import { isPlainObject } from "../../core/call";
import { type ConfigText, type Path, valueAt } from "./configText";

/** How a client writes a server down. */
export type Shape =
  /** `command` and `args`, or `url` and `headers`. */
  | "command and args"
  /** `type: "local"` and one `command` list, or `type: "remote"`. */
  | "command list";

export interface Entry {
  readonly name: string;
  readonly path: Path;
  readonly shape: Shape;
  readonly reached:
    | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[] }
    | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
    /** With why it cannot be wrapped. */
    | { readonly kind: "other"; readonly why: string };
  readonly wrapped: boolean;
}

/** The launcher, wherever the home folder is. */
const LAUNCHER = /[/\\]\.countersign[/\\]+bin[/\\]+countersign$/;

export function entriesOf(config: ConfigText, at: Path, shape: Shape): readonly Entry[] {
  const servers = valueAt(config.value, at);
  if (!isPlainObject(servers)) return [];
  return Object.entries(servers).flatMap(([name, value]): Entry[] => {
    if (!isPlainObject(value)) return [];
    const reached = shape === "command list" ? ofList(value) : ofPair(value);
    const words = reached.kind === "stdio" ? [reached.command, ...reached.args] : [];
    const wrapped = LAUNCHER.test(words[0] ?? "") && words[1] === "mcp" && words[2] === "proxy";
    return [{ name, path: [...at, name], shape, reached, wrapped }];
  });
}

function ofPair(value: Record<string, unknown>): Entry["reached"] {
  const { command, args = [], type } = value;
  const url = value.httpUrl ?? value.url;
  if (typeof command === "string" && isTexts(args)) return { kind: "stdio", command, args };
  if (command !== undefined) return { kind: "other", why: "its command cannot be read" };
  if (type === "sse" || (value.httpUrl === undefined && type === undefined && /\/sse\/?$/.test(String(url))))
    return { kind: "other", why: "it speaks the old form over server-sent events, which the proxy does not" };
  return typeof url === "string"
    ? remote(url, value)
    : { kind: "other", why: "it names no command and no address" };
}

function ofList(value: Record<string, unknown>): Entry["reached"] {
  const { command, url } = value;
  const [program, ...args] = isTexts(command) ? command : [];
  if (program !== undefined) return { kind: "stdio", command: program, args };
  return typeof url === "string"
    ? remote(url, value)
    : { kind: "other", why: "it names no command and no address" };
}

function remote(url: string, value: Record<string, unknown>): Entry["reached"] {
  const headers = value.headers ?? value.http_headers ?? {};
  if (
    value.bearer_token_env_var !== undefined ||
    value.env_http_headers !== undefined ||
    value.http_headers !== undefined
  )
    return { kind: "other", why: "its headers are made by the client, which the proxy cannot know" };
  if (value.oauth !== undefined && value.oauth !== false)
    return { kind: "other", why: "the client signs in to it by OAuth, which the proxy cannot" };
  if (!isPlainObject(headers)) return { kind: "other", why: "its headers cannot be read" };
  const texts = Object.entries(headers).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  );
  if (texts.length < Object.keys(headers).length || texts.some(([, text]) => /[\r\n]/.test(text)))
    return { kind: "other", why: "its headers cannot be read" };
  return { kind: "http", url, headers: Object.fromEntries(texts) };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** What stands for a value that only the client knows: it is kept as it is, and so is told. */
export function unknownValues(entry: Entry, config: ConfigText): readonly string[] {
  const text = JSON.stringify(valueAt(config.value, entry.path)) ?? "";
  return [...new Set(text.match(/\$\{[^}"\\]{1,100}\}|\{(?:env|file):[^}"\\]{1,100}\}/g) ?? [])];
}
