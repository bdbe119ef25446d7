/** Follows what a PostgreSQL statement names, through views, rules, policies and functions, to a function that may act. Reads the catalogue alone; runs nothing of it. */
import type { Client } from "pg";
import { judgeFunction } from "../../core/sql/functions";
import { type Act, covers, type Intent } from "./intent";
import { EVENTS, FROM_RELATIONS, NAMED, ROUTINES } from "./postgresReachQueries";
import { type SqlNames, sqlNames } from "./sqlNames";

interface Node {
  readonly kind: "rel" | "fn";
  readonly oid: number;
  /** What the statement names and leads here; absent = the statement calls it itself. */
  readonly via?: string;
}

/** Called by a text that may run: they wait, lock or read files, and leave nothing behind. */
const LEAVES_NOTHING = /^pg_(?:sleep|read_|ls_|stat_file|advisory_|try_advisory_)/;

/** More than this is not followed, and asked for. */
const MAX_OBJECTS = 3000;
const MAX_ROUNDS = 24;

/** Functions that may act and that the statement reaches without the judge having seen them. Asked before it runs. */
export async function reachedActs(
  client: Client,
  statement: string,
  intent: Intent,
): Promise<readonly Act[]> {
  const text = sqlNames(statement, "postgres");
  if (/u&"/i.test(statement) && text.names.has("uescape"))
    return beyond(intent, [{ verb: "CALL", table: null, via: "a name with UESCAPE" }]);
  const start = await named(client, text, { via: undefined, intent });
  if (
    intent.kind !== "read" &&
    /^\s*(?:create|alter|drop|comment|grant|revoke|refresh|reindex|security|import)\b/i.test(statement)
  )
    for (const row of (await client.query(EVENTS)).rows)
      start.push({ kind: "fn", oid: Number(row.oid), via: `event trigger ${String(row.name)}` });
  if (start.length === 0) return [];
  return beyond(intent, await follow(client, start, { intent, refreshes: text.names.has("refresh") }));
}

function beyond(intent: Intent, acts: readonly Act[]): readonly Act[] {
  const once = new Map(acts.map((act) => [JSON.stringify(act), act]));
  return [...once.values()].filter((act) => !covers(intent, act));
}

interface Names {
  readonly via: string | undefined;
  readonly intent: Intent;
}

async function named(client: Client, text: SqlNames, { via, intent }: Names): Promise<Node[]> {
  const list = (set: ReadonlySet<string>) => [...set].filter((name) => !name.includes("\0"));
  // What a person approved named its functions, where the judge does not take them for the engine's own.
  const seen = (name: string) =>
    via === undefined &&
    intent.kind === "approved" &&
    text.bracketed.has(name) &&
    judgeFunction(name, "postgres") !== "computes";
  const builtin =
    via === undefined && intent.kind === "approved"
      ? []
      : list(text.bracketed).filter((name) => !LEAVES_NOTHING.test(name));
  const found = await client.query(NAMED, [
    list(text.names),
    list(text.called).filter((name) => !seen(name)),
    builtin,
    list(text.operators),
  ]);
  return found.rows.map((row): Node => {
    const by = via ?? (row.name === null ? undefined : String(row.name));
    return {
      kind: row.kind === "rel" ? "rel" : "fn",
      oid: Number(row.oid),
      ...(by === undefined ? {} : { via: by }),
    };
  });
}

/** Which of these functions, each with its name, may act. */
export async function actingFunctions(client: Client, oids: readonly number[]): Promise<ReadonlySet<number>> {
  const acting = new Set<number>();
  for (const oid of new Set(oids)) {
    const acts = await follow(client, [{ kind: "fn", oid, via: "trigger" }], {
      intent: { kind: "read" },
      refreshes: false,
    });
    if (acts.length > 0) acting.add(oid);
  }
  return acting;
}

interface Walk {
  readonly intent: Intent;
  readonly refreshes: boolean;
}

async function follow(
  client: Client,
  start: readonly Node[],
  { intent, refreshes }: Walk,
): Promise<readonly Act[]> {
  const seen = new Map<string, Node>();
  const acts: Act[] = [];
  let fresh = take(seen, start);
  for (let round = 0; fresh.length > 0; round += 1) {
    if (round >= MAX_ROUNDS || seen.size > MAX_OBJECTS)
      return [...acts, { verb: "CALL", table: null, via: "more than can be followed" }];
    const relations = fresh.filter(({ kind }) => kind === "rel");
    const functions = fresh.filter(({ kind }) => kind === "fn");
    const next: Node[] = [];
    if (relations.length > 0) {
      // A row that goes into a view goes into its table.
      const writes = intent.kind !== "read";
      const rows = (await client.query(FROM_RELATIONS, [relations.map(({ oid }) => oid), writes, refreshes]))
        .rows;
      for (const row of rows) {
        const { via = "" } = seen.get(`rel ${row.rel}`) ?? {};
        if (row.kind === "program")
          acts.push({ verb: "CALL", table: null, via: `${via}, whose rows a program writes` });
        else next.push({ kind: row.kind === "rel" ? "rel" : "fn", oid: Number(row.oid), via });
      }
    }
    if (functions.length > 0) {
      for (const row of (await client.query(ROUTINES, [functions.map(({ oid }) => oid)])).rows) {
        const { via } = seen.get(`fn ${row.oid}`) ?? {};
        const inner = await insideOf(client, row, { via: via ?? `function ${String(row.name)}`, intent });
        if (inner === "acts")
          acts.push({ verb: "CALL", table: String(row.name), ...(via === undefined ? {} : { via }) });
        else next.push(...inner);
      }
    }
    fresh = take(seen, next);
  }
  return acts;
}

function take(seen: Map<string, Node>, nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((node) => {
    const key = `${node.kind} ${node.oid}`;
    if (seen.has(key)) return false;
    seen.set(key, node);
    return true;
  });
}

interface Inside {
  readonly via: string;
  readonly intent: Intent;
}

/** What a function may go on to, or that it acts itself. Its own word for being stable is not taken: it may call what is not. */
async function insideOf(
  client: Client,
  row: Record<string, unknown>,
  { via, intent }: Inside,
): Promise<readonly Node[] | "acts"> {
  const verdict = judgeFunction(String(row.bare), "postgres");
  const volatile = row.volatility === "v";
  const refs = [...texts(row.parts).map((oid) => `fn ${oid}`), ...texts(row.refs)].map((one): Node => {
    const [kind = "", oid = ""] = one.split(" ");
    return { kind: kind === "rel" ? "rel" : "fn", oid: Number(oid), via };
  });
  if (row.kind === "a") return refs;
  switch (row.language) {
    case "internal":
    case "c":
      return volatile && verdict !== "computes" && verdict !== "keyword" ? "acts" : [];
    case "sql":
    case "plpgsql": {
      if (typeof row.tree === "string") return sqlBody(row.tree, refs, via);
      // The system's own SQL functions, such as those of information_schema.
      if (Number(row.oid) < 16_384) return volatile && verdict === "acts" ? "acts" : [];
      const body = sqlNames(String(row.body), "postgres");
      const makesTable = row.language === "sql" && body.names.has("into");
      if (body.acting !== null || makesTable) return "acts";
      return [...refs, ...(await named(client, body, { via, intent }))];
    }
    default:
      return "acts";
  }
}

/** A body that the server has stored as a tree: 1 is SELECT. */
function sqlBody(tree: string, refs: readonly Node[], via: string): readonly Node[] | "acts" {
  if (/:commandType [2-9]/.test(tree) || /:utilityStmt \{/.test(tree)) return "acts";
  const called = [...tree.matchAll(/:(?:funcid|aggfnoid|winfnoid|tsmhandler) ([0-9]+)/g)];
  return [...refs, ...called.map(([, oid]): Node => ({ kind: "fn", oid: Number(oid), via }))];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
