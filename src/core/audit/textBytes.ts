/** How many bytes a text takes in UTF-8, also where it is megabytes long. Knows nothing of records. */

const encoder = new TextEncoder();
/** Shorter texts are counted sign by sign. UTF-16 units. */
const SHORT = 256;
/** Encoded at a time, into the same room: megabytes must not be counted sign by sign, nor encoded as a whole. */
const PART = 16 * 1024;
const room = new Uint8Array(3 * PART);

/** UTF-8 bytes of a text; a lone surrogate counts as the sign that stands in for it. */
export function utf8Length(text: string): number {
  if (text.length < SHORT) return countedBytes(text);
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PART, text.length);
    // A pair stays together.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
    bytes += encoder.encodeInto(text.slice(at, end), room).written;
    at = end;
  }
  return bytes;
}

function countedBytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.codePointAt(i) ?? 0;
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else {
      bytes += 2;
      if (code > 0xffff) i += 1;
    }
  }
  return bytes;
}
