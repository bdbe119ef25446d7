/** Puts a proxy together: who judges, what is pinned, which server. Holds no logic of any of them. */
import { userInfo } from "node:os";
import { realOf } from "../../node/dataFolder";
import { nodeIds } from "../../node/ports";
import { brokerJudge } from "./brokerJudge";
import { httpUpstream } from "./httpUpstream";
import type { ProxyServer } from "./judge";
import { localJudge } from "./localJudge";
import { pinStore } from "./pinFile";
import { type ProxyIo, relayStreams } from "./pipes";
import { type StdioServer, stdioUpstream } from "./stdioUpstream";

export type ProxyTarget =
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "http"; readonly url: URL; readonly headers: Readonly<Record<string, string>> };

export interface ProxyOptions {
  /** The person's name for the server. */
  readonly name: string;
  readonly target: ProxyTarget;
  readonly cwd: string;
  readonly home: string;
  readonly env: StdioServer["env"];
}

const NOBODY =
  "This call needs a person's approval, and no editor window with Countersign has this folder open. Do not try another form of it. A person can open the folder in the editor; then the same call asks them there.";

/** Resolves to the exit code. */
export async function runProxy(io: ProxyIo, options: ProxyOptions): Promise<number> {
  const { target, cwd, home, env, name } = options;
  const { log } = io;
  const server: ProxyServer = { name, ...(target.kind === "http" ? { host: target.url.host } : {}) };
  const sessionId = nodeIds("mcp");
  const mirror = await isOwnHome(home);
  const local = localJudge({ cwd, home, env, log, mirror, nobody: NOBODY }, { server, sessionId, cwd });
  const judge = brokerJudge({ server, sessionId, cwd, home, env, log, local });
  const pins = pinStore({ home, server: name, root: await realOf(cwd), log });
  const upstream =
    target.kind === "stdio" ? stdioUpstream({ ...target, cwd, env }) : httpUpstream({ ...target, log });
  return relayStreams(io, { upstream, judge, pins });
}

async function isOwnHome(home: string): Promise<"believed" | "ignored"> {
  try {
    return (await realOf(userInfo().homedir)) === (await realOf(home)) ? "believed" : "ignored";
  } catch {
    // The system knows no such user.
    return "ignored";
  }
}
