/** Finds and reads a workspace's configuration file. Knows names and bytes; what is in force is decided elsewhere. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { type ErrorCode, messageOf, type Problem } from "../core/errors";
import { type ConfigFormat, MAX_CONFIG_SIZE, parseConfig } from "../core/rules/parse";
import type { ConfigFile } from "../core/rules/schema";
import { hasCode } from "./privateFile";
import { rememberedFiles } from "./rememberedFile";

export const CONFIG_TOML = "gateway-hooks.toml";
export const CONFIG_JSON = "gateway-hooks.json";

export type LoadedConfig =
  | { readonly kind: "missing" }
  | {
      readonly kind: "read";
      readonly file: string;
      readonly text: string;
      /** SHA-256 of the file's bytes, 64 hex digits. */
      readonly digest: string;
      readonly parsed: ConfigFile;
    }
  | {
      readonly kind: "broken";
      readonly file: string;
      /** Where it could be read as text. */
      readonly text?: string;
      readonly problems: readonly Problem[];
    };

/** Never rejects: what cannot be read is broken, with the reason as a problem. */
export async function loadWorkspaceConfig(root: string): Promise<LoadedConfig> {
  const [toml, json] = [join(root, CONFIG_TOML), join(root, CONFIG_JSON)];
  const [hasToml, hasJson] = await Promise.all([exists(toml), exists(json)]);
  if (hasToml && hasJson) {
    const message = `${CONFIG_TOML} and ${CONFIG_JSON} stand side by side; neither is read`;
    return broken(json, "config.doubled", message, "keep one of the two");
  }
  if (hasToml) return loadConfigFile(toml);
  return hasJson ? loadConfigFile(json) : { kind: "missing" };
}

/** Reads one file; a name that ends in `.json` is JSON, any other TOML. */
export function loadConfigFile(file: string): Promise<LoadedConfig> {
  return unchangedFiles.of(file, () => readConfigFile(file));
}

async function readConfigFile(file: string): Promise<LoadedConfig> {
  let bytes: Buffer;
  try {
    bytes = await readBytes(file);
  } catch (error) {
    const missing = (await exists(file)) ? "the link leads nowhere" : "there is no such file";
    return broken(file, "config.unreadable", hasCode(error, "ENOENT", "ELOOP") ? missing : messageOf(error));
  }
  const digest = createHash("sha256").update(bytes).digest("hex");
  const known = parsedFiles.get(file);
  if (known?.digest === digest) return known.loaded;
  const loaded = parsed(file, bytes, digest);
  // The oldest goes: a window has few folders open.
  if (parsedFiles.size >= MAX_PARSED) parsedFiles.delete(parsedFiles.keys().next().value ?? "");
  parsedFiles.set(file, { digest, loaded });
  return loaded;
}

const MAX_PARSED = 16;
/** Files are asked for with every call. */
const unchangedFiles = rememberedFiles<LoadedConfig>({
  now: Date.now,
  limit: MAX_PARSED,
  holds: ({ kind }) => kind === "read",
});
/** What a file's bytes say, while they are the same: hundreds of rules take long to parse. */
const parsedFiles = new Map<string, { readonly digest: string; readonly loaded: LoadedConfig }>();

function parsed(file: string, bytes: Buffer, digest: string): LoadedConfig {
  const text = decode(bytes);
  if (text === undefined) return broken(file, "config.syntax", "the file is not UTF-8", "save it as UTF-8");
  const format: ConfigFormat = file.endsWith(".json") ? "json" : "toml";
  const result = parseConfig({ text, file, format });
  return result.ok
    ? { kind: "read", file, text, digest, parsed: result.value }
    : { kind: "broken", file, text, problems: result.problems };
}

/** True also for a link that leads nowhere and for a place that may not be looked at: both are no reason to go without a file. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    return !hasCode(error, "ENOENT", "ENOTDIR");
  }
}

async function readBytes(file: string): Promise<Buffer> {
  // O_NONBLOCK: a pipe in the file's place must not hold us.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > MAX_CONFIG_SIZE) throw new Error("the file is larger than 1 MiB");
    const bytes = await handle.readFile();
    if (bytes.length > MAX_CONFIG_SIZE) throw new Error("the file is larger than 1 MiB");
    return bytes;
  } finally {
    await handle.close();
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function broken(file: string, code: ErrorCode, message: string, suggestion?: string): LoadedConfig {
  const problem: Problem = {
    code,
    file,
    line: 1,
    column: 1,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
  return { kind: "broken", file, problems: [problem] };
}
