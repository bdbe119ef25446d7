/** Words by which a tool of a server says that it takes something away for good: pure data. What the words stand in is read elsewhere. */
import type { Args } from "../core/call";

const list = (words: string): readonly string[] => words.trim().split(/\s+/);

/** How a tool is called: its name and what it is given. */
type Called = readonly [tool: string, args: Args];

export interface DestroyRow {
  /** `delete`; unique. */
  readonly id: string;
  /** One of them stands in the tool's name, or in an argument that says what to do. */
  readonly verbs: readonly string[];
  /** With them one of these must stand there too; absent = any, and none. */
  readonly objects?: readonly string[];
  /** Also where the server says that the tool destroys. */
  readonly needsObject?: true;
  /** With one of these nothing of worth goes. */
  readonly without?: readonly string[];
  /** With one of these something does all the same. */
  readonly despite?: readonly string[];
  /** The tool is given `force: true`. */
  readonly forced?: true;
  /** What happens, as a sentence without its subject's name. */
  readonly reason: string;
  readonly firesOn: readonly Called[];
  readonly staysQuietOn: readonly Called[];
}

/** What holds data, or is served to people. */
const RESOURCES = list(`
  container containers image images network networks volume volumes database databases db table tables column columns collection
  collections index indexes user users account accounts project projects repository repositories repo repos branch branches bucket
  buckets object objects server servers instance instances cluster clusters namespace namespaces deployment deployments service
  services app apps application applications record records row rows document documents page pages message messages key keys secret
  secrets backup backups snapshot snapshots domain domains disk disks zone zones dns worktree worktrees pod pods vm vms droplet
  droplets release releases tenant tenants workspace workspaces environment environments certificate certificates queue queues
  topic topics stream streams function functions organization organizations org customer customers site sites dataset datasets`);
/** Notes that an agent keeps for itself, and marks on things. */
const SMALL = list(
  "observation observations relation relations reaction reactions todo todos watcher bookmark bookmarks",
);
/** Tools for files are judged by their paths. */
const FILES = list("file files directory directories folder folders path paths line lines");

export const DESTROY_ROWS: readonly DestroyRow[] = [
  {
    id: "delete",
    verbs: list(`
      delete del hdel xdel drop destroy purge wipe truncate erase expunge terminate uninstall teardown obliterate nuke flushall
      flushdb decommission deprovision shred unpublish rmi`),
    without: [...SMALL, ...FILES],
    despite: [...RESOURCES, "drop"],
    reason: "It takes something away for good.",
    firesOn: [
      ["mcp__kubernetes__kubectl_delete", { resourceType: "deployment", name: "web" }],
      ["mcp__ec2__terminate_instances", { instanceIds: ["i-1"] }],
      ["mcp_mongo_drop-collection", { collection: "orders" }],
      ["mcp__git__git_stash", { mode: "drop" }],
      ["mcp__x__deleteRepository", { owner: "o", repo: "r" }],
      ["mcp__pg__drop_relations", { names: ["orders"] }],
      ["mcp__x__delete_database_files", { name: "prod" }],
      ["mcp__x__manage_files", { action: "delete_bucket" }],
      ["mcp__x__manage_bucket", { request: { action: "delete_bucket", name: "a" } }],
    ],
    staysQuietOn: [
      ["mcp__x__list_deleted_items", {}],
      ["mcp__x__get_delete_markers", {}],
      ["mcp__memory__delete_observations", { deletions: [] }],
      ["mcp__x__create_issue", { title: "delete all caches" }],
      ["mcp__x__search", { query: "drop table" }],
      ["mcp__x__drag_and_drop", { from: "a", to: "b" }],
      ["mcp__x__create_dropdown", { name: "a" }],
    ],
  },
  {
    id: "remove",
    verbs: list("remove rm rmdir prune evict discard"),
    objects: RESOURCES,
    without: list(
      "from label labels tag tags watcher link links member members reaction assignee reviewer star favorite background",
    ),
    reason: "It takes something away for good.",
    firesOn: [
      ["mcp__docker__remove_volume", { volume_name: "pgdata" }],
      ["mcp__docker__prune_images", {}],
      ["mcp__git__git_worktree", { mode: "remove", worktreePath: "../w" }],
    ],
    staysQuietOn: [
      ["mcp__github__remove_sub_issue", { sub_issue_id: 2 }],
      ["mcp__images__remove_background", { image: "a.png" }],
      ["mcp__x__remove_user_from_channel", { user: "u" }],
    ],
  },
  {
    id: "reset",
    verbs: list("reset clear empty reinitialize recreate"),
    objects: list(`
      hard branch branches parent database databases db table tables collection collections bucket buckets queue queues repository
      password passwords factory stash history cluster environment workspace index indexes schema data logs`),
    without: list("view filter working form"),
    reason: "It throws away what is there now.",
    firesOn: [
      ["mcp__git__git_reset", { mode: "hard", target: "HEAD~3" }],
      ["mcp__supabase__reset_branch", { branch_id: "b" }],
      ["mcp__git__git_stash", { mode: "clear" }],
    ],
    staysQuietOn: [
      ["mcp__git__git_reset", { mode: "mixed", paths: ["a.ts"] }],
      ["mcp__browser__reset_view", {}],
      ["mcp__git__git_clear_working_dir", {}],
      ["mcp__ui__clear_form", {}],
    ],
  },
  {
    id: "overwrite",
    verbs: list("rebuild restore rollback revert"),
    objects: list(
      "droplet droplets server servers instance instances vm vms database databases db disk disks volume volumes cluster",
    ),
    reason: "It puts something else over what is there now.",
    firesOn: [["mcp__digitalocean__droplet-rebuild", { ID: 7, ImageID: 1 }]],
    staysQuietOn: [
      ["mcp__supabase__restore_project", { id: "p" }],
      ["mcp__search__rebuild_index", {}],
    ],
  },
  {
    id: "force",
    verbs: list("push checkout switch clean"),
    forced: true,
    reason: "It is forced: what is there now is written over.",
    firesOn: [
      ["mcp__git__git_push", { remote: "origin", branch: "main", force: true }],
      ["mcp__git__git_clean", { force: "true", directories: true }],
      ["mcp__git__push", { options: { force: true } }],
    ],
    staysQuietOn: [
      ["mcp__git__git_push", { remote: "origin", branch: "feature" }],
      ["mcp__git__git_clean", { dryRun: true }],
      ["mcp__notify__push_message", { force: false }],
    ],
  },
  {
    id: "withdraw",
    verbs: list("cancel revoke disable release drain"),
    objects: list(`
      subscription subscriptions order orders payment payments booking bookings reservation backup backups protection versioning
      encryption mfa token tokens certificate certificates ip ips address addresses eip node nodes`),
    reason: "It ends what others may rely on, and may not be had back.",
    firesOn: [
      ["mcp__stripe__cancel_subscription", { subscription: "s" }],
      ["mcp__digitalocean__droplet-disable-backups", { ID: 7 }],
      ["mcp__kubernetes__node_management", { operation: "drain", nodeName: "n1" }],
    ],
    staysQuietOn: [
      ["mcp__gitlab__cancel_pipeline", { pipeline_id: 1 }],
      ["mcp__github__create_release", { tag: "v1" }],
      ["mcp__github__get_latest_release", {}],
    ],
  },
  {
    id: "none",
    verbs: list("scale resize"),
    objects: ["zero"],
    needsObject: true,
    reason: "It leaves none running.",
    firesOn: [["mcp__kubernetes__kubectl_scale", { name: "web", replicas: 0 }]],
    staysQuietOn: [["mcp__kubernetes__kubectl_scale", { name: "web", replicas: 3 }]],
  },
];
