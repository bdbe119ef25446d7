/** Reads the modules of trusted policies, and that they are what was trusted. Runs nothing. */
import { readFile, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import type { PolicyKind, PolicySource } from "../../core/policies/types";
import { type GraphModule, type Importable, readModuleGraph } from "../handlers/moduleGraph";

/** What `import { defineToolPolicy } from …` may name. */
const SPECIFIERS: readonly string[] = [
  "countersign/policy",
  "darwinian-minds/hook-policy",
  "darwinian/hook-policy",
];

export const POLICY_IMPORTS: Importable = {
  allows: (specifier) => SPECIFIERS.includes(specifier),
  else: "and a policy may import only files of its own card",
  folder: "the card",
};

export type PolicyModules =
  | {
      readonly ok: true;
      readonly folder: string;
      readonly entry: string;
      readonly modules: readonly GraphModule[];
    }
  | { readonly ok: false; readonly code: string; readonly why: string };

/** Never rejects. */
export async function readPolicy(source: PolicySource): Promise<PolicyModules> {
  const { folder, entry, files } = source;
  const graph = await readModuleGraph(folder, relative(folder, entry), POLICY_IMPORTS);
  if (!graph.ok) return { ok: false, code: "policy_unreadable", why: graph.message };
  const root = await realpath(folder);
  const inside = (path: string, from: string): string => relative(from, path).split(sep).join("/");
  const trusted = new Map(
    files.map(({ path, sha256 }) => [inside(isAbsolute(path) ? path : join(folder, path), folder), sha256]),
  );
  const changed = graph.modules.find(({ path, digest }) => trusted.get(inside(path, root)) !== digest);
  if (changed === undefined) return { ok: true, folder: root, entry: graph.entry, modules: graph.modules };
  const why = `${inside(changed.path, root)} is not what was trusted`;
  return { ok: false, code: "policy_changed", why };
}

const OBSERVER = /\bpolicyKind\s*:\s*(["'])observer\1/u;

/** For one that cannot be loaded: an observer never blocks, if its text leaves no doubt that it is one. */
export async function kindInText({ entry }: PolicySource): Promise<PolicyKind> {
  const text = await readFile(entry, "utf8").catch(() => "");
  const kinds = text.match(/\bpolicyKind\b/gu)?.length ?? 0;
  return kinds === 1 && OBSERVER.test(text) && !text.includes("enforcement") ? "observer" : "enforcement";
}
