/** Part of the canary run: a person is asked through the editor's dialog, with a secret in all that the dialog and its records are made of. */

import type { Args, ToolCall } from "../../../src/core/call";
import { HookChain } from "../../../src/core/chain";
import { createGrants } from "../../../src/core/consent";
import { AskUser } from "../../../src/core/decision";
import { createEmitter, createMetrics } from "../../../src/core/events";
import { createGovernor } from "../../../src/core/govern";
import { englishSentences } from "../../../src/core/sentences";
import { askModal, type MoreAnswer } from "../../../src/host/askModal";
import { nodeClock, nodeIds, sha256 } from "../../../src/node/ports";
import type { AuditStore, Log } from "../../../src/ports";

export interface AskedRun {
  readonly store: AuditStore;
  readonly log: Log;
  readonly canary: (place: string) => string;
  readonly argsOf: (place: string) => Args;
}

/** Allowed for the session, then refused with a sentence, then the agent paused. */
export async function askedRun({ store, log, canary, argsOf }: AskedRun): Promise<void> {
  const clicks = ["Allow in this session", "More…", "More…"];
  const more: MoreAnswer[] = [{ kind: "sentence", sentence: `use ${canary("said")}` }, { kind: "pause" }];
  const ask = askModal({
    // Later than a double click.
    show: async () => {
      await nodeClock.timer(900).done;
      return clicks.shift();
    },
    more: async () => more.shift(),
    openDetails: async () => undefined,
    clock: nodeClock,
    log,
    t: (text) => text,
  });
  const chain = new HookChain({ clock: nodeClock, log }, [
    {
      name: "asker",
      guard: true,
      preToolUse: (_ctx, tool) =>
        AskUser({
          prompt: `Run it with ${canary("prompt")}?`,
          details: { seen: canary("askDetails") },
          confirm_args: { confirm: true },
          ...(tool === "wide"
            ? { sessionScope: { key: canary("scopeKey"), label: `things ${canary("scope")}` } }
            : {}),
        }),
    },
  ]);
  const failed = (error: unknown): void => log.error(String(error));
  const governor = createGovernor({
    evaluate: () => ({
      chain,
      clock: nodeClock,
      hasher: sha256,
      enabled: true,
      consent: "human",
      confirmKeys: ["confirm"],
      nonce: "n",
    }),
    decide: () => ({
      ask,
      grants: createGrants(nodeClock),
      hasher: sha256,
      ids: nodeIds,
      policyDigest: () => "p",
      sentences: englishSentences,
    }),
    audit: () => store,
    auditRequired: () => true,
    recordsChoices: true,
    hasher: sha256,
    clock: nodeClock,
    log,
    metrics: createMetrics(),
    asked: createEmitter(failed),
    denied: createEmitter(failed),
  });
  for (const tool of ["wide", "narrow", "narrow"]) {
    const call: ToolCall = {
      callId: nodeIds("call"),
      runId: "r",
      sessionId: canary("askSession"),
      agent: canary("askAgent"),
      toolName: tool,
      canonicalName: tool,
      input: argsOf(`ask${tool}`),
      cwd: "/",
      profile: "default",
      traceId: "t",
      extra: {},
    };
    await governor.authorize(call);
  }
}
