/** The user layer from `countersign.*`: read once into one plain object. Only what the person set counts, never a workspace's settings. */
import * as vscode from "vscode";
import type { Problem } from "../core/errors";
import { asList } from "../core/rules/keyRules";
import { checkLocks } from "../core/rules/locks";
import type { ConfigFile } from "../core/rules/schema";
import { userLayerFrom } from "../core/rules/userLayer";

export interface Settings {
  readonly user: ConfigFile;
  readonly locked: readonly string[];
  readonly askTimeoutMs: number;
  readonly problems: readonly Problem[];
}

const SECTION = "countersign";

let known: Settings | undefined;
// Before anybody else listens: whoever hears of a change reads what it changed to.
vscode.workspace.onDidChangeConfiguration((change) => {
  if (change.affectsConfiguration(SECTION)) known = undefined;
});

/** Asked for at every call, and some dozen keys: read when it has changed. */
export function readSettings(): Settings {
  known ??= readNow();
  return known;
}

function readNow(): Settings {
  const settings = vscode.workspace.getConfiguration(SECTION);
  // `globalValue` is what the person set; scopes keep workspace values out, and this does so a second time.
  const read = (key: string): unknown => {
    const value: unknown = settings.inspect(key)?.globalValue;
    // The editor hands out proxies; a plain copy can be compared and stored.
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  };
  const { user, problems } = userLayerFrom(read);
  const locked = asList(read("locked"));
  const seconds = read("ask.timeoutSeconds");
  const allowed = typeof seconds === "number" && seconds >= 10 && seconds <= 3600;
  return {
    user,
    locked,
    askTimeoutMs: (allowed ? seconds : 300) * 1000,
    problems: [...problems, ...checkLocks(locked, "settings")],
  };
}
