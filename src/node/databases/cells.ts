/** Turns the values of the three drivers into JSON-safe cells and keeps a result within its bounds. Knows no driver. */
import type { Cell } from "./database";

/** A result larger than this is cut, however few its rows are. */
const MAX_RESULT_CHARS = 4 * 1024 * 1024;
/** A blob or text beyond this is cut; its true size is told. */
const MAX_CELL_CHARS = 64 * 1024;

export function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  switch (typeof value) {
    case "string":
      return cut(value);
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return toInteger(value.toString());
  }
  if (value instanceof Uint8Array) return toBlob(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  return cut(JSON.stringify(value) ?? String(value));
}

/** A number where it is exact, else its digits. */
export function toInteger(digits: string): number | string {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : digits;
}

function toBlob(bytes: Uint8Array): Cell {
  const kept = bytes.subarray(0, MAX_CELL_CHARS / 2);
  return {
    $base64: Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength).toString("base64"),
    bytes: bytes.byteLength,
    ...(kept.byteLength < bytes.byteLength ? { cut: true } : {}),
  };
}

function cut(text: string): string {
  if (text.length <= MAX_CELL_CHARS) return wellFormed(text);
  return `${wellFormed(text.slice(0, MAX_CELL_CHARS))}… [${text.length} characters]`;
}

/** Half a surrogate pair is not JSON that every reader takes. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

export interface RowCollector {
  readonly rows: Cell[][];
  readonly truncated: boolean;
  /** False once no further row is kept; the caller may then stop reading. */
  add(row: readonly unknown[]): boolean;
}

export function collectRows(maxRows: number): RowCollector {
  const rows: Cell[][] = [];
  let size = 0;
  let truncated = false;
  return {
    rows,
    get truncated() {
      return truncated;
    },
    add(row) {
      if (truncated || rows.length >= maxRows || size > MAX_RESULT_CHARS) {
        truncated = true;
        return false;
      }
      const cells = row.map(toCell);
      size += cells.reduce<number>((sum, cell) => sum + sizeOf(cell), 0);
      rows.push(cells);
      return true;
    },
  };
}

function sizeOf(cell: Cell): number {
  if (typeof cell === "string") return cell.length;
  return typeof cell === "object" && cell !== null ? JSON.stringify(cell).length : 8;
}
