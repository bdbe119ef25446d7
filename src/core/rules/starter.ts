/** The text of a configuration to start from: every key as a comment with its default, and rules as examples. Knows no file. */
import { keyPaths, keyRules, readKey } from "./keyRules";
import { configSchema, defaultConfig } from "./schema";
import { keysOf } from "./schemaWalk";

const HEAD = `## Countersign: what agents may do in this folder. All that is commented out is the default.
## What only tightens is in force at once; what loosens, and rules that run code, wait until a person accepts them.
## In a program, HookRun has guards beside the rules only where the file has a [chain] as below; remove it for rules alone.
## \`countersign config check\` finds mistakes; \`countersign explain\` shows what becomes of a call.

version = 1
`;

const RULES = `## Rules around calls: a rule's handlers run when all its filters hold. Remove the "# " to use one.

## Refuses every tool whose name fits.
# [[hooks.pre_tool_call]]
# name = "no-deploy"
# matcher = "deploy_.*"
# handlers = [{ type = "deny", reason = "Deployments go through the pipeline." }]

## Refuses a terminal command by its text.
# [[hooks.pre_tool_call]]
# name = "no-force-push"
# matcher = "run_in_terminal|Bash"
# arg = { command = '(?:^|[;&|\\n])\\s*git\\s+(?:-\\S+\\s+\\S+\\s+)*push\\s(?:[^;&|]*\\s)?(?:-[a-z]*f[a-z]*|--force\\S*)(?:\\s|$)' }
# handlers = [{ type = "deny", reason = "Force pushes are done by hand." }]

## Asks a program: exit 0 goes on, exit 2 denies with its standard error as the reason.
# [[hooks.pre_tool_call]]
# name = "review-sql"
# matcher = "db_.*"
# handlers = [{ type = "command", command = ["node", "./check.mjs"], timeout = 5, on_error = "ask" }]

## Tells an endpoint of every call, without the agent waiting for it.
# [[hooks.post_tool_call]]
# name = "metrics"
# handlers = [{ type = "http", url = "http://127.0.0.1:8080/calls", async = true }]
`;

/** Parses as it is, and with every \`# \` before a key or table removed. Comments begin with \`##\`, keys and tables with \`# \`. */
export function starterText(): string {
  const tables = new Map<string, string[]>();
  const texts = new Map(keysOf(configSchema).map(({ path, description }) => [path, description]));
  for (const path of keyPaths) {
    if (path === "version" || keyRules[path].kind === "rules") continue;
    const at = path.lastIndexOf(".");
    const table = path.slice(0, at);
    const lines = tables.get(table) ?? [];
    tables.set(table, lines);
    lines.push(...wrapped(texts.get(path) ?? ""), keyLine(path.slice(at + 1), readKey(defaultConfig, path)));
  }
  const parts = [...tables].map(([table, lines]) => [`[${table}]`, ...lines, ""].join("\n"));
  return `${HEAD}\n${parts.join("\n")}\n${RULES}`;
}

/** What has no default is shown by a word that is allowed. */
const keyLine = (key: string, value: unknown): string =>
  `# ${key} = ${value === undefined ? '"postgresql"' : tomlValue(value)}`;

function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${key} = ${tomlValue(inner)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

const WIDTH = 100;

function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = "##";
  for (const word of text.split(/\s+/u)) {
    if (line.length + word.length + 1 > WIDTH && line !== "##") {
      lines.push(line);
      line = "##";
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
