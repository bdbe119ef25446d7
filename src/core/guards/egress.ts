/** The guard `egress`: a host nobody knows is asked for once per session; after a secret was seen, every destination is. */
import type { FileSystem } from "../../ports";
import type { Args, ReadFacets, ToolCall } from "../call";
import { sessionKey } from "../consent";
import { Allow, AskUser } from "../decision";
import { callDestinations } from "../egress/callDestinations";
import type { Destination } from "../egress/destination";
import { hostList, isLoopback, isOneOf, repositoryOf } from "../egress/hosts";
import { KNOWN_TO_TAKE_FROM } from "../egress/knownHosts";
import type { Hook } from "../hook";
import { rememberLooks } from "../paths/rememberLooks";
import type { EgressMemory } from "./egressMemory";
import { secretIn, sourcesInFiles } from "./egressSources";

export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** The remotes of the repository at `folder` (absolute, or below the cwd); undefined = there is none. Never rejects. */
export type ReadRemotes = (cwd: string | undefined, folder: string) => Promise<readonly Remote[] | undefined>;

export interface EgressOptions {
  readonly facets: ReadFacets;
  readonly fs: FileSystem | ((call: ToolCall) => FileSystem);
  /** Hosts that are never asked for; `*.example.com` means every host below it. */
  readonly known: readonly string[];
  readonly memory: EgressMemory;
  /** Absent = a remote is taken for the repository's own by its name. */
  readonly remotes?: ReadRemotes;
}

export function egress(options: EgressOptions): Hook {
  const { memory } = options;
  return {
    name: "egress",
    guard: true,
    async preToolUse({ call }, _toolName, args) {
      const session = sessionKey(call);
      memory.began(session, call.callId);
      const facets = options.facets(call, args);
      const all = callDestinations(call, args, facets);
      if (all.length === 0) return Allow();
      const fs = rememberLooks(typeof options.fs === "function" ? options.fs(call) : options.fs);
      const here = await sourcesInFiles(call, facets, fs);
      const asked: Destination[] = [];
      for (const to of all) if (!(await passes(to, { call, session, here, options }))) asked.push(to);
      return verdict(asked, [...here, ...memory.sources(session)]);
    },
    async postToolUse({ call, outcome }, _toolName, args, result) {
      if (outcome?.kind !== "run") return;
      const session = sessionKey(call);
      const facets = options.facets(call, args);
      const places = callDestinations(call, args, facets).flatMap(({ key }) => (key === "" ? [] : [key]));
      memory.letThrough(session, call.callId, places);
      for (const source of await seen(call, { args, result }, options)) memory.saw(session, source);
    },
  };
}

const comesFrom = hostList(KNOWN_TO_TAKE_FROM);

interface On {
  readonly call: ToolCall;
  readonly session: string;
  /** Secrets that this very call reads. */
  readonly here: readonly string[];
  readonly options: EgressOptions;
}

async function passes(to: Destination, on: On): Promise<boolean> {
  const { memory, known } = on.options;
  const { host } = to;
  if (host !== null && (isLoopback(host) || isOneOf(host, known))) return true;
  if (on.here.length > 0) return false;
  if (to.key !== "" && memory.knows(on.session, to.key)) return true;
  if (memory.sources(on.session).length > 0) return false;
  if (to.configured || (await isOwn(to, on))) return true;
  return to.what === "take" && host !== null && comesFrom(host);
}

/** The repository's own remotes, by name or by address. */
async function isOwn(to: Destination, { call, options }: On): Promise<boolean> {
  if (to.remote === undefined && to.repository === undefined) return false;
  if (options.remotes === undefined) return to.remote !== undefined;
  const folders = to.folders ?? [""];
  if (folders.length === 0 || folders.includes(null)) return false;
  for (const folder of folders) {
    const remotes = await options.remotes(call.cwd, folder ?? "");
    // Without a repository git refuses by itself.
    if (remotes === undefined && to.remote !== undefined) continue;
    const own = (remotes ?? []).some(({ name, url }) =>
      to.remote === undefined ? repositoryOf(url) === to.repository : to.remote === "" || to.remote === name,
    );
    if (!own) return false;
  }
  return true;
}

function verdict(asked: readonly Destination[], sources: readonly string[]) {
  const [first] = asked;
  if (first === undefined) return Allow();
  const to = first.host === null ? `a place that nobody can tell (${first.shown})` : first.shown;
  const [source] = sources;
  const verb = first.verb ?? (first.what === "send" ? "Send something to" : "Reach");
  const others = asked.length === 1 ? "" : ` (and ${asked.length - 1} more)`;
  const why =
    source === undefined
      ? "This session has not used it yet."
      : `This session has read ${source}${sources.length === 1 ? "" : ` and ${sources.length - 1} more`}, which could be carried off.`;
  return AskUser({
    prompt: `${verb} ${to} with ${first.by}${others}. ${why}`,
    details: {
      destination: first.shown,
      host: first.host,
      ...(source === undefined ? {} : { source }),
      ...(asked.length === 1 ? {} : { others: asked.slice(1, 20).map(({ shown }) => shown) }),
    },
  });
}

async function seen(
  call: ToolCall,
  ended: { readonly args: Args; readonly result: unknown },
  { facets, fs }: EgressOptions,
): Promise<readonly string[]> {
  const files = await sourcesInFiles(
    call,
    facets(call, ended.args),
    typeof fs === "function" ? fs(call) : fs,
  );
  const secret = secretIn(ended.result);
  return [
    ...files,
    ...(secret === undefined ? [] : [`a secret (${secret}) in a result of ${call.toolName}`]),
  ];
}
