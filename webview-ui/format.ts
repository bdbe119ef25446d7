/** How numbers, times and words appear on the page. Knows nothing of messages. */
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
}

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
