/** Joins the layers: defaults < user settings < workspace file < environment. Knows what each layer may do, nothing of files. */

import { hidesJudged } from "../audit/judgedNames";
import {
  asList,
  asMap,
  joinValues,
  type KeyPath,
  keyPaths,
  keyRules,
  quotaKeys,
  readKey,
  writeKey,
} from "./keyRules";
import { isUnder } from "./locks";
import { asRules, denyingPart } from "./ruleLists";
import { type Config, type ConfigFile, defaultConfig } from "./schema";
import { changeOf } from "./tightens";

export type Origin = "default" | "user" | "workspace" | "environment";

/** Why a layer's value of a key is not in force. */
export interface LayerNote {
  readonly key: string;
  readonly layer: Origin;
  readonly kind: "waits" | "locked" | "mapped" | "environment";
  readonly message: string;
}

export interface LayersInput {
  readonly user?: ConfigFile;
  readonly workspace?: ConfigFile;
  readonly environment?: ConfigFile;
  /** Key paths or tables that the workspace file and the environment may not loosen. */
  readonly locked?: readonly string[];
  /** What a person has accepted of the workspace file; nothing = only what tightens applies. The library gives the file itself. */
  readonly accepted?: ConfigFile;
  /** "tighten" at hook, broker, MCP and editor doors; "full" in the library and hello-hooks. */
  readonly environmentMode: "tighten" | "full";
}

export interface Effective {
  readonly config: Config;
  /** Where each key's value comes from; lists and maps also have an entry per item: `audit.redact[pin]`, `….tools.kb_add_file`. */
  readonly origins: ReadonlyMap<string, Origin>;
  readonly notes: readonly LayerNote[];
}

interface Building {
  config: Config;
  readonly origins: Map<string, Origin>;
  readonly notes: LayerNote[];
}

type May = (key: KeyPath, wanted: Config, building: Building) => LayerNote["kind"] | "yes";

export function effective(input: LayersInput): Effective {
  const locked = input.locked ?? [];
  const building: Building = { config: defaultConfig, origins: new Map(), notes: [] };
  addLayer(building, "default", defaultConfig, () => "yes");
  if (input.user) addLayer(building, "user", input.user, () => "yes");
  if (input.workspace) addLayer(building, "workspace", input.workspace, workspaceMay(locked, input.accepted));
  if (input.environment) addLayer(building, "environment", input.environment, environmentMay(locked, input));
  return building;
}

/** A workspace value applies when it tightens, or is no looser than what a person accepted for that key. */
function workspaceMay(locked: readonly string[], accepted: ConfigFile | undefined): May {
  return (key, wanted, { config }) => {
    if (changeOf(key, config, wanted) !== "looser") return "yes";
    if (isUnder(key, locked)) return "locked";
    if (accepted === undefined) return "waits";
    const keys = keyRules[key].kind === "quota" ? quotaKeys : [key];
    const known = keys.some((k) => readKey(accepted, k) !== undefined);
    const limit = keys.reduce((at, k) => withLayerValue(at, k, readKey(accepted, k)), config);
    return known && changeOf(key, limit, wanted) !== "looser" ? "yes" : "waits";
  };
}

function environmentMay(locked: readonly string[], { environmentMode }: LayersInput): May {
  return (key, wanted, { config }) => {
    if (changeOf(key, config, wanted) !== "looser") return "yes";
    if (isUnder(key, locked)) return "locked";
    return environmentMode === "full" ? "yes" : "environment";
  };
}

function withLayerValue(config: Config, key: KeyPath, value: unknown): Config {
  return value === undefined ? config : writeKey(config, key, joinValues(key, readKey(config, key), value));
}

function addLayer(building: Building, layer: Origin, tree: ConfigFile, may: May): void {
  // The quota's keys are tried together first: switched on with a high limit it is still stricter than off.
  const quota = quotaKeys.filter((key) => readKey(tree, key) !== undefined);
  const all = quota.reduce((at, key) => withLayerValue(at, key, readKey(tree, key)), building.config);
  const together = quota.every((key) => may(key, all, building) === "yes");
  for (const key of keyPaths) {
    const value =
      keyRules[key].kind === "mapping" ? newMappings(building, layer, tree, key) : readKey(tree, key);
    if (value === undefined) continue;
    const wanted = withLayerValue(building.config, key, value);
    const answer = together && quota.includes(key) ? "yes" : may(key, wanted, building);
    if (answer === "yes") {
      building.config = wanted;
      noteOrigin(building.origins, layer, key, value);
    } else {
      building.notes.push(refusal(key, layer, answer));
      if (keyRules[key].kind === "rules") addDenials(building, layer, key, value);
      if (keyRules[key].kind === "more") addHarmless(building, layer, key, value);
    }
  }
}

/** Of rules that wait or are locked, those that only deny apply all the same. */
function addDenials(building: Building, layer: Origin, key: KeyPath, value: unknown): void {
  const denials = denyingPart(asRules(value));
  if (denials.length === 0) return;
  building.config = withLayerValue(building.config, key, denials);
  building.origins.set(key, layer);
}

/** Of names to hide, those by which no call is judged apply all the same. */
function addHarmless(building: Building, layer: Origin, key: KeyPath, value: unknown): void {
  const harmless = asList(value).filter((name) => !hidesJudged(name));
  if (harmless.length === 0) return;
  building.config = withLayerValue(building.config, key, harmless);
  noteOrigin(building.origins, layer, key, harmless);
}

/** The mappings that a layer may set: the workspace file adds tools and never changes one that is mapped. */
function newMappings(building: Building, layer: Origin, tree: ConfigFile, key: KeyPath): unknown {
  const value = readKey(tree, key);
  if (value === undefined || layer !== "workspace") return value;
  const mapped = asMap(readKey(building.config, key));
  const kept: [string, string][] = [];
  for (const [tool, arg] of Object.entries(asMap(value))) {
    if (!Object.hasOwn(mapped, tool)) kept.push([tool, arg]);
    else if (mapped[tool] !== arg) building.notes.push(refusal(`${key}.${tool}`, layer, "mapped"));
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function noteOrigin(origins: Map<string, Origin>, layer: Origin, key: KeyPath, value: unknown): void {
  origins.set(key, layer);
  if (keyRules[key].kind === "mapping") {
    for (const tool of Object.keys(asMap(value))) origins.set(`${key}.${tool}`, layer);
  } else if (Array.isArray(value)) {
    for (const item of asList(value)) {
      if (!origins.has(`${key}[${item}]`) || keyRules[key].kind === "fixed")
        origins.set(`${key}[${item}]`, layer);
    }
  }
}

const reasons: Readonly<Record<LayerNote["kind"], string>> = {
  waits: "loosens and waits until a person accepts it",
  locked: "is locked by the user setting countersign.locked",
  mapped: "is mapped already; the workspace file may add a tool, never change one",
  environment: "would loosen; here the environment may only tighten",
};

function refusal(key: string, layer: Origin, kind: LayerNote["kind"]): LayerNote {
  return { key, layer, kind, message: `${key} (${layer}) ${reasons[kind]}` };
}
