/** All built-in hooks in their order, built from a configuration: adding a guard is one line here. */
import type { Clock, FileSystem, Hasher, Log } from "../../ports";
import type { ReadFacets, ToolCall } from "../call";
import { HookChain } from "../chain";
import type { Hook } from "../hook";
import { type Config, defaultConfig, orderableHooks } from "../rules/schema";
import { destructiveSql, type SecondOpinion } from "./destructiveSql";
import { egress, type ReadRemotes } from "./egress";
import { engineRefusal } from "./engineRefusal";
import { postgresCousin } from "./exactParsers";
import { type GuardMemory, guardMemory } from "./guardMemory";
import { pathAllowlist } from "./pathAllowlist";
import { type QuotaCalls, quota } from "./quota";
import { readOnly } from "./readOnly";
import { rowLimit } from "./rowLimit";
import { selfProtection } from "./selfProtection";
import { shellGuard } from "./shell";
import { writtenFiles } from "./writtenFiles";
import type { ReadText } from "./writtenFilesTexts";

export interface ChainParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly hasher: Hasher;
  readonly facets: ReadFacets;
  readonly fileSystem: (call: ToolCall) => FileSystem;
  /** Absolute folders in which file tools may work: data folder and workspace folders. */
  readonly roots: (call: ToolCall) => readonly string[];
  /** Temporary folders beside the system's own. */
  readonly tempFolders: readonly string[];
  /** "yes" where `db_query_sql` runs on the database of the configuration. */
  readonly opensDatabase: "yes" | "no";
  /** The calls that the quota counts, where chains are built anew. */
  readonly quotaCalls?: QuotaCalls;
  /** What guards remember of sessions, where chains are built anew. */
  readonly memory?: GuardMemory;
  /** The remotes of a repository on disk; absent = a remote is known by its name. */
  readonly remotes?: ReadRemotes;
  /** Texts of files that agents wrote and then run; absent = nothing can be read here. */
  readonly readText?: ReadText;
  /** Opinion of a real parser; may only make a verdict stricter. */
  readonly secondOpinion?: SecondOpinion;
  /** Absolute paths beside the built-in table that self_protection keeps: the audit file. */
  readonly protectedPlaces?: readonly string[];
  /** Guards of the door that come before all others: a configuration that waits, an audit log that cannot be written. */
  readonly doorGuards?: readonly Hook[];
  /** Absent = no audit log. */
  readonly auditHook?: Hook;
}

/** They judge a script as they judge a terminal command. */
const JUDGES_TEXTS: ReadonlySet<string> = new Set([
  "path_allowlist",
  "destructive_sql",
  "shell",
  "self_protection",
  "egress",
]);

type BuiltInName = (typeof orderableHooks)[number];

/** Throws a RangeError when an option cannot be used. */
export function buildChain(parts: ChainParts): HookChain {
  const { config, clock, log, memory = guardMemory() } = parts;
  const build: Readonly<Record<BuiltInName, () => Hook>> = {
    path_allowlist: () => buildPathAllowlist(parts),
    read_only: () => {
      const { secondOpinion } = parts;
      const read = secondOpinion === undefined ? {} : { read: secondOpinion.read.bind(secondOpinion) };
      return readOnly({ facets: parts.facets, ...dialects(parts), ...read });
    },
    destructive_sql: () => buildDestructiveSql(parts),
    shell: () => shellGuard({ facets: parts.facets, fs: parts.fileSystem, hasher: parts.hasher }),
    self_protection: () =>
      selfProtection({
        fs: parts.fileSystem,
        facets: parts.facets,
        protectedPlaces: parts.protectedPlaces ?? [],
      }),
    egress: () =>
      egress({
        facets: parts.facets,
        fs: parts.fileSystem,
        known: config.chain.options.egress.known,
        memory: memory.egress,
        ...(parts.remotes === undefined ? {} : { remotes: parts.remotes }),
      }),
    quota: () =>
      quota({
        ...config.chain.options.quota,
        clock,
        ...(parts.quotaCalls === undefined ? {} : { seen: parts.quotaCalls }),
      }),
    row_limit: () =>
      rowLimit({
        facets: parts.facets,
        max: config.chain.options.row_limit.max,
        tools: config.chain.options.destructive_sql.tools,
        ...limitDialects(parts),
      }),
  };
  const wanted = inOrder(config.chain.order).filter((name) => config.chain[name]);
  const built = wanted.map((name) => build[name]());
  const hooks = [...(parts.doorGuards ?? []), ...built];
  if (parts.readText !== undefined) {
    const judges = built.filter(({ name }) => JUDGES_TEXTS.has(name));
    const { facets, fileSystem: fs, readText } = parts;
    if (judges.length > 0) hooks.push(writtenFiles({ facets, fs, files: memory.written, readText, judges }));
  }
  if (config.chain.destructive_sql && parts.opensDatabase === "yes") {
    hooks.push(engineRefusal({ confirmArg: config.chain.options.destructive_sql.confirm_arg }));
  }
  if (config.chain.audit_log && parts.auditHook !== undefined) hooks.push(parts.auditHook);
  return new HookChain({ clock, log }, hooks);
}

function inOrder(named: readonly string[]): readonly BuiltInName[] {
  const first = named.flatMap((name) => orderableHooks.filter((known) => known === name));
  return [...first, ...orderableHooks.filter((name) => !first.includes(name))];
}

function buildPathAllowlist(parts: ChainParts): Hook {
  const { chain } = parts.config;
  return pathAllowlist({
    fs: parts.fileSystem,
    facets: parts.facets,
    roots: parts.roots,
    extra: chain.path_allowlist_extra,
    temp: parts.tempFolders,
    outside: chain.options.path_allowlist.outside,
  });
}

function buildDestructiveSql(parts: ChainParts): Hook {
  const { chain, database } = parts.config;
  const options = chain.options.destructive_sql;
  return destructiveSql({
    facets: parts.facets,
    onUnparseable: options.on_unparseable,
    onUnverified: options.on_unverified,
    confirmArg: options.confirm_arg,
    ...dialects(parts),
    callDialect: (call) => (typeof call.extra.dialect === "string" ? call.extra.dialect : undefined),
    database: parts.hasher(database.url),
    hasher: parts.hasher,
    ...(parts.secondOpinion === undefined ? {} : { secondOpinion: parts.secondOpinion }),
  });
}

/** What the configuration says of dialects. */
function dialects({ config, opensDatabase }: ChainParts): {
  readonly configuredDialect?: string;
  readonly urlDialect?: string;
} {
  const { url } = config.database;
  const { dialect } = config.chain.options.destructive_sql;
  return {
    ...(dialect === undefined ? {} : { configuredDialect: dialect }),
    // The default URL says nothing of a database that we do not open ourselves.
    ...(opensDatabase === "yes" || url !== defaultConfig.database.url
      ? { urlDialect: dialectOfUrl(url) }
      : {}),
  };
}

/** A limit goes by the default URL too, where nothing else is said: nothing is judged by it. */
function limitDialects(parts: ChainParts): ReturnType<typeof dialects> {
  const said = dialects(parts);
  return Object.keys(said).length > 0 ? said : { urlDialect: dialectOfUrl(parts.config.database.url) };
}

/** The dialect that a database URL means, by its scheme and, where several engines share one, by its host and port. */
export function dialectOfUrl(url: string): string {
  const scheme = url.slice(0, url.indexOf(":"));
  return scheme === "postgres" || scheme === "postgresql" ? (postgresCousin(url) ?? "postgres") : scheme;
}
