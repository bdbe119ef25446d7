/** Judges one path of a call against the allowed places. Knows no tool and no configuration. */
import type { FileSystem } from "../../ports";
import type { PathFacet, ToolCall } from "../call";
import { type CanonicalPath, formatPath, isWithin, samePath } from "../paths/canonicalPath";
import { credentialPlaces } from "../paths/credentialPlaces";
import { parsePath } from "../paths/parsePath";
import { publicPlaces } from "../paths/publicPlaces";
import { resolvePath } from "../paths/resolvePath";
import { sinkPlaces, tempPlaces } from "../paths/tempPlaces";
import type { Allowed } from "./allowedPlaces";

export interface JudgedPath {
  readonly facet: PathFacet;
  readonly verdict: "allow" | "ask" | "deny";
  readonly why: "inside" | "public" | "outside" | "credential" | "unjudged";
  readonly message: string;
  /** Absent when the path could not be followed. */
  readonly real?: CanonicalPath;
  readonly outside: boolean;
}

interface On {
  readonly call: ToolCall;
  readonly fs: FileSystem;
  readonly allowed: Allowed;
  readonly outside: "ask" | "deny";
}

const HINT = "Use a path inside the workspace, or add its folder to path_allowlist_extra.";

export async function judgePath(facet: PathFacet, on: On): Promise<JudgedPath> {
  const sink = deviceOf(facet, on);
  if (sink !== undefined)
    return { facet, verdict: "allow", why: "public", message: "", real: sink, outside: true };
  const resolved = await resolvePath({ path: facet.path, cwd: on.call.cwd, fs: on.fs });
  if (!resolved.ok) {
    const deny = resolved.kind === "malformed" || facet.strict || on.outside === "deny";
    const named = facet.path.startsWith("\0")
      ? `The argument ${facet.arg}`
      : JSON.stringify(shown(facet.path));
    const message = `${named} cannot be judged: ${resolved.reason}.`;
    return { facet, verdict: deny ? "deny" : "ask", why: "unjudged", message, outside: true };
  }
  if (facet.ifThere && !resolved.existed)
    return { facet, verdict: "allow", why: "inside", message: "", real: resolved.real, outside: false };
  if (facet.guessed && facet.access === "read" && (await isElsewhere(resolved.real, on.fs)))
    return { facet, verdict: "allow", why: "public", message: "", real: resolved.real, outside: true };
  const all = [resolved.real, ...resolved.others].map((real) => judgeReal(facet, real, on));
  const worst = all.find((j) => j.verdict === "deny") ?? all.find((j) => j.verdict === "ask") ?? all[0];
  if (worst === undefined) throw new Error("a followed path has at least one end");
  return worst.verdict === "allow" ? { ...worst, real: resolved.real } : worst;
}

/** `/api/users` of a tool nobody knows: where not even the first folder is on this machine, there is nothing to read. */
async function isElsewhere(real: CanonicalPath, fs: FileSystem): Promise<boolean> {
  const [first] = real.segments;
  if (first === undefined || real.volume.startsWith("\\\\")) return false;
  const top = await resolvePath({ path: formatPath(real.os, real.volume, [first]), fs });
  return top.ok && !top.existed;
}

/** `/dev/null` and the terminal keep nothing and are no place; named outright only. */
function deviceOf(facet: PathFacet, on: On): CanonicalPath | undefined {
  if (
    facet.strict ||
    on.fs.os === "win32" ||
    !/^\/dev\/(null|zero|full|tty|std(in|out|err)|u?random)$/.test(facet.path)
  )
    return undefined;
  return on.allowed.home === undefined
    ? undefined
    : { ...on.allowed.home, text: facet.path, segments: facet.path.split("/").slice(1) };
}

function judgeReal(facet: PathFacet, real: CanonicalPath, on: On): JudgedPath {
  const inside = on.allowed.roots.some((root) => isWithin(real, root));
  const homes = { own: on.allowed.home };
  const secret = credentialPlaces.at(real, homes);
  // Under another name it could be read without a word.
  const reads = facet.access === "read" || /move|rename/i.test(on.call.toolName);
  const touches = secret !== undefined && (secret.access !== "read" || reads);
  const base = { facet, real, outside: !inside };
  if (facet.strict && !inside)
    return {
      ...base,
      verdict: "deny",
      why: "outside",
      message: `${sentence(facet, real, on)} is outside the allowed folders. ${HINT}`,
    };
  if (touches)
    return {
      ...base,
      verdict: !inside && on.outside === "deny" ? "deny" : "ask",
      why: "credential",
      message: `${verb(facet)} ${sentence(facet, real, on)}: it holds ${secret.what}.`,
    };
  if (inside) return { ...base, verdict: "allow", why: "inside", message: "" };
  if (isFree(facet, real, on)) return { ...base, verdict: "allow", why: "public", message: "" };
  if (on.outside === "deny")
    return {
      ...base,
      verdict: "deny",
      why: "outside",
      message: `${sentence(facet, real, on)} is outside the allowed folders. ${HINT}`,
    };
  return {
    ...base,
    verdict: "ask",
    why: "outside",
    message: `${verb(facet)} ${sentence(facet, real, on)}: it lies outside the allowed folders.`,
  };
}

function isFree(facet: PathFacet, real: CanonicalPath, on: On): boolean {
  const homes = { own: on.allowed.home };
  const { temp, publicReads } = on.allowed;
  if (tempPlaces.at(real, homes) !== undefined || sinkPlaces.at(real, homes) !== undefined) return true;
  if (temp.some((folder) => isWithin(real, folder))) return true;
  if (facet.access === "write") return false;
  return publicPlaces.at(real, homes) !== undefined || publicReads.some((folder) => isWithin(real, folder));
}

function verb(facet: PathFacet): string {
  return facet.access === "read" ? "Read" : "Change";
}

/** The path as given, and where it leads when that is elsewhere. */
function sentence(facet: PathFacet, real: CanonicalPath, on: On): string {
  const given = parsePath(facet.path, { os: on.fs.os, home: on.fs.home, cwd: on.call.cwd });
  const straight =
    given.ok &&
    samePath({ ...real, volume: given.volume, segments: given.segments }, real) &&
    given.volume === real.volume;
  return straight ? shown(real.text) : `${shown(facet.path)} (really ${shown(real.text)})`;
}

function shown(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 200)}…${text.slice(-80)}`;
}
