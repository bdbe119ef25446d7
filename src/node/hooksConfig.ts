/** The configuration that a program gives `createHooks`: a file or a tree, read once, with what its rules are made of. Builds nothing. */
import { dirname, resolve } from "node:path";
import { CountersignError, formatProblem } from "../core/errors";
import { readEnvironment } from "../core/rules/environment";
import { effective } from "../core/rules/layers";
import { parseConfig } from "../core/rules/parse";
import { type Config, type ConfigFile, libraryLayer } from "../core/rules/schema";
import { loadConfigFile } from "./configFiles";
import type { CreateHooksOptions } from "./hooks";

export interface GivenConfig {
  readonly config: Config;
  /** Absolute: where relative paths of handlers start. */
  readonly folder: string;
  /** What the rules were read from, for problems. */
  readonly file: { readonly file: string; readonly text: string };
}

/** Throws a CountersignError with every mistake of the file, the tree or the environment. */
export async function readGivenConfig(options: CreateHooksOptions): Promise<GivenConfig> {
  const environment = readEnvironment(options.env ?? process.env);
  if (!environment.ok) throw badConfig(environment.problems.map(formatProblem));
  const { layer, folder, file } =
    typeof options.config === "string" ? await fromFile(options.config) : fromTree(options.config);
  // Who brings a person is not served by an agent's own word.
  const user = options.ask === undefined ? libraryLayer : {};
  const layers = { user, environment: environment.value, environmentMode: "full" } as const;
  const { config } = effective(
    layer === undefined ? layers : { ...layers, workspace: layer, accepted: layer },
  );
  return { config, folder, file };
}

interface Layer extends Omit<GivenConfig, "config"> {
  readonly layer: ConfigFile | undefined;
}

async function fromFile(path: string): Promise<Layer> {
  const file = resolve(path);
  const loaded = await loadConfigFile(file);
  if (loaded.kind !== "read")
    throw badConfig(loaded.kind === "broken" ? loaded.problems.map(formatProblem) : []);
  return { layer: loaded.parsed, folder: dirname(file), file: { file, text: loaded.text } };
}

/** A tree from a program is held to the same grammar as a file. */
function fromTree(config: ConfigFile | undefined): Layer {
  const text = JSON.stringify(config ?? {}, null, 2);
  const place = { folder: process.cwd(), file: { file: "config.json", text } };
  if (config === undefined) return { layer: undefined, ...place };
  const parsed = parseConfig({ text, file: "config", format: "json" });
  if (!parsed.ok) throw badConfig(parsed.problems.map(formatProblem));
  return { layer: parsed.value, ...place };
}

function badConfig(lines: readonly string[]): CountersignError {
  return new CountersignError("config.syntax", lines.join("\n"), {
    hint: "Mend the lines named and start again.",
  });
}
