/** The configuration of a run, read once. Knows the file's grammar by its parser; builds nothing. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf, type Problem } from "../core/errors";
import { type ConfigFormat, MAX_CONFIG_SIZE, parseConfig } from "../core/rules/parse";
import type { ConfigFile } from "../core/rules/schema";
import { withHandlerProblems } from "./handlers/brokenFile";
import type { HandlerSource } from "./handlers/build";
import { HookError } from "./hookRunErrors";
import { placedProblem, TREE, UNREAD_HINT } from "./hooksConfig";
import { stderrLog } from "./ports";

/** A configuration that was read and checked; what happens to its file afterwards does not matter. */
export interface HookConfig {
  readonly kind: "hook-config";
  /** Absolute, or "config" for a tree from a program. */
  readonly file: string;
  readonly text: string;
  readonly format: ConfigFormat;
  /** Absolute: where relative paths of handlers start. */
  readonly folder: string;
  readonly tree: ConfigFile;
}

/** Throws a HookError with every mistake at its line. `cwd` is absolute. */
export function readHookConfig(
  source: string | ConfigFile | HookConfig | undefined,
  cwd: string,
): HookConfig {
  if (isHookConfig(source)) return source;
  if (typeof source !== "string") {
    return checked({ text: treeText(source ?? {}), file: TREE, format: "json", folder: cwd });
  }
  const file = resolve(cwd, source);
  const format: ConfigFormat = file.endsWith(".json") ? "json" : "toml";
  return checked({ text: readText(file), file, format, folder: dirname(file) });
}

function isHookConfig(source: unknown): source is HookConfig {
  return typeof source === "object" && source !== null && Reflect.get(source, "kind") === "hook-config";
}

/** A copy by way of text: what the program does to its tree later changes no rule. */
function treeText(tree: ConfigFile): string {
  try {
    return JSON.stringify(tree, null, 2);
  } catch (error) {
    throw new HookError(`the configuration cannot be read: ${messageOf(error)}`);
  }
}

type Given = Omit<HookConfig, "kind" | "tree">;

/** What was read of a file whose mistakes an error tells. */
const unparsed = new WeakMap<object, { readonly given: Given; readonly problems: readonly Problem[] }>();

function checked(given: Given): HookConfig {
  const parsed = parseConfig(given);
  if (parsed.ok) return { kind: "hook-config", ...given, tree: parsed.value };
  const error = configError(parsed.problems);
  unparsed.set(error, { given, problems: parsed.problems });
  throw error;
}

/** The same error; of a file with mistakes one that tells what is wrong with its handlers too, which takes a look at other files. */
export async function wholeError(error: unknown, env: HandlerSource["env"]): Promise<unknown> {
  const known = typeof error === "object" && error !== null ? unparsed.get(error) : undefined;
  if (known === undefined) return error;
  const { given, problems } = known;
  const { folder, ...text } = given;
  return configError(await withHandlerProblems(problems, text, { folder, env, log: stderrLog }));
}

export function configError(problems: readonly Problem[]): HookError {
  return new HookError(problems.map(placedProblem).join("\n"), {
    hint: "Mend the lines named and start again.",
  });
}

function readText(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readBytes(file));
  } catch (error) {
    throw new HookError(`${file}: ${messageOf(error)}`, { cause: error, hint: UNREAD_HINT });
  }
}

function readBytes(file: string): Buffer {
  // O_NONBLOCK: a pipe in the file's place must not hold us.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > MAX_CONFIG_SIZE) throw new Error("the file is larger than 1 MiB");
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
