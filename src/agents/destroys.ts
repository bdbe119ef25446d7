/** What a tool of a server would take away, told by the verbs of its name and of the arguments that say what to do. Judges nothing. */
import { type Args, type DestroyFacet, isPlainObject } from "../core/call";
import { DESTROY_ROWS, type DestroyRow } from "./destroyRows";
import { plainName, READ_WORDS, wordsOf } from "./toolTables";

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Arguments that say what the tool is to do. */
const ACTS = list("action operation op method mode command subcommand verb act");
/** What stands below these is given to the tool as its own. */
const GIVEN = list(
  "request requests params parameters input args arguments options payload operation operations action actions command commands step steps change changes batch",
);
/** Names that begin with one do no such thing, whatever they speak of. */
const LOOKS = list(
  "get read describe fetch show lookup exists count explain summarize analyze is has can should validate verify simulate estimate compare undo undelete recover create add",
);
/** These may be things as well: `list_delete_markers` looks, and `list_delete` takes a list away. */
const MAY_LOOK: ReadonlySet<string> = new Set([
  ...READ_WORDS,
  ..."preview plan draft propose suggest watch monitor".split(" "),
]);
const MAX_DEPTH = 4;
/** UTF-16 units; a longer text says more than what to do. */
const LONGEST_ACT = 60;
const MAX_ACTS = 50;

interface Said {
  /** The server says of the tool that it destroys: its verbs need no object then. */
  readonly destructive: boolean;
}

/** `toolName` as the agent sends it; of a tool that no table knows. */
export function destroyFacets(
  toolName: string,
  args: Args,
  { destructive }: Said = { destructive: false },
): readonly DestroyFacet[] {
  const own = wordsOf(toolName.replace(/^mcp__.*?__/, "").replace(/^mcp_/, ""));
  const server = /^mcp__(.*?)__/.exec(toolName)?.[1] ?? "";
  const acts = actsIn(args, 0).slice(0, MAX_ACTS);
  const about = { own, destructive, all: [...wordsOf(server), ...own, ...(givesNone(args) ? ["zero"] : [])] };
  const forced = isForced(args, 0);
  const found = [
    ...ofWords(own, { ...about, forced, arg: "" }),
    ...acts.flatMap(({ arg, text }) => ofWords(wordsOf(text), { ...about, forced, arg })),
  ];
  return found.slice(0, 1);
}

interface About extends Said {
  /** Words of the tool's name. */
  readonly own: readonly string[];
  /** With those of its server. */
  readonly all: readonly string[];
  readonly forced: boolean;
  /** Where the words stand; "" = in the name. */
  readonly arg: string;
}

function ofWords(words: readonly string[], about: About): readonly DestroyFacet[] {
  const row = DESTROY_ROWS.find((one) => fires(one, words, about));
  if (
    row === undefined ||
    onlyLooks(
      words.filter((word) => word !== ""),
      row,
    )
  )
    return [];
  const shown = about.arg === "" ? about.own.join(" ") : `${about.own.join(" ")}: ${words.join(" ")}`;
  return [{ arg: about.arg, shown, id: row.id, reason: row.reason }];
}

function onlyLooks(words: readonly string[], { verbs }: DestroyRow): boolean {
  const [first = ""] = words;
  if (words.includes("and") || words.includes("or")) return false;
  return LOOKS.has(first) || (MAY_LOOK.has(first) && !verbs.includes(words.at(-1) ?? ""));
}

function fires(
  row: DestroyRow,
  words: readonly string[],
  { own, all, forced, arg, destructive }: About,
): boolean {
  // `hard` of a reset stands in an argument, the verb in the name.
  const verbs =
    arg === "" ? words : [...words, ...own.filter((word) => words.includes("hard") && word === "reset")];
  if (!verbs.some((word) => row.verbs.includes(word)) || isOneWord(words)) return false;
  if (row.forced === true && !forced) return false;
  const around = [...words, ...own];
  const has = (list: readonly string[] = []): boolean => around.some((word) => list.includes(word));
  if (has(row.without) && !has(row.despite)) return false;
  const { objects } = row;
  if (objects === undefined || (destructive && row.needsObject !== true)) return true;
  return [...words, ...all].some((word) => objects.includes(word));
}

/** `drag and drop`: two verbs that are one, and none that takes anything away. */
function isOneWord(words: readonly string[]): boolean {
  return words.includes("drag") && words.includes("drop");
}

interface Act {
  readonly arg: string;
  readonly text: string;
}

/** `{ action: "delete" }`, `{ request: { method: "drop" } }` */
function actsIn(args: Args, depth: number): readonly Act[] {
  if (depth > MAX_DEPTH) return [];
  return Object.entries(args).flatMap(([arg, value]): readonly Act[] => {
    const name = plainName(arg);
    if (typeof value === "string")
      return ACTS.has(name) && value.length <= LONGEST_ACT && /^[\w-]+$/.test(value)
        ? [{ arg, text: value }]
        : [];
    return GIVEN.has(name) || depth > 0 ? below(value).flatMap((one) => actsIn(one, depth + 1)) : [];
  });
}

function below(value: unknown): readonly Args[] {
  if (isPlainObject(value)) return [value];
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

function isForced(args: Args, depth: number): boolean {
  return Object.entries(args).some(([arg, value]) => {
    if (/^force(?:push|d)?$/.test(plainName(arg)) && (value === true || value === "true")) return true;
    return (
      depth < MAX_DEPTH && GIVEN.has(plainName(arg)) && below(value).some((one) => isForced(one, depth + 1))
    );
  });
}

function givesNone(args: Args): boolean {
  return Object.entries(args).some(
    ([arg, value]) =>
      /^(?:replicas|count|size|instances|quantity)$/.test(plainName(arg)) && (value === 0 || value === "0"),
  );
}
