/** Names a card in the workspace's configuration file, or takes its name out. Changes one list and nothing else. */
import { join } from "node:path";
import { replaceFile } from "../agentSettings";
import { CONFIG_TOML, loadWorkspaceConfig } from "../configFiles";
import { withCard, withoutCard } from "./nameInConfig";

export type Named =
  | { readonly kind: "written" | "unchanged"; readonly file: string }
  /** A person has to write it. */
  | { readonly kind: "by hand"; readonly why: string };

export async function nameCard(root: string, card: string, to: "named" | "unnamed"): Promise<Named> {
  const loaded = await loadWorkspaceConfig(root);
  if (loaded.kind === "broken") return { kind: "by hand", why: `${loaded.file} has mistakes` };
  if (loaded.kind === "missing") {
    const file = join(root, CONFIG_TOML);
    if (to === "unnamed") return { kind: "unchanged", file };
    await replaceFile(file, `version = 1\n\n[policies]\ncards = [${JSON.stringify(card)}]\n`, false);
    return { kind: "written", file };
  }
  const { file, text } = loaded;
  const config = { text, format: file.endsWith(".json") ? "json" : "toml" } as const;
  const after = to === "named" ? withCard(config, card) : withoutCard(config, card);
  if (after === undefined) return { kind: "by hand", why: `${file} is written in a way that is left alone` };
  if (after === text) return { kind: "unchanged", file };
  await replaceFile(file, after, false);
  return { kind: "written", file };
}
