/** Signs of life while a call waits for a person, so that the client does not give it up. Knows nothing of verdicts. */
import { notificationLine } from "../jsonRpc";

const FIRST_MS = 1_500;
const EVERY_MS = 5_000;
/** The server's own progress begins at nought: ours stays far below any step of it, and grows as the protocol wants. */
const STEP = 1e-6;

/** Only where the client gave a token. */
export function progressWhileHeld(token: unknown, say: (line: string) => void): { stop(): void } {
  if (typeof token !== "string" && typeof token !== "number") return { stop: () => undefined };
  let progress = 0;
  const tell = (): void => {
    progress += STEP;
    const message = "Waiting for a verdict: a person may have to approve this call in the editor";
    say(notificationLine("notifications/progress", { progressToken: token, progress, message }));
    timer = setTimeout(tell, EVERY_MS);
  };
  let timer = setTimeout(tell, FIRST_MS);
  return { stop: () => clearTimeout(timer) };
}
