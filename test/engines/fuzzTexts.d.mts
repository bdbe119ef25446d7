/** Numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number;
/** One text. */
export function sqlText(random: () => number): string;
