/** What `cd` and its kind do to the working folder, as text. Knows no file system. */
import { UNKNOWN } from "./shellWords";

const CHANGERS = new Set(["cd", "chdir", "pushd", "set-location", "sl", "push-location"]);

/** Where a command changes to: the folder before, or a named one (null = nobody can tell); undefined = nowhere. */
export function changedFolder(
  argv: readonly string[],
): { readonly to: string | null } | "previous" | undefined {
  const name = (argv[0] ?? "").toLowerCase();
  if (name === "popd" || name === "pop-location") return "previous";
  if (!CHANGERS.has(name)) return undefined;
  const args = argv.slice(1).filter((word) => !/^(-[LPe@]+|--|\/d|-(literal)?path)$/i.test(word));
  const [to] = args;
  if (to === undefined) return name === "pushd" ? "previous" : { to: "~" };
  if (to === "-") return "previous";
  return { to: to.includes(UNKNOWN) || /^[+-]\d/.test(to) || /[*?[]/.test(to) ? null : to };
}

/** Takes `..` as the shell does: as text. `from` is one of its own answers, so only `to` is read name by name. */
export function joinFolder(from: string | null, to: string | null): string | null {
  if (to === null) return null;
  const starts = isAnchored(to) || from === "";
  if (!starts && from === null) return null;
  const anchor = ANCHOR.exec(starts ? to : `${from}/`)?.[0] ?? "";
  let out = starts ? "" : (from ?? "").slice(anchor.length);
  for (const name of (starts ? to.slice(anchor.length) : to).split(/[/\\]+/)) {
    if (name === "" || name === ".") continue;
    const cut = out.lastIndexOf("/");
    if (name !== "..") out = out === "" ? name : `${out}/${name}`;
    else if (out !== "" && out.slice(cut + 1) !== "..") out = out.slice(0, Math.max(cut, 0));
    else if (!anchor.startsWith("/")) out = out === "" ? name : `${out}/${name}`;
  }
  const glue = anchor === "~" ? "~/" : anchor;
  return out === "" ? anchor : `${glue}${out}`;
}

const ANCHOR = /^([a-z]:|~)?[/\\]*/i;

/** A path of a command that starts in `folder`. */
export function inFolder(path: string, folder: string | undefined): string {
  return folder === undefined || folder === "" || isAnchored(path)
    ? path
    : `${folder.replace(/[/\\]$/, "")}/${path}`;
}

export function isAnchored(text: string): boolean {
  return /^([/\\~]|[a-z]:[/\\]|file:)/i.test(text);
}
