/** Opens what our own tools reach, on first use, and keeps it open: databases and knowledge bases. Knows no door and judges nothing. */
import { join } from "node:path";
import type { OwnToolParts } from "../agents/ownTools";
import type { Database } from "./databases/database";
import { ensureDataFolder } from "./dataFolder";
import type { KnowledgeBase } from "./knowledgeBase";
import type { Resolved } from "./resolveWorkspace";

export interface ToolWorkspace {
  readonly root: string;
  /** `<root>/.countersign` */
  readonly folder: string;
  resolved(): Resolved;
}

export interface OwnToolStores {
  partsOf(workspace: ToolWorkspace): OwnToolParts;
  close(): Promise<void>;
}

/** One database per data folder and setting, one knowledge base per data folder; drivers are loaded on first use. */
export function createOwnToolStores(): OwnToolStores {
  const databases = new Map<string, { readonly key: string; readonly database: Promise<Database> }>();
  const bases = new Map<string, Promise<KnowledgeBase>>();

  function databaseOf(workspace: ToolWorkspace): Promise<Database> {
    const { config, origins } = workspace.resolved();
    const { url, max_rows: maxRows } = config.database;
    const readOnly = config.chain.read_only ? "yes" : "no";
    const ownSetting = origins.get("database.url") !== "workspace";
    const key = JSON.stringify([url, maxRows, readOnly, ownSetting]);
    const known = databases.get(workspace.folder);
    if (known?.key === key) return known.database;
    void known?.database.then((database) => database.close()).catch(() => undefined);
    const opened = import("./databases/openDatabase").then(({ openDatabase }) =>
      openDatabase({
        url,
        dataFolder: workspace.folder,
        maxRows,
        readOnly,
        ...(ownSetting ? { env: process.env } : {}),
      }),
    );
    databases.set(workspace.folder, { key, database: opened });
    opened.catch(() => {
      if (databases.get(workspace.folder)?.database === opened) databases.delete(workspace.folder);
    });
    return opened;
  }

  function baseOf(workspace: ToolWorkspace): Promise<KnowledgeBase> {
    const known = bases.get(workspace.folder);
    if (known !== undefined) return known;
    const file = join(workspace.folder, "kb.db");
    const opened = import("./knowledgeBase").then(({ openKnowledgeBase }) => openKnowledgeBase({ file }));
    bases.set(workspace.folder, opened);
    opened.catch(() => bases.delete(workspace.folder));
    return opened;
  }

  return {
    partsOf: (workspace) => ({
      database: async () => {
        await makeFolder(workspace);
        return databaseOf(workspace);
      },
      knowledgeBase: async () => {
        await makeFolder(workspace);
        return baseOf(workspace);
      },
      importCsv: async (options) => (await import("./csvImport")).importCsv(options),
    }),
    async close() {
      const open = [...[...databases.values()].map((one) => one.database), ...bases.values()];
      await Promise.allSettled(open.map(async (one) => (await one).close()));
    },
  };
}

async function makeFolder(workspace: ToolWorkspace): Promise<void> {
  const made = await ensureDataFolder(workspace.root);
  if (!made.ok) throw new Error(made.problems.map((problem) => problem.message).join("; "));
}
