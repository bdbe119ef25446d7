/** What policies print goes to the log under the policy's name. */
import { visibleLine } from "../../core/visible";
import type { Log } from "../../ports";
import type { PolicyHostDeps } from "./policyHost";

export const policyConsole =
  (log: Log): PolicyHostDeps["onConsole"] =>
  (name, level, text) => {
    const line = `${name}: ${visibleLine(text)}`;
    if (level === "error") log.error(line);
    else if (level === "warn") log.warn(line);
    else log.info(line);
  };
