/** Every place on the network that a call would reach: its commands, its addresses. Judges nothing. */
import type { Args, Facets, ToolCall } from "../call";
import { commandDestinations } from "./commandDestinations";
import { type Destination, toAddress } from "./destination";
import { isAddress } from "./hosts";

/** Names under which tools take an address to go to. */
const ADDRESS_ARGUMENT =
  /^(?:(?:base|api|target|page|site|web|web_?site|webhook|callback|request|download|upload|image|file|source|remote|repo|repository|git|server|endpoint|feed|video|audio|document|pdf|start|seed)_?)?(?:ur[il]s?|href|address|link|links|endpoint|webhook|website|site|host|hostname|domain|remote|origin|repository|repo|destination|target)$/i;
/** Tools of these words keep an address or show it to a person; they do not go there. */
const KEEPS =
  /^(?:memory|memories|note|notes|bookmark|bookmarks|todo|todos|task|tasks|issue|issues|ticket|tickets|comment|comments|entity|entities|observation|observations|relation|relations|graph|calendar|contact|contacts|label|labels|search)$/i;
const MAX_DEPTH = 6;
/** `evil.example/x` where a host is asked for. */
const BARE_HOST = /^(?:[a-z0-9-]+\.)+[a-z]{2,24}(?::\d+)?(?:\/\S*)?$/i;

export function callDestinations(
  call: Pick<ToolCall, "toolName" | "canonicalName" | "extra">,
  args: Args,
  facets: Facets,
): readonly Destination[] {
  const inCommands = facets.commands.flatMap(({ text, shell, folder }) =>
    commandDestinations(text, shell).map((to) => inFolder(to, folder)),
  );
  return [...inCommands, ...ofTool(call, args, facets), ...ofServer(call)];
}

/** Where the terminal tool itself names a folder, the command starts in it. */
function inFolder(to: Destination, folder: string | undefined): Destination {
  if (folder === undefined || to.folders === undefined) return to;
  const folders = to.folders.map((own) =>
    own === null || /^([/~]|[a-z]:)/i.test(own) ? own : own === "" ? folder : `${folder}/${own}`,
  );
  return { ...to, folders };
}

function ofTool(
  call: Pick<ToolCall, "toolName" | "canonicalName">,
  args: Args,
  { effect, commands }: Facets,
): readonly Destination[] {
  const by = call.toolName;
  if (call.canonicalName === "WebFetch") return fetched(args).map((text) => toAddress(text, { by }));
  if (/^(WebSearch|web_search|google_web_search|websearch|copilot_web_search)$/i.test(by))
    return [{ host: "web search", what: "take", key: "web search", shown: "a web search", by }];
  // Tools of the tables that go nowhere are known to.
  if (effect !== "unknown" || commands.length > 0 || isTable(call)) return [];
  if (wordsOf(by).some((word) => KEEPS.test(word))) return [];
  const sends = /post|put|patch|send|upload|push|publish|submit|create|notify/i.test(by);
  return addressed(args, 0).map((text) => toAddress(text, { by, what: sends ? "send" : "take" }));
}

function wordsOf(toolName: string): readonly string[] {
  return toolName
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** Tools of VS Code and the agents keep their own names; those of servers and extensions do not. */
function isTable({ toolName, canonicalName }: Pick<ToolCall, "toolName" | "canonicalName">): boolean {
  return canonicalName !== toolName && !canonicalName.startsWith("mcp__");
}

function addressed(value: unknown, depth: number): readonly string[] {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (!Array.isArray(value) && ADDRESS_ARGUMENT.test(name.replaceAll("-", "_"))) {
      const all = [inner].flat().filter((item) => typeof item === "string");
      const isHost = /^(?:.*_)?(?:host|hostname|domain|endpoint|website|site|ur[il]s?|webhook)$/i.test(name);
      return all.filter((text) => isAddress(text.trim()) || (isHost && BARE_HOST.test(text.trim())));
    }
    return addressed(inner, depth + 1);
  });
}

/** What is named an address is one without a scheme too; `file:` is none of the network. */
function fetched(args: Args): readonly string[] {
  const named = Object.entries(args).flatMap(([name, value]) =>
    /^(ur[il]s?|href|address|link)$/i.test(name) ? texts(value) : [],
  );
  return [...new Set([...named, ...texts(args).filter(isAddress)])].filter(
    (text) => !/^(file|vscode[\w-]*|data|about|untitled):/i.test(text),
  );
}

function texts(value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") return [value.trim()];
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((inner: unknown) => texts(inner, depth + 1));
}

/** A server that a person has set up and that is reached over the network, as the door names it. */
function ofServer({ toolName, extra }: Pick<ToolCall, "toolName" | "extra">): readonly Destination[] {
  const { mcpHost } = extra;
  if (typeof mcpHost !== "string") return [];
  return [{ ...toAddress(mcpHost, { by: toolName, what: "send" }), configured: true }];
}
