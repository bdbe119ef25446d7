/** Cuts a stream of bytes into lines of bounded length. Knows nothing of what a line says. */
import { isUtf8 } from "node:buffer";

/** Bytes that one message may have. */
export const MAX_LINE = 4 * 1024 * 1024;

export type Line =
  | { readonly kind: "text"; readonly text: string }
  /** Over the limit; none of it was kept. */
  | { readonly kind: "oversized" }
  | { readonly kind: "not utf-8" };

export interface LineCutter {
  push(chunk: Uint8Array): void;
  /** What follows the last line break is a line too. */
  end(): void;
}

const LF = 10;

/** Blank lines are passed over; a carriage return before the line break is not part of the line. */
export function createLineCutter(onLine: (line: Line) => void, limit = MAX_LINE): LineCutter {
  let parts: Uint8Array[] = [];
  let size = 0;
  const keep = (part: Uint8Array) => {
    size += part.length;
    if (size <= limit) parts.push(part);
    else parts = [];
  };
  const finish = () => {
    const line = size > limit ? ({ kind: "oversized" } as const) : lineOf(Buffer.concat(parts));
    parts = [];
    size = 0;
    if (line !== undefined) onLine(line);
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
        keep(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
    end: finish,
  };
}

function lineOf(bytes: Buffer): Line | undefined {
  // Replacement characters would have us judge another text than was sent.
  if (!isUtf8(bytes)) return { kind: "not utf-8" };
  const text = bytes.toString("utf8").trim();
  return text === "" ? undefined : { kind: "text", text };
}
