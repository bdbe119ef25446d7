/** Tells whoever shows records of each one that is written. */
import type { AuditRecord } from "../core/audit/record";

type Listener = (record: AuditRecord) => void;

export interface Listeners {
  /** Returns how to stop. */
  add(listener: Listener): () => void;
  tell(record: AuditRecord): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<Listener>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(record) {
      for (const listener of listeners) callSafely(listener, record);
    },
  };
}

function callSafely(listener: Listener, record: AuditRecord): void {
  try {
    listener(record);
  } catch {
    // A listener shows records; its fault is not the log's.
  }
}
