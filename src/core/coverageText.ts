/** The map's words: one line per row, and its details. Sentences go through `t`; knows no view. */
import type { Translate } from "./askText";
import { type CoverageRow, hasCompany, hasHook, type LastCall, type SwitchedOff } from "./coverage";

export interface Words {
  readonly t: Translate;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** As `Intl` names it, such as `en` or `zh-cn`. */
  readonly locale: string;
  /** A path as people write it: below the workspace or `~`. */
  readonly short: (path: string) => string;
}

/** "governed · 2 min. ago": a narrow view cuts the end, so what matters most comes first and is short. */
export function rowText(row: CoverageRow, words: Words): string {
  const [short] = stateText(row, words);
  // What kind of program it is matters once it is ours to govern.
  return hasHook(row) ? [short, ...notesOf(row, words)].join(" · ") : short;
}

/** The same in whole sentences, for whoever points at the row or hears it. */
function longText(row: CoverageRow, words: Words): string {
  const [short, long = short] = stateText(row, words);
  return [long, ...notesOf(row, words)].join(" · ");
}

function notesOf(row: CoverageRow, words: Words): readonly string[] {
  const { t } = words;
  return [
    ...(row.state === "governed" && row.lastCall !== undefined ? [agoText(row.lastCall.at, words)] : []),
    ...(hasCompany(row) ? [t("another hook beside it")] : []),
    ...(row.experimental && row.state !== "not-installed" ? [t("experimental")] : []),
    ...(row.program !== undefined && row.program.version === undefined ? [t("version unknown")] : []),
  ];
}

function stateText(row: CoverageRow, words: Words): readonly [short: string, long?: string] {
  const { t } = words;
  switch (row.state) {
    case "governed":
      return [t("governed")];
    case "quiet":
      return [row.id === "mcp" ? serversText(row, t) : t("no call seen yet")];
    case "unproven":
      return [t("not proven"), t("not shown to be governed")];
    case "changed":
      return [t("hooks changed"), t("hooks changed, nobody has looked")];
    case "ran-other":
      return [t("ran other arguments"), t("ran other arguments than were let through")];
    case "not-reviewed":
      return [t("hook not trusted"), t("hook not yet trusted in {0}", row.title)];
    case "outdated":
      return [t("older hook"), t("governed by an older hook")];
    case "switched-off":
      return [t("off: {0}", row.off[0]?.key ?? ""), offText(row.off, words)];
    case "plugin-disabled":
      return [t("plugin off?"), t("a call came past the hook: is the plugin off?")];
    case "untrusted":
      return [t("workspace not trusted"), t("workspace not trusted: no hooks run")];
    case "unreadable":
      return [t("unreadable settings"), t("its settings cannot be read")];
    case "broken":
      return [t("hook cannot run")];
    case "not-governed":
      return [row.id === "mcp" ? serversText(row, t) : t("not governed")];
    case "partly":
      return [serversText(row, t)];
    case "not-installed":
      return [t("not found"), t("not found on this machine")];
    default:
      return row.state satisfies never;
  }
}

function serversText({ servers }: CoverageRow, t: Translate): string {
  return t("{0} of {1} behind the chain", servers?.behind ?? 0, servers?.all ?? 0);
}

function offText(off: readonly SwitchedOff[], { t, short }: Words): string {
  return off
    .map(({ file, key }) =>
      file === undefined ? t("switched off by {0}", key) : t("switched off by {0} in {1}", key, short(file)),
    )
    .join(", ");
}

const STEPS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** "now", "2 min. ago", "3 days ago" in the editor's language. */
export function agoText(at: number, { now, locale }: Pick<Words, "now" | "locale">): string {
  const past = Math.max(0, now - at);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  for (const [unit, ms] of STEPS) if (past >= ms) return format.format(-Math.floor(past / ms), unit);
  return format.format(0, "second");
}

/** "Bash · Nov 30, 2026, 7:42:03 PM". */
export function lastCallText({ at, tool }: LastCall, { locale }: Pick<Words, "locale">): string {
  const time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" }).format(at);
  return tool === undefined ? time : `${tool} · ${time}`;
}

/** What the status bar says; undefined = nothing that was meant to be governed is not. */
export function alarmText(
  rows: readonly CoverageRow[],
  words: Words,
): { readonly short: string; readonly long: string } | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const { t } = words;
  return {
    short:
      rows.length === 1
        ? t("Not governed: {0}", first.title)
        : t("Not governed: {0} and {1} more", first.title, rows.length - 1),
    long: rows.map((row) => `${row.title}: ${row.message ?? longText(row, words)}`).join("\n"),
  };
}

/** For a screen reader, and whoever points at the row. */
export function spokenText(row: CoverageRow, words: Words): string {
  return `${row.title}: ${longText(row, words).replaceAll(" · ", ", ")}`;
}
