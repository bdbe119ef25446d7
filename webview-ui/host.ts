/** The page's side of the border: what it may send, and what it takes in. Nothing else here knows of VS Code. */
import {
  type HostMessage,
  hostMessage,
  type PageMessage,
  type RowFilterMessage,
} from "../src/panel/protocol";

/** What survives when the panel is hidden or the window reloads. */
export interface Kept {
  readonly filter: RowFilterMessage;
  readonly selected: number | null;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

export interface HostSeam {
  send(message: PageMessage): void;
  kept(): Kept | null;
  keep(state: Kept): void;
  listen(take: (message: HostMessage) => void): void;
}

function readKept(value: unknown): Kept | null {
  if (typeof value !== "object" || value === null || !("filter" in value)) return null;
  const filter: Record<string, string> = {};
  for (const [key, text] of Object.entries(value.filter ?? {})) {
    if (["decision", "agent", "tool", "text"].includes(key) && typeof text === "string") filter[key] = text;
  }
  const selected = "selected" in value && typeof value.selected === "number" ? value.selected : null;
  return { filter, selected };
}

export function connectHost(): HostSeam {
  const api = acquireVsCodeApi();
  return {
    send: (message) => api.postMessage(message),
    kept: () => readKept(api.getState()),
    keep: (state) => api.setState(state),
    listen(take) {
      window.addEventListener("message", (event: MessageEvent<unknown>) => {
        const parsed = hostMessage.safeParse(event.data);
        if (parsed.success) take(parsed.data);
      });
    },
  };
}
