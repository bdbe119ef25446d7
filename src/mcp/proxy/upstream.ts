/** The server behind the proxy, as the relay's pipes see it. Knows no protocol. */
import type { RawLine } from "./rawLines";

export interface UpstreamEvents {
  readonly onLine: (line: RawLine) => void;
  /** Once: nothing more will come. `code` is what the proxy ends with. */
  readonly onEnd: (ended: { readonly why: string; readonly code: number }) => void;
}

export interface Upstream {
  /** False = wait for `drained` before sending more. */
  send(line: Buffer | string): boolean;
  drained(): Promise<void>;
  /** Stops reading from the server until `resume`. */
  pause(): void;
  resume(): void;
  /** The client sends no more. */
  finish(): void;
  /** Ends the server now. */
  kill(): void;
}

export type StartUpstream = (events: UpstreamEvents) => Upstream;
