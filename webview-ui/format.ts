/** How numbers, times and words appear on the page. Knows nothing of messages. */
import { visibleLine } from "../src/core/visible";
import type { ExportedMessage, HostState, JumpTarget, PanelReport } from "../src/panel/messages";
import { PANEL_STRINGS, type PanelStringKey } from "../src/panel/strings";

export interface Words {
  /** The sentence in the editor's language, `{0}` places filled in. */
  t(key: PanelStringKey, ...args: readonly (string | number)[]): string;
  number(value: number): string;
  /** Parts of a time of day, and the whole in words. */
  time(ts: string): {
    readonly date: string;
    readonly clock: string;
    readonly millis: string;
    readonly whole: string;
  };
  duration(ms: number): string;
  /** Day and time to the minute. */
  moment(ms: number): string;
  /** A length of time in one unit: "15 minutes". */
  span(ms: number): string;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

export function wordsFor(locale: string, strings: Readonly<Record<string, string>>): Words {
  const lang = safeLocale(locale);
  const day = new Intl.DateTimeFormat(lang, { month: "short", day: "2-digit" });
  const clock = new Intl.DateTimeFormat(lang, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const whole = new Intl.DateTimeFormat(lang, { dateStyle: "full", timeStyle: "long" });
  const moment = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
  const count = new Intl.NumberFormat(lang);
  const decimal = new Intl.NumberFormat(lang, { maximumSignificantDigits: 3 });
  return {
    t: (key, ...args) =>
      (strings[key] ?? PANEL_STRINGS[key]).replace(/\{(\d+)\}/g, (place, at: string) =>
        String(args[Number(at)] ?? place),
      ),
    number: (value) => count.format(value),
    time(ts) {
      const date = new Date(ts);
      if (Number.isNaN(date.getTime())) return { date: "", clock: "—", millis: "", whole: ts };
      const millis = `.${String(date.getMilliseconds()).padStart(3, "0")}`;
      return { date: day.format(date), clock: clock.format(date), millis, whole: whole.format(date) };
    },
    moment: (ms) => moment.format(ms),
    span(ms) {
      const [unit, length] = UNITS.find(([, size]) => ms >= size) ?? ["second", 1000];
      return new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "long" }).format(
        Math.round(ms / length),
      );
    },
    duration(ms) {
      if (ms < 1) return "<1 ms";
      if (ms < 1000) return `${decimal.format(ms)} ms`;
      if (ms < 60_000) return `${decimal.format(ms / 1000)} s`;
      return `${decimal.format(ms / 60_000)} min`;
    },
  };
}

function safeLocale(locale: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0] ?? "en";
  } catch {
    return "en";
  }
}

/** The word for a decision; one that this page does not know is shown as it is. */
export function decisionWord(decision: string, { t }: Words): string {
  return isStringKey(decision) ? t(decision) : decision === "" ? t("event") : decision;
}

function isStringKey(key: string): key is PanelStringKey {
  return Object.hasOwn(PANEL_STRINGS, key);
}

const LEVELS: readonly (readonly [PanelStringKey, PanelStringKey])[] = [
  ["level0", "level0Means"],
  ["level1", "level1Means"],
  ["level2", "level2Means"],
  ["level3", "level3Means"],
  ["level4", "level4Means"],
];

/** How much a verification vouches for, in a few words, and in a sentence; "" where this page does not know the level. */
export function levelWords(
  level: number,
  { t, number }: Words,
): { readonly short: string; readonly means: string } {
  const known = LEVELS[level];
  if (known === undefined) return { short: t("level", number(level)), means: "" };
  return { short: t(known[0]), means: t(known[1]) };
}

/** What a verification found at a line, in words; a kind this page does not know is shown as it is. */
export function damageWord(kind: string, { t }: Words): string {
  const key = `kind_${kind}`;
  return isStringKey(key) ? t(key) : kind.replaceAll("_", " ");
}

/** Where damage stands: a line, with its file's name where the log has more than one. */
export function damagePlace(damage: PanelReport["damage"][number] | undefined, { t, number }: Words): string {
  if (damage === undefined) return number(0);
  const line = number(damage.line);
  return damage.file === undefined ? line : t("lineOf", visibleLine(damage.file), line);
}

/** The first damage in one sentence. */
export function brokenWords(damage: PanelReport["damage"][number] | undefined, words: Words): string {
  const what = damageWord(visibleLine(damage?.kind ?? ""), words);
  const key = damage?.file === undefined ? "verifiedBad" : "verifiedBadFile";
  return words.t(key, damagePlace(damage, words), what);
}

/** A line counted through all files, as people find it: within its file. */
export function linePlace(line: number, files: HostState["files"], { t, number }: Words): string {
  const part = files.findLast(({ linesBefore }) => linesBefore < line);
  if (files.length < 2 || part === undefined) return t("line", number(line));
  return t("lineOf", visibleLine(part.file), number(line - part.linesBefore));
}

/** The lines of one row, in the order of the log; "" where none is known yet. */
export function linesPlace(lines: readonly number[], files: HostState["files"], words: Words): string {
  const [first, ...more] = lines;
  if (first === undefined) return "";
  if (more.length === 0) return linePlace(first, files, words);
  const within = (line: number) => {
    const before = files.findLast(({ linesBefore }) => linesBefore < line)?.linesBefore ?? 0;
    return words.number(line - before);
  };
  const numbers = lines.map(within).join(", ");
  const part = files.findLast(({ linesBefore }) => linesBefore < first);
  if (files.length < 2 || part === undefined) return words.t("lines", numbers);
  return words.t("linesOf", visibleLine(part.file), numbers);
}

/** What an event of the log itself, or of a person, means; "" for the records of a call. */
export function eventWords(event: string, { t }: Words): string {
  const key = `event_${event}`;
  return isStringKey(key) ? t(key) : "";
}

export function notThereWords(target: JumpTarget, words: Words): string {
  if ("line" in target) return words.t("notThere", words.number(target.line));
  if ("time" in target) return words.t("timeNotThere", words.moment(Date.parse(target.time)));
  return words.t("callNotThere", visibleLine(target.callId));
}

export function exportWords(exported: ExportedMessage, { t, number }: Words): string {
  const { file, records, leftOut, upkeepLeftOut, problem } = exported;
  if (problem !== null) return t("exportFailed", visibleLine(problem));
  return [
    t("exported", number(records), visibleLine(file ?? "")),
    ...(upkeepLeftOut === 0 ? [] : [t("exportUpkeepLeftOut", number(upkeepLeftOut))]),
    ...(leftOut === 0 ? [] : [t("exportLeftOut", number(leftOut))]),
  ].join(" · ");
}

/** Whole percents, at most 100. */
export function percentOf({ done, total }: { readonly done: number; readonly total: number }): number {
  return total === 0 ? 0 : Math.min(100, Math.floor((done / total) * 100));
}
