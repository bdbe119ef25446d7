/** Cuts a stream of bytes into lines and keeps every byte of them. Knows nothing of what a line says. */

/** Bytes that one line may have: images and files travel as text in one. */
export const MAX_RAW_LINE = 64 * 1024 * 1024;

export type RawLine =
  /** The line with its line break, where it has one. */
  | { readonly kind: "line"; readonly bytes: Buffer }
  /** Over the limit: none of it was kept. */
  | { readonly kind: "oversized"; readonly size: number };

export interface RawLineCutter {
  push(chunk: Uint8Array): void;
  /** What follows the last line break is a line too. */
  end(): void;
}

const LF = 10;

export function createRawLineCutter(onLine: (line: RawLine) => void, limit = MAX_RAW_LINE): RawLineCutter {
  let parts: Uint8Array[] = [];
  let size = 0;
  const keep = (part: Uint8Array): void => {
    size += part.length;
    if (size <= limit) parts.push(part);
    else parts = [];
  };
  const finish = (): void => {
    const line: RawLine =
      size > limit ? { kind: "oversized", size } : { kind: "line", bytes: Buffer.concat(parts) };
    const any = size > 0;
    parts = [];
    size = 0;
    if (any) onLine(line);
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
        keep(chunk.subarray(from, at + 1));
        finish();
        from = at + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
    end: finish,
  };
}
