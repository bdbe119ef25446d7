/** What a command may read and write, so that tests need no process. */
export interface Io {
  /** What it gives back is to be awaited where much is written: it resolves once the reader has kept up. */
  stdout(text: string): Promise<void> | void;
  stderr(text: string): void;
  /** Whether somebody watches standard error. */
  readonly isTerminal?: boolean;
  /** The lines of standard input without their ends. Fails where it cannot be read. */
  readonly lines: AsyncIterable<string>;
  /** Standard input as it comes; read either this or `lines`. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** A command's exit code. */
export type Run = (argv: readonly string[], io: Io) => Promise<number>;
