/** Archives as an attacker writes them: any name, any kind of entry, with sums that are right. */

export interface RawEntry {
  readonly path: string;
  readonly body?: string | Uint8Array;
  /** As in the format: "0" file, "1" hard link, "2" link, "3" device, "5" folder, "x" extended header … */
  readonly kind?: string;
  readonly link?: string;
  /** Claimed instead of the real one. */
  readonly size?: number;
  readonly magic?: string;
  readonly sum?: number;
}

const BLOCK = 512;

export function rawTar(entries: readonly RawEntry[], tail: Uint8Array = new Uint8Array(1024)): Uint8Array {
  const parts = entries.flatMap((entry) => {
    const body =
      typeof entry.body === "string"
        ? new TextEncoder().encode(entry.body)
        : (entry.body ?? new Uint8Array());
    const padded = new Uint8Array(Math.ceil(body.length / BLOCK) * BLOCK);
    padded.set(body);
    return [headerOf(entry, body.length), padded];
  });
  return Buffer.concat([...parts, tail]);
}

function headerOf(
  { path, kind = "0", link = "", size, magic = "ustar\x0000", sum }: RawEntry,
  length: number,
): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  block.write(path, 0, 100, "utf8");
  block.write("0000644\0", 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  block.write(`${(size ?? length).toString(8).padStart(11, "0")}\0`, 124);
  block.write("00000000000\0", 136);
  block.write("        ", 148);
  block.write(kind, 156);
  block.write(link, 157, 100, "utf8");
  block.write(magic, 257, "latin1");
  const real = block.reduce((all, byte) => all + byte, 0);
  block.write(`${(sum ?? real).toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** One line of an extended header. */
export function pax(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + 1;
  while (String(length).length + bytes !== length) length += 1;
  return `${length}${rest}`;
}
