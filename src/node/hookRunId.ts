/** The id of a run. Knows nothing of what is done with it. */
import { HookError } from "./hookRunErrors";

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/u;

/** A run id names a folder and may stand in a command: letters, digits, dot, dash, underscore. */
export function checkRunId(runId: string): string {
  if (RUN_ID.test(runId)) return runId;
  throw new HookError(
    `a run id is up to 128 letters, digits, dots, dashes and underscores, not ${JSON.stringify(runId)}`,
  );
}
