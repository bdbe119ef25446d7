/** The server on its streams: from the first byte until the client closes its end. Decides nothing. */
import { userInfo } from "node:os";
import { messageOf } from "../core/errors";
import { realOf } from "../node/dataFolder";
import { createOwnToolStores } from "../node/ownToolStores";
import type { Log } from "../ports";
import { createLineCutter } from "./lines";
import { createSession } from "./session";
import { createToolCalls } from "./toolCalls";
import { type McpWorkspace, openMcpWorkspace } from "./workspace";

export interface ServerIo {
  readonly stdin: NodeJS.ReadableStream;
  readonly write: (line: string) => void;
  /** Aborted when the process is told to end, or nobody reads any more. */
  readonly stop: AbortSignal;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Milliseconds that calls in flight have once the client sends no more. */
const GRACE_MS = 5_000;

/** Resolves when everything is on disk and closed. */
export async function serve(io: ServerIo): Promise<void> {
  const stores = createOwnToolStores();
  let opened: Promise<McpWorkspace> | undefined;
  const workspace = (): Promise<McpWorkspace> => {
    opened ??= open(io);
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  const session = createSession({
    calls: createToolCalls({ workspace, stores, cwd: io.cwd }),
    write: io.write,
  });
  await readAll(io, session.take);
  const grace = setTimeout(session.abort, io.stop.aborted ? 0 : GRACE_MS);
  io.stop.addEventListener("abort", session.abort);
  await session.idle();
  clearTimeout(grace);
  await stores.close();
  await opened?.then((one) => one.close()).catch((error: unknown) => io.log.error(messageOf(error)));
}

/** Until the client closes its end, the stream fails, or we are stopped. */
function readAll({ stdin, stop }: ServerIo, onLine: Parameters<typeof createLineCutter>[0]): Promise<void> {
  return new Promise((resolve) => {
    const cutter = createLineCutter(onLine);
    const done = () => {
      stdin.pause();
      resolve();
    };
    if (stop.aborted) return done();
    stop.addEventListener("abort", done, { once: true });
    stdin.on("data", (chunk: Uint8Array) => cutter.push(chunk));
    stdin.on("end", () => {
      cutter.end();
      done();
    });
    stdin.on("error", done);
  });
}

async function open({ cwd, home, env, log }: ServerIo): Promise<McpWorkspace> {
  return openMcpWorkspace({ cwd, home, env, log, mirror: await isOwnHome(home) });
}

async function isOwnHome(home: string): Promise<"believed" | "ignored"> {
  try {
    return (await realOf(userInfo().homedir)) === (await realOf(home)) ? "believed" : "ignored";
  } catch {
    // The system knows no such user.
    return "ignored";
  }
}
