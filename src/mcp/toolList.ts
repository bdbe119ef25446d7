/** The tools as clients list them: names, texts and schemas stand in package.json, once for the editor and for MCP. */
import manifest from "../../package.json";
import texts from "../../package.nls.json";
import { OWN_TOOL_NAMES, type OwnToolName } from "../agents/ownTools";

export interface ListedTool {
  readonly name: OwnToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  /** Hints for the client's own dialogs; nothing here relies on them. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: false;
  };
}

const changes: Readonly<Record<OwnToolName, "nothing" | "adds" | "anything">> = {
  db_query_sql: "anything",
  db_import_csv: "adds",
  kb_add_file: "adds",
  kb_add_path: "adds",
  kb_search: "nothing",
};

export const LISTED_TOOLS: readonly ListedTool[] = OWN_TOOL_NAMES.map((name) => {
  const entry = manifest.contributes.languageModelTools.find((tool) => tool.name === name);
  if (entry === undefined) throw new Error(`package.json does not describe ${name}`);
  return {
    name,
    title: translated(entry.displayName),
    description: entry.modelDescription,
    inputSchema: entry.inputSchema,
    annotations: {
      readOnlyHint: changes[name] === "nothing",
      destructiveHint: changes[name] === "anything",
      openWorldHint: false,
    },
  };
});

export function isListed(name: string): name is OwnToolName {
  return OWN_TOOL_NAMES.some((known) => known === name);
}

function translated(key: string): string {
  return new Map(Object.entries(texts)).get(key.slice(1, -1)) ?? key;
}
