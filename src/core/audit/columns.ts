/** Columns of an index: numbers in typed arrays that grow, and names that are numbered as they come. Knows nothing of records. */

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** A column that grows by doubling; `kept` are values it starts with. */
export function growing<T extends Numbers>(make: (size: number) => T, kept?: T) {
  let data = kept ?? make(1024);
  let length = kept?.length ?? 0;
  return {
    push(value: number): void {
      if (length === data.length) {
        const bigger = make(Math.max(1024, length * 2));
        bigger.set(data);
        data = bigger;
      }
      data[length] = value;
      length += 1;
    },
    set: (at: number, value: number): void => {
      data[at] = value;
    },
    at: (index: number): number => data[index] ?? -1,
    length: (): number => length,
    /** What it holds, as a view: valid until the next change. */
    values: () => data.subarray(0, length),
  };
}

/** So many names have numbers of their own; the rest share the last number and are told apart by nobody. */
const MOST_NAMES = 65_535;

/** Names numbered in the order they come; 0 is "". */
export function names(kept: readonly string[] = [""]) {
  const list = [...kept];
  const numbers = new Map(list.map((name, at) => [name, at]));
  return {
    number(name: string): number {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      if (list.length >= MOST_NAMES) return MOST_NAMES;
      numbers.set(name, list.length);
      return list.push(name) - 1;
    },
    find: (name: string): number | undefined => numbers.get(name),
    at: (number: number): string => list[number] ?? "",
    all: (): readonly string[] => list,
  };
}

/** FNV-1a, 32 bits: finds candidates; who asks looks whether they are right. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
