/** The page's side of the border: what it may send, and what it takes in. Nothing else here knows of VS Code. */
import { type HostMessage, isHostMessage, type UpkeepChoice } from "../src/panel/messages";
import type { PageMessage, RowFilterMessage } from "../src/panel/protocol";

/** What survives when the panel is hidden or the window reloads. */
export interface Kept {
  readonly filter: RowFilterMessage;
  readonly upkeep: UpkeepChoice;
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
  /** Messages that came with the document. */
  first(): HostMessage[];
  listen(take: (message: HostMessage) => void): void;
}

const FILTERS = ["decision", "agent", "tool", "event", "session", "since", "until", "text"];

/** What the document brought along, so that the first rows need no way to the host and back. */
function firstMessages(): HostMessage[] {
  const text = document.getElementById("first")?.textContent ?? "[]";
  const found: unknown = JSON.parse(text);
  return Array.isArray(found) ? found.filter(isHostMessage) : [];
}

function readKept(value: unknown): Kept | null {
  if (typeof value !== "object" || value === null || !("filter" in value)) return null;
  const filter: Record<string, string> = {};
  for (const [key, text] of Object.entries(value.filter ?? {})) {
    if (FILTERS.includes(key) && typeof text === "string") filter[key] = text;
  }
  const selected = "selected" in value && typeof value.selected === "number" ? value.selected : null;
  const upkeep = "upkeep" in value && value.upkeep === "shown" ? "shown" : "hidden";
  return { filter, upkeep, selected };
}

export function connectHost(): HostSeam {
  const api = acquireVsCodeApi();
  return {
    send: (message) => api.postMessage(message),
    kept: () => readKept(api.getState()),
    keep: (state) => api.setState(state),
    first: firstMessages,
    listen(take) {
      window.addEventListener("message", (event: MessageEvent<unknown>) => {
        if (isHostMessage(event.data)) take(event.data);
      });
    },
  };
}
