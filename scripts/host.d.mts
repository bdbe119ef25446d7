export interface Server {
  readonly home: string;
  stop(): Promise<void>;
}

/** `dir` is a run folder; what lives there already is gone on with. */
export function startServer(options: { dir: string }): Promise<Server>;
export function runServerCommand(dir: string, args: readonly string[]): string;
