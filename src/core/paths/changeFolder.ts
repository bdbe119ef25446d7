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

/** Takes `..` as the shell does: as text. */
export function joinFolder(from: string | null, to: string | null): string | null {
  if (to === null) return null;
  const absolute = isAnchored(to);
  if (!absolute && from === null) return null;
  const full = absolute || from === "" ? to : `${from}/${to}`;
  const anchor = /^([a-z]:|~)?[/\\]*/i.exec(full)?.[0] ?? "";
  const out: string[] = [];
  for (const name of full.slice(anchor.length).split(/[/\\]+/)) {
    if (name === "" || name === ".") continue;
    if (name !== "..") out.push(name);
    else if (out.length > 0 && out.at(-1) !== "..") out.pop();
    else if (!anchor.startsWith("/")) out.push(name);
  }
  const glue = anchor === "~" ? "~/" : anchor;
  return out.length === 0 ? anchor : `${glue}${out.join("/")}`;
}

/** A path of a command that starts in `folder`. */
export function inFolder(path: string, folder: string | undefined): string {
  return folder === undefined || folder === "" || isAnchored(path)
    ? path
    : `${folder.replace(/[/\\]$/, "")}/${path}`;
}

export function isAnchored(text: string): boolean {
  return /^([/\\~]|[a-z]:[/\\]|file:)/i.test(text);
}
