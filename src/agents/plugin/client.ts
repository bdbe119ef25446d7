/** The program that the plugin's hooks start: one event, one answer behind the token the wrapper waits for. Knows nothing of verdicts. */
import { writeSync } from "node:fs";
import { homedir } from "node:os";
import { answerText } from "../../node/hookAnswerText";
import { runHookClient } from "../../node/hookClient";
import { watchParent } from "../../node/parentWatch";
import { isHookEvent } from "../hookRequest";

const [, , event = "pre", wrapper = ""] = process.argv;

watchParent(/^[1-9]\d*$/.test(wrapper) ? Number(wrapper) : undefined, () => process.exit(3));

// No catch: a crash prints no token, and the wrapper denies. Written to the descriptor: making process.stdout costs some milliseconds.
runHookClient({
  agent: "vscode",
  observer: "plugin",
  event: isHookEvent(event) ? event : "pre",
  stdin: process.stdin,
  env: process.env,
  home: homedir(),
  cwd: process.cwd(),
}).then((answer) => {
  let rest = Buffer.from(answerText(answer));
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  process.exit(0);
});
