/** What a command may read and write, so that tests need no process. */
export interface Io {
  stdout(text: string): void;
  stderr(text: string): void;
  /** The lines of standard input without their ends. */
  readonly lines: AsyncIterable<string>;
  /** Standard input as it comes; read either this or `lines`. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** A command's exit code. */
export type Run = (argv: readonly string[], io: Io) => Promise<number>;
