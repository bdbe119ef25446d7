/** The configuration that a program gives `createHooks`: a file or a tree, read once, with what its rules are made of. Builds nothing. */
import { dirname, resolve } from "node:path";
import { CountersignError, formatProblem, type Problem } from "../core/errors";
import { readEnvironment } from "../core/rules/environment";
import { effective } from "../core/rules/layers";
import { parseConfig } from "../core/rules/parse";
import { type Config, type ConfigFile, libraryLayer } from "../core/rules/schema";
import { loadConfigFile } from "./configFiles";
import type { CreateHooksOptions } from "./hooks";
import { statedAuditPath } from "./statedAudit";

export interface GivenConfig {
  readonly config: Config;
  /** Absolute: where relative paths of handlers start. */
  readonly folder: string;
  /** What the rules were read from, for problems. */
  readonly file: { readonly file: string; readonly text: string };
  /** Absolute: where the configuration wants its audit log; absent = it asks for none. */
  readonly auditPath?: string;
}

/** Throws a CountersignError with every mistake of the file, the tree or the environment. */
export async function readGivenConfig(options: CreateHooksOptions): Promise<GivenConfig> {
  const environment = readEnvironment(options.env ?? process.env);
  if (!environment.ok) throw badConfig(environment.problems);
  const { layer, folder, file } =
    typeof options.config === "string" ? await fromFile(options.config) : fromTree(options.config);
  // Who brings a person is not served by an agent's own word.
  const user = options.ask === undefined ? libraryLayer : {};
  const layers = { user, environment: environment.value, environmentMode: "full" } as const;
  const { config } = effective(
    layer === undefined ? layers : { ...layers, workspace: layer, accepted: layer },
  );
  const { profile } = options;
  const auditPath = statedAuditPath(layer, { folder, ...(profile === undefined ? {} : { profile }) });
  return { config, folder, file, ...(auditPath === undefined ? {} : { auditPath }) };
}

interface Layer extends Omit<GivenConfig, "config" | "auditPath"> {
  readonly layer: ConfigFile | undefined;
}

async function fromFile(path: string): Promise<Layer> {
  const file = resolve(path);
  const loaded = await loadConfigFile(file);
  if (loaded.kind !== "read") throw badConfig(loaded.kind === "broken" ? loaded.problems : []);
  return { layer: loaded.parsed, folder: dirname(file), file: { file, text: loaded.text } };
}

/** A tree from a program is held to the same grammar as a file. */
function fromTree(config: ConfigFile | undefined): Layer {
  const text = JSON.stringify(config ?? {}, null, 2);
  const place = { folder: process.cwd(), file: { file: "config.json", text } };
  if (config === undefined) return { layer: undefined, ...place };
  const parsed = parseConfig({ text, file: TREE, format: "json" });
  if (!parsed.ok) throw badConfig(parsed.problems);
  return { layer: parsed.value, ...place };
}

function badConfig(problems: readonly Problem[]): CountersignError {
  const unread = problems.some(({ code }) => code === "config.unreadable");
  return new CountersignError("config.syntax", problems.map(placedProblem).join("\n"), {
    hint: unread ? UNREAD_HINT : "Mend the lines named and start again.",
  });
}

/** What a program calls its tree in problems. */
export const TREE = "config";

/** A tree has no lines: what names its keys has said where it stands. */
export function placedProblem(problem: Problem): string {
  const said = formatProblem(problem);
  return problem.file === TREE ? said.replace(/^config:\d+:\d+: /u, "") : said;
}

export const UNREAD_HINT = "Name the file that is meant, or write one with `countersign init`.";
