/** The guard `path_allowlist`: files outside the allowed roots are refused or asked for, credential places always. */
import type { FileSystem } from "../../ports";
import type { Facets, ReadFacets, ToolCall } from "../call";
import { Allow, AskUser, type Decision, Deny, type SessionScope } from "../decision";
import { CountersignError } from "../errors";
import type { Hook } from "../hook";
import { parentOf } from "../paths/canonicalPath";
import { rememberLooks } from "../paths/rememberLooks";
import { resolvePath } from "../paths/resolvePath";
import { allowedPlaces } from "./allowedPlaces";
import { type JudgedPath, judgePath } from "./judgePath";

export interface PathAllowlistOptions {
  /** Absolute folders that a call may use freely: data folder, workspace folders. */
  readonly roots: readonly string[] | ((call: ToolCall) => readonly string[]);
  /** More of them; `~` is expanded, relative ones are taken from the root that holds the cwd. */
  readonly extra: readonly string[];
  /** What happens outside them. The governed import tools are always denied there. */
  readonly outside: "ask" | "deny";
  readonly fs: FileSystem | ((call: ToolCall) => FileSystem);
  readonly facets: ReadFacets;
  /** Temporary folders beside the system's own: reads and writes pass. */
  readonly temp?: readonly string[];
  /** Folders beside the built-in table whose reads pass: toolchains, worktrees. */
  readonly publicReads?: readonly string[];
}

/** Milliseconds: as many files as one command may name, on a slow disk. */
const DEADLINE_MS = 4000;

/** Throws `config.type` when there can never be a root. */
export function pathAllowlist(options: PathAllowlistOptions): Hook {
  if (Array.isArray(options.roots) && options.roots.length === 0 && options.extra.length === 0)
    throw new CountersignError("config.type", "path_allowlist has no roots", {
      hint: "Open a folder, or list one in path_allowlist_extra.",
    });
  return {
    name: "path_allowlist",
    guard: true,
    deadlineMs: DEADLINE_MS,
    async preToolUse(ctx, _toolName, args) {
      const facets = options.facets(ctx.call, args);
      if (facets.paths.length === 0) return Allow();
      const fs = rememberLooks(typeof options.fs === "function" ? options.fs(ctx.call) : options.fs);
      // Both wait for the disk: together they wait once.
      for (const { path } of facets.paths)
        resolvePath({ path, cwd: ctx.call.cwd, fs }).catch(() => undefined);
      const allowed = await allowedPlaces(options, ctx.call, fs);
      if (!allowed.ok) return Deny(allowed.reason);
      const on = { call: ctx.call, fs, allowed, outside: options.outside };
      const judged = await Promise.all(facets.paths.map((facet) => judgePath(facet, on)));
      return combine(judged, facets, ctx.call);
    },
  };
}

function combine(judged: readonly JudgedPath[], facets: Facets, call: ToolCall): Decision {
  const binding = bindingOf(judged);
  const denied = judged.find(({ verdict }) => verdict === "deny");
  if (denied !== undefined) return Deny(denied.message, { binding });
  const asked = judged.filter(({ verdict }) => verdict === "ask");
  const [first] = asked;
  if (first === undefined) return Allow({ binding });
  const scope = sessionScope(asked, facets, call);
  return AskUser({
    prompt: first.message + (asked.length === 1 ? "" : ` (and ${asked.length - 1} more)`),
    details: {
      ...detailsOf(first),
      ...(asked.length === 1 ? {} : { others: asked.slice(1, 20).map(detailsOf) }),
    },
    binding,
    ...(scope === undefined ? {} : { sessionScope: scope }),
  });
}

function detailsOf({ facet, real, outside }: JudgedPath): Record<string, unknown> {
  return { path: facet.path, real: real?.text ?? null, access: facet.access, outside };
}

function bindingOf(judged: readonly JudgedPath[]): Record<string, string> {
  const binding: Record<string, string> = {};
  const counts = new Map<string, number>();
  for (const { facet, real } of judged) {
    if (real === undefined) continue;
    const name = `path:${facet.arg}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    binding[count === 0 ? name : `${name}[${count}]`] = real.text;
  }
  return binding;
}

/** Never for credentials, never for what could not be judged, never for changes by a shell command. */
function sessionScope(
  asked: readonly JudgedPath[],
  facets: Facets,
  call: ToolCall,
): SessionScope | undefined {
  const folders = new Set<string>();
  for (const { real, why, facet } of asked) {
    if (why !== "outside" || real === undefined) return undefined;
    if (facet.access === "write" && facets.commands.length > 0) return undefined;
    folders.add(`${facet.access} ${parentOf(real).text}`);
  }
  const list = [...folders].sort();
  const tool = asked.some(({ facet }) => facet.access === "write") ? ` ${call.canonicalName}` : "";
  return {
    key: `path_allowlist${tool}: ${list.join(", ")}`,
    label: list.map((text) => text.replace(" ", " in ")).join(", "),
  };
}
