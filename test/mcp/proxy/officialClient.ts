/** The official SDK's client, installed into a folder of its own, with the few names of it that tests use. */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const project = resolve(import.meta.dirname, "../../..");
const modules = join(project, ".mcp-programs/node_modules/@modelcontextprotocol");

export interface OfficialClient {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  getServerVersion(): { readonly name: string } | undefined;
  getServerCapabilities(): Record<string, unknown> | undefined;
  ping(): Promise<unknown>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<unknown>;
  setLoggingLevel(level: string): Promise<unknown>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    schema?: undefined,
    options?: {
      onprogress?: (progress: { progress: number }) => void;
      signal?: AbortSignal;
      timeout?: number;
    },
  ): Promise<{ content: { type: string; text?: string }[]; structuredContent?: unknown; isError?: boolean }>;
  setRequestHandler(schema: unknown, handler: (request: unknown) => unknown): void;
}

export interface Sdk {
  client(name: string, capabilities: Record<string, unknown>): OfficialClient;
  stdio(options: {
    command: string;
    args: readonly string[];
    cwd: string;
    env: Record<string, string>;
  }): unknown;
  readonly schemas: Readonly<Record<string, unknown>>;
}

/** Installs what is missing. */
export async function loadSdk(): Promise<Sdk> {
  const done = spawnSync(process.execPath, [join(project, "scripts/mcpPrograms.mjs")], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
  const load = async (file: string) => import(pathToFileURL(join(modules, "sdk/dist/esm", file)).href);
  const [{ Client }, { StdioClientTransport }, schemas] = await Promise.all([
    load("client/index.js"),
    load("client/stdio.js"),
    load("types.js"),
  ]);
  return {
    client: (name, capabilities) => new Client({ name, version: "1.0.0" }, { capabilities }),
    stdio: (options) => new StdioClientTransport({ ...options, stderr: "ignore" }),
    schemas,
  };
}

export const serverFile = (name: string): string => join(modules, `server-${name}/dist/index.js`);
