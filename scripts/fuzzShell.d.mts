/** Seeded shell texts run by a real bash over harmless stand-ins. */
export interface ShellFuzz {
  readonly texts: number;
  /** Of a sample of what was asked for: did what it was made for. */
  readonly ran: number;
  /** Destructive texts that were allowed and ran. */
  readonly unasked: readonly string[];
  readonly harmless: number;
  readonly harmlessAsked: readonly string[];
}
export function fuzz(options: {
  n: number;
  seed: number;
  judge: (text: string) => string;
}): Promise<ShellFuzz>;
