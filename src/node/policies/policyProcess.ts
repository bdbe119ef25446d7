/**
 * The process of one card's policies: it is given their modules as text, loads each policy in a realm of its own, and
 * answers events until it is ended. It reads no file. Fd 3 brings lines of JSON, fd 4 takes them. Knows nothing of verdicts.
 */
import { statSync } from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { compileFunction, constants, createContext, runInContext } from "node:vm";
import { watchProcess } from "../handlers/watchProcess";
import type { CardReport, CardStart, ConsoleLevel, PolicyReport, Printed } from "./policyMessages";
import { type Realm, type RealmHost, realmSource } from "./realm";

/** Of the process itself, that policies have no use for and a way out of a realm would look for. */
const LOCKED = [
  "abort",
  "binding",
  "_linkedBinding",
  "chdir",
  "_debugEnd",
  "_debugProcess",
  "dlopen",
  "execve",
  "getBuiltinModule",
  "initgroups",
  "kill",
  "_kill",
  "mainModule",
  "report",
  "setegid",
  "seteuid",
  "setgid",
  "setgroups",
  "setuid",
  "umask",
];
const NETWORK = ["fetch", "WebSocket", "EventSource", "XMLHttpRequest", "BroadcastChannel", "Worker"];

/** Lines that a policy may print; the bucket fills again by ten a second. */
const BURST = 200;
const PER_SECOND = 10;

/** True where this very process is refused what lies outside of it. Asked of the system, not of the command line. */
function isConfined(): boolean {
  const { permission } = process;
  if (permission === undefined || permission.has("child") || permission.has("fs.write", "/")) return false;
  try {
    statSync("/");
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ERR_ACCESS_DENIED";
  }
}

function lock(): void {
  for (const name of LOCKED) Reflect.deleteProperty(process, name);
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const name of NETWORK) Reflect.deleteProperty(globalThis, name);
}

type Send = (line: string) => void;

function openRealm(start: CardStart, index: number, send: Send): Realm {
  const codeGeneration = { strings: false, wasm: false };
  // An outer object as the realm's global would be a way out.
  const global = constants?.DONT_CONTEXTIFY ?? Object.create(null);
  const context = createContext(global, { codeGeneration, name: "policy" });
  const host = hostOf(start, { index, send, context, fire: (id) => made.fire(id) });
  const modules = Object.fromEntries(
    start.modules.map(({ path, name, imports }) => [path, { name, imports }]),
  );
  const make = runInContext(realmSource(), context) as (host: RealmHost, described: string) => Realm;
  const made: Realm = make(host, JSON.stringify({ entry: start.entries[index], modules }));
  return made;
}

function hostOf(
  start: CardStart,
  realm: { index: number; send: Send; context: object; fire: (id: number) => void },
): RealmHost {
  const { index, send, context, fire } = realm;
  const code = new Map(start.modules.map((module) => [module.path, module.code]));
  const timers = new Map<number, NodeJS.Timeout>();
  const mayPrint = bucket();
  return {
    compile(path) {
      try {
        const names = ["exports", "require", "module"];
        const run = compileFunction(code.get(path) ?? "", names, { filename: path, parsingContext: context });
        return run as (...args: unknown[]) => void;
      } catch (error) {
        return `it cannot be read: ${error instanceof Error ? error.message : ""}`;
      }
    },
    send,
    print(level, text) {
      if (typeof text !== "string" || !mayPrint()) return;
      const printed: Printed = { printed: index, level: level as ConsoleLevel, text };
      send(JSON.stringify(printed));
    },
    timer(id, ms) {
      const wait = typeof ms === "number" ? Math.min(ms, 2_147_483_647) : 0;
      timers.set(
        id,
        setTimeout(() => {
          timers.delete(id);
          fire(id);
        }, wait),
      );
    },
    clear(id) {
      clearTimeout(timers.get(id));
      timers.delete(id);
    },
    url(text, base) {
      const url = typeof text === "string" && typeof base === "string" ? urlOf(text, base) : undefined;
      if (url === undefined) return "";
      const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } =
        url;
      const parts = { href, origin, protocol, username, password, host, hostname, port };
      return JSON.stringify({ ...parts, pathname, search, hash });
    },
  };
}

function urlOf(text: string, base: string): URL | undefined {
  try {
    return new URL(text, base === "" ? undefined : base);
  } catch {
    return undefined;
  }
}

/** A flood of lines neither blocks the pipe nor fills a log. */
function bucket(): () => boolean {
  let left = BURST;
  let at = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(BURST, left + ((now - at) / 1000) * PER_SECOND);
    at = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

/** The reports of all policies, or an empty list where nothing may be loaded. */
function open(start: CardStart, realms: Realm[], send: Send): CardReport {
  const confined = isConfined();
  watchProcess(start.maxBytes);
  lock();
  if (!confined && !start.unconfined) return { confined, policies: [] };
  const policies = start.entries.map((_entry, index): PolicyReport => {
    const realm = openRealm(start, index, send);
    realms.push(realm);
    return JSON.parse(realm.report);
  });
  return { confined, policies };
}

function main(): void {
  const input = new Socket({ fd: 3, readable: true, writable: false });
  const output = new Socket({ fd: 4, readable: false, writable: true });
  const send: Send = (line) => void output.write(`${line}\n`);
  const exit = process.exit.bind(process);
  const realms: Realm[] = [];
  // What a policy leaves unhandled is its own affair, and no reason to end the others.
  process.on("unhandledRejection", () => undefined);
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
    const [, id, index] = /^\{"id":(\d+),"fn":"(\d+):/.exec(line) ?? [];
    if (index !== undefined) {
      const realm = realms[Number(index)];
      if (realm === undefined) send(`{"id":${id},"ok":false,"error":"it is not loaded"}`);
      else realm.handle(line);
      return;
    }
    try {
      const report = open(JSON.parse(line) as CardStart, realms, send);
      send(JSON.stringify({ id: 0, ok: true, value: report }));
    } catch (error) {
      send(
        JSON.stringify({ id: 0, ok: false, error: error instanceof Error ? error.message : String(error) }),
      );
    }
  });
  input.on("close", () => exit(0));
}

main();
