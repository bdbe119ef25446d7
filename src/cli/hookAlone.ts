/**
 * A hook call where no window has the folder open: the same core in this process, the same audit log, and nobody to ask.
 * Knows nothing of any agent's words.
 */
import { userInfo } from "node:os";
import { doorOf } from "../agents/agentDoors";
import { createHookDoor } from "../agents/hookDoor";
import type { BrokerAnswer, BrokerRequest } from "../agents/hookRequest";
import { canonicalName } from "../agents/toolFacts";
import { redactedLog } from "../core/audit/redactedLog";
import type { Governor } from "../core/govern";
import { openMcpWorkspace } from "../mcp/workspace";
import { createCallShelf } from "../node/callShelf";
import { realOf } from "../node/dataFolder";
import { openGuardMemory } from "../node/guardMemoryFile";
import { nodeClock, nodeIds, sha256, stderrLog } from "../node/ports";

export interface AloneOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const nobody =
  "This call needs a person's approval, and no editor window with Countersign has this folder open. Do not try another form of it. A person can open the folder in the editor; then the same call asks them there.";

/** Rejects where the workspace or its configuration cannot be opened. */
export async function judgeAlone(request: BrokerRequest, options: AloneOptions): Promise<BrokerAnswer> {
  const log = redactedLog(stderrLog);
  const read = doorOf(request.agent)?.readPayload(request.event, request.payload);
  const named = read?.ok === true ? read.value : undefined;
  const { memory, close } = await openGuardMemory(options.home, nodeClock.now);
  const workspace = await openMcpWorkspace({
    memory,
    cwd: named?.cwd ?? request.cwd,
    home: options.home,
    env: options.env,
    mirror: await isOwnHome(options.home),
    log,
    nobody,
  });
  const open: Promise<unknown>[] = [];
  try {
    const door = createHookDoor({
      governor: acrossProcesses(workspace.governor, { home: options.home, open }),
      isOwnTool: () => false,
      canonicalName,
      profile: () => "default",
      hash: sha256,
      clock: nodeClock,
      ids: nodeIds,
      log,
    });
    const answer = await door(request, { signal: new AbortController().signal });
    if (request.event === "stop" && named !== undefined)
      await endUnknown(workspace.governor, { home: options.home, sessionId: named.sessionId });
    await Promise.allSettled(open);
    return answer;
  } finally {
    await workspace.close();
    close();
  }
}

type Judge = Pick<Governor, "authorize" | "settle" | "ranUngoverned">;

/** The call and its result come to two processes: what the first decided is left for the second. */
function acrossProcesses(governor: Governor, given: { home: string; open: Promise<unknown>[] }): Judge {
  const shelf = createCallShelf(given.home, nodeClock.now);
  return {
    settle: governor.settle,
    async authorize(call, options) {
      const outcome = await governor.authorize(call, options);
      if (outcome.kind === "run") await shelf.put(call, outcome);
      return outcome;
    },
    ranUngoverned(call, ended) {
      const done = shelf
        .take(call)
        .then((found) =>
          found === undefined
            ? governor.ranUngoverned(call, ended)
            : governor.settle(found.call, found.outcome, ended),
        );
      given.open.push(done);
      return done;
    },
  };
}

async function endUnknown(governor: Governor, of: { home: string; sessionId: string }): Promise<void> {
  const left = await createCallShelf(of.home, nodeClock.now).takeAll(of.sessionId);
  const error = "ended unknown: no result was reported";
  for (const { call, outcome } of left) await governor.settle(call, outcome, { result: null, error });
}

async function isOwnHome(home: string): Promise<"believed" | "ignored"> {
  try {
    return (await realOf(userInfo().homedir)) === (await realOf(home)) ? "believed" : "ignored";
  } catch {
    // The system knows no such user.
    return "ignored";
  }
}
