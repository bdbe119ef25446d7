/** A throw-away server on loopback for tests. */
export interface Engine {
  readonly url: string;
  stop(): Promise<void>;
}
export function startPostgres(): Promise<Engine>;
export function startMariaDb(): Promise<Engine>;
