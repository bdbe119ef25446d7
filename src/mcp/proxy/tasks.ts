/** Calls that became tasks: their result is fetched by another request, and is held for the rules like any other. Knows no guard. */
import { isPlainObject } from "../../core/call";
import { errorLine, ProtocolError, type RequestId } from "../jsonRpc";
import { ServerError } from "./answers";
import type { Waiting } from "./relay";
import type { WireMessage } from "./wire";

interface Fetched {
  /** Of the request that fetched it. */
  readonly id: RequestId;
  readonly answer: WireMessage;
}

interface Task {
  readonly fetched: (fetched: Fetched) => void;
  readonly lost: (why: string) => void;
  /** The line that answers the first fetch; those after it are not answered with anything else. */
  readonly line: Promise<string>;
  readonly over: (line: string) => void;
  asked: boolean;
}

export interface Tasks {
  /** The answer to the request that fetches the task's result. */
  result(task: string, signal: AbortSignal): Promise<Fetched>;
  /** What the judge made of it. */
  over(task: string, line: string): void;
  fetch(key: string, message: WireMessage): boolean;
  serverEnded(why: string): void;
}

/** More are not kept: a result that cannot be held for the rules is not passed on either. */
const MAX_TASKS = 1_000;

export function createTasks(deps: {
  readonly toClient: (line: Buffer | string) => void;
  readonly ask: (key: string, request: Waiting, line: Buffer | string) => void;
}): Tasks {
  const tasks = new Map<string, Task>();
  return {
    result: (name, signal) =>
      new Promise((resolve, reject) => {
        const lost = (why: string): void => reject(new ServerError(why));
        if (tasks.has(name) || tasks.size >= MAX_TASKS) return lost("this task cannot be kept");
        const { promise: line, resolve: over } = Promise.withResolvers<string>();
        tasks.set(name, { fetched: resolve, lost, line, over, asked: false });
        signal.addEventListener("abort", () => lost("the client cancelled the call"), { once: true });
      }),
    over: (name, line) => tasks.get(name)?.over(line),
    fetch(key, message) {
      const { params, id } = message.value;
      const name = isPlainObject(params) && typeof params.taskId === "string" ? params.taskId : undefined;
      const task = name === undefined ? undefined : tasks.get(name);
      if (task === undefined) return false;
      // The caller made sure that it is one of the two.
      const to = id as RequestId;
      if (task.asked) {
        deps.toClient(
          errorLine(to, new ProtocolError("params", "The result of this task was fetched before")),
        );
        return true;
      }
      task.asked = true;
      void task.line.then(deps.toClient);
      const take = (answer: WireMessage): void => task.fetched({ id: to, answer });
      deps.ask(key, { id, method: "tasks/result", take, lost: task.lost }, `${message.text}\n`);
      return true;
    },
    serverEnded(why) {
      for (const task of tasks.values()) task.lost(why);
    },
  };
}
