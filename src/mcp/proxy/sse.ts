/** Cuts a stream of server-sent events into events, as the HTML standard reads them. Knows nothing of what they carry. */

export interface SentEvent {
  /** Lines of `data`, joined. */
  readonly data: string;
  /** The last id that was sent, with this event or before it. */
  readonly id?: string;
}

export interface EventCutter {
  push(text: string): void;
}

export interface EventHooks {
  readonly onEvent: (event: SentEvent) => void;
  /** Milliseconds to wait before a new connection, as the server wants it. */
  readonly onRetry?: (ms: number) => void;
  /** Characters that one event may have; what is over is dropped whole. */
  readonly limit: number;
  readonly onOversized: () => void;
}

/** An event that is not closed by an empty line never happened. */
export function createEventCutter({ onEvent, onRetry, limit, onOversized }: EventHooks): EventCutter {
  let data: string[] = [];
  let size = 0;
  let id: string | undefined;
  const take = (line: string) => {
    if (line === "") return dispatch();
    if (line.startsWith(":")) return;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") {
      size += value.length;
      if (size <= limit) data.push(value);
      else data = [];
    }
    if (field === "id" && !value.includes("\0")) id = value;
    if (field === "retry" && /^\d{1,7}$/.test(value)) onRetry?.(Number(value));
  };
  const dispatch = (): void => {
    const whole = data.join("\n");
    if (size > limit) onOversized();
    else if (whole !== "") onEvent({ data: whole, ...(id === undefined ? {} : { id }) });
    data = [];
    size = 0;
  };
  let parts: string[] = [];
  let held = 0;
  let afterReturn = false;
  return {
    push(chunk) {
      // The other half of a line break whose first half was seen already.
      const text = afterReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
      if (chunk !== "") afterReturn = chunk.endsWith("\r");
      parts.push(text);
      held += text.length;
      if (held > limit * 2) {
        parts = [];
        held = 0;
        onOversized();
      }
      if (!/[\r\n]/.test(text)) return;
      const lines = parts.join("").split(/\r\n|\r|\n/);
      const rest = lines.pop() ?? "";
      parts = [rest];
      held = rest.length;
      for (const line of lines) take(line);
    },
  };
}
