/** Events and counters of the chain. Knows nothing of who listens. */

import type { ToolCall } from "./call";
import type { AskDecision } from "./decision";
import type { Outcome } from "./hook";

export interface Emitter<T> {
  fire(value: T): void;
  on(listener: (value: T) => void): { dispose(): void };
}

/** A listener that throws does not reach the others or the caller. */
export function createEmitter<T>(onError: (error: unknown) => void): Emitter<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    fire(value) {
      for (const listener of [...listeners]) {
        try {
          listener(value);
        } catch (error) {
          onError(error);
        }
      }
    },
    on(listener) {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
  };
}

export interface AskedEvent {
  readonly call: ToolCall;
  readonly askId: string;
  readonly ask: AskDecision & { readonly by: string };
}
export interface DeniedEvent {
  readonly call: ToolCall;
  readonly reason: string;
  readonly by: string;
}

export interface ToolCounts {
  readonly tool: string;
  readonly decisions: Readonly<Record<string, number>>;
  readonly errors: number;
  /** Sum over calls that ran, milliseconds. */
  readonly totalMs: number;
}

export interface Metrics {
  count(call: ToolCall, outcome: Outcome): void;
  finished(call: ToolCall, ran: { durationMs: number; error: string | null }): void;
  summary(): { readonly calls: number; readonly tools: readonly ToolCounts[] };
}

/** Counters per tool and decision. */
export function createMetrics(): Metrics {
  const tools = new Map<string, { decisions: Record<string, number>; errors: number; totalMs: number }>();
  let calls = 0;
  const entry = (tool: string): { decisions: Record<string, number>; errors: number; totalMs: number } => {
    const known = tools.get(tool) ?? { decisions: {}, errors: 0, totalMs: 0 };
    tools.set(tool, known);
    return known;
  };
  return {
    count(call, outcome) {
      calls += 1;
      const decision = outcome.kind === "run" ? outcome.decision : outcome.kind;
      const { decisions } = entry(call.toolName);
      decisions[decision] = (decisions[decision] ?? 0) + 1;
    },
    finished(call, ran) {
      const counts = entry(call.toolName);
      counts.totalMs += ran.durationMs;
      if (ran.error !== null) counts.errors += 1;
    },
    summary: () => ({ calls, tools: [...tools].map(([tool, counts]) => ({ tool, ...counts })) }),
  };
}
