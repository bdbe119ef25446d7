/** The chain's state in one word and one sentence, for the status bar and the panel. Changes nothing. */
import * as vscode from "vscode";
import type { GovernanceState } from "../core/governance/governanceState";
import type { HostState } from "../panel/messages";
import { shortPath } from "./coverage";
import type { Workspace } from "./workspaces";

export interface ChainFacts {
  waiting: number;
  /** Why door A does not work, in words. */
  trouble: string | undefined;
  /** First bad line that the last verification found. */
  damage: number | undefined;
}

export interface ChainStateFacts extends Readonly<ChainFacts> {
  readonly workspaces: readonly Workspace[];
  readonly governance: GovernanceState;
  /** What was meant to be governed and is not. */
  readonly notGoverned: { readonly long: string } | undefined;
  /** A file whose hooks changed and at which nobody has looked. */
  readonly hooksChanged: string | undefined;
}

export function chainStateOf(facts: ChainStateFacts): HostState["chain"] {
  const off = governanceOff(facts);
  if (off !== undefined) return { state: "governance-off", message: off };
  for (const { audit } of facts.workspaces) {
    const { place, problem } = audit.state();
    if (place !== "file") {
      return {
        state: "audit-broken",
        message: vscode.l10n.t("The audit log cannot be written: {0}", problem ?? ""),
      };
    }
  }
  const keyless = facts.workspaces.map(({ audit }) => audit.keyTrouble()).find((t) => t !== undefined);
  if (keyless !== undefined) {
    return {
      state: "audit-broken",
      message: vscode.l10n.t("Approvals are recorded without a signature: {0}", keyless.why),
    };
  }
  const unsigned = facts.workspaces
    .map(({ audit }) => audit.checkpointProblem())
    .find((p) => p !== undefined);
  if (unsigned !== undefined) {
    return {
      state: "audit-broken",
      message: vscode.l10n.t("No checkpoint of the audit log is signed any more: {0}", unsigned),
    };
  }
  if (facts.damage !== undefined) {
    return {
      state: "audit-broken",
      message: vscode.l10n.t("The audit chain is broken at line {0}", facts.damage),
    };
  }
  if (facts.workspaces.some((w) => !w.resolved().config.chain.enabled)) {
    return { state: "off", message: vscode.l10n.t("The hook chain is off: nothing is judged") };
  }
  const [card] = facts.workspaces.flatMap((w) => w.policies().broken);
  if (card !== undefined) {
    const message = vscode.l10n.t("Only reads run: {0}: {1}", card.card, card.message);
    return { state: "config-waiting", message };
  }
  const broken = facts.workspaces.find((w) => w.resolved().state === "broken");
  if (broken !== undefined) {
    return {
      state: "config-waiting",
      message: vscode.l10n.t("gateway-hooks.toml cannot be used; what was in force stays in force"),
    };
  }
  if (facts.workspaces.some((w) => w.resolved().pending !== undefined)) {
    return { state: "config-waiting", message: vscode.l10n.t("A changed configuration waits for you") };
  }
  if (facts.hooksChanged !== undefined) {
    return {
      state: "config-waiting",
      message: vscode.l10n.t(
        "Hook settings changed and nobody has looked: {0}",
        shortPath(facts.hooksChanged),
      ),
    };
  }
  const [waiting] = facts.workspaces.flatMap((w) => w.policies().pending);
  if (waiting !== undefined) {
    const message = vscode.l10n.t("Policies wait for your trust: {0}", waiting.card ?? waiting.name);
    return { state: "config-waiting", message };
  }
  if (facts.waiting > 0) return { state: "waiting", message: vscode.l10n.t("A call waits for you") };
  return { state: "ok", message: vscode.l10n.t("Every call is checked and recorded") };
}

/** What switches door A off: shown, never assumed to be safe. */
function governanceOff(facts: ChainStateFacts): string | undefined {
  if (facts.trouble !== undefined) return facts.trouble;
  const [other] = facts.governance.otherRuns();
  if (other !== undefined)
    return vscode.l10n.t("{0} ran with other arguments than were let through", other.tool);
  if (facts.notGoverned !== undefined) return facts.notGoverned.long;
  return undefined;
}
