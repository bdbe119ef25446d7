/** Hooks that other plugins bring into the editor's agent mode, where they may change a call after ours. Changes nothing, runs nothing. */
import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { parseJsonc } from "../agents/install/jsonc";
import { isPlainObject } from "../core/call";
import type { ForeignHook } from "../core/coverage";
import { readHookSource } from "../core/governance/readHookSource";

/** Where a plugin of each format keeps its hooks. */
const FILES = ["hooks/hooks.json", "hooks.json", "com.github.copilot/hooks/hooks.json"];
const MAX_PLUGINS = 200;

/** Of plugins of other extensions than `own`, and of those that a setting names. Never rejects. */
export async function otherPlugins(own: string): Promise<readonly ForeignHook[]> {
  const folders = [...new Set([...shipped(own), ...named()])].slice(0, MAX_PLUGINS);
  const files = folders.flatMap((folder) => FILES.map((file) => join(folder, file)));
  return (await Promise.all(files.map(hooksIn))).flat();
}

function shipped(own: string): readonly string[] {
  return vscode.extensions.all
    .filter(({ id }) => id !== own)
    .flatMap(({ extensionPath, packageJSON }) => {
      // The host's own parse of package.json: this is the boundary.
      const { contributes } = packageJSON as { readonly contributes?: unknown };
      const plugins = isPlainObject(contributes) ? contributes.chatPlugins : undefined;
      return (Array.isArray(plugins) ? plugins : []).flatMap((plugin) =>
        isPlainObject(plugin) && typeof plugin.path === "string" ? [join(extensionPath, plugin.path)] : [],
      );
    });
}

function named(): readonly string[] {
  const locations = vscode.workspace.getConfiguration("chat").get("pluginLocations");
  if (!isPlainObject(locations)) return [];
  return Object.entries(locations).flatMap(([folder, on]) =>
    on === true && isAbsolute(folder) ? [folder] : [],
  );
}

async function hooksIn(file: string): Promise<readonly ForeignHook[]> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return [];
  const read = parseJsonc(text);
  const source = { agents: ["vscode"], place: "home", path: file, hooks: "hooks" } as const;
  const { foreign } = readHookSource(source, text, read.ok ? read.value : undefined);
  return foreign.map((runs) => ({ file, runs }));
}
