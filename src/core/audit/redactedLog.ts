/** A log that takes secrets out of what it is told: messages of errors may quote a command or an address. Knows no channel. */
import type { Log } from "../../ports";
import { createRedactor } from "./redact";

export function redactedLog(log: Log): Log {
  const redactor = createRedactor();
  const clean = (message: string): string => redactor.text(message, "log").value;
  return {
    info: (message) => log.info(clean(message)),
    warn: (message) => log.warn(clean(message)),
    error: (message) => log.error(clean(message)),
  };
}
