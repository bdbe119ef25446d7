/** Infers column types of a CSV file and turns its text into values. Pure; knows neither files nor databases. */
import type { ColumnType, LoadValue } from "./databases/database";

/** null = an empty field without quotes. */
export type Field = string | null;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const REAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** More digits than a double keeps. */
const MAX_REAL_DIGITS = 15;

/** Leading zeros, integers beyond 2^53 and decimals that a double would change stay text. */
export function kindOf(text: string): ColumnType {
  if (INTEGER.test(text)) return Number.isSafeInteger(Number(text)) && text !== "-0" ? "INTEGER" : "TEXT";
  if (REAL.test(text)) {
    const digits = text
      .replace(/[eE].*$/, "")
      .replace(/\D/g, "")
      .replace(/^0+/, "").length;
    return digits <= MAX_REAL_DIGITS && Number.isFinite(Number(text)) ? "REAL" : "TEXT";
  }
  return /^(?:true|false)$/i.test(text) ? "BOOLEAN" : "TEXT";
}

/** The narrowest type for a column that has held `known` and now holds `text`. */
export function widen(known: ColumnType | undefined, text: Field): ColumnType | undefined {
  if (text === null || known === "TEXT") return known;
  const kind = kindOf(text);
  if (known === undefined || known === kind) return kind;
  const numeric = (known === "INTEGER" || known === "REAL") && (kind === "INTEGER" || kind === "REAL");
  return numeric ? "REAL" : "TEXT";
}

export function toValue(text: Field, type: ColumnType): LoadValue {
  if (text === null) return null;
  switch (type) {
    case "INTEGER":
    case "REAL":
      return Number(text);
    case "BOOLEAN":
      return text.toLowerCase() === "true";
    case "TEXT":
      return text;
  }
}
