/**
 * What stands around a policy's code inside its own realm. These functions are handed over as text: each uses only what
 * it is given and the others of this file. Nothing of the outer realm but primitive values may reach the policy.
 */

import type { PolicyReport } from "./policyMessages";

type GoodReport = Extract<PolicyReport, { ok: true }>;

/** What the realm asks of its process. Primitive values in and out; it must not throw. */
export interface RealmHost {
  /** The module as a function of `exports, require, module`, or why it is none. */
  compile(path: string): ModuleFunction | string;
  send(reply: string): void;
  print(level: string, text: string): void;
  timer(id: number, ms: number): void;
  clear(id: number): void;
  /** The parts of a URL as JSON, or an empty text. */
  url(text: string, base: string): string;
}

type ModuleFunction = (exports: unknown, require: unknown, module: unknown) => void;

export interface RealmModules {
  readonly entry: string;
  readonly modules: Readonly<Record<string, RealmModule>>;
}

export interface RealmModule {
  /** Path within the card, for messages. */
  readonly name: string;
  readonly imports: Readonly<Record<string, string>>;
}

/** What the process holds of a realm. */
export interface Realm {
  /** JSON of a `PolicyReport`. */
  readonly report: string;
  /** A line of a request. */
  handle(line: string): void;
  fire(timer: number): void;
}

interface LoadedPolicy {
  readonly before: ((event: unknown) => unknown) | undefined;
  readonly after: ((event: unknown) => unknown) | undefined;
}

/** Runs inside the realm. */
export function realm(outer: RealmHost, described: string): Realm {
  const host = guarded(outer);
  // Taken before the policy's code runs: what it does to its globals changes nothing here.
  const { parse, stringify } = JSON;
  const words = { textOf, stringify };
  const fire = installGlobals(host, words);
  let report: string;
  let policy: LoadedPolicy = { before: undefined, after: undefined };
  try {
    const found = readPolicy(loadModules(host, parse(described)));
    policy = found.policy;
    report = stringify(found.report);
  } catch (error) {
    report = stringify({ ok: false, why: textOf(error) });
  }
  return { report, fire, handle: (line) => void answer(parse(line)) };

  async function answer(request: {
    readonly id: number;
    readonly fn: string;
    readonly event: { readonly subject: string; readonly event: { readonly input: object } };
  }): Promise<void> {
    let reply: string;
    try {
      const { subject, event } = request.event;
      const asText = { value: () => subject, enumerable: false, configurable: true, writable: true };
      Object.defineProperty(event.input, "toString", asText);
      const isBefore = request.fn.endsWith("beforeToolCall");
      const run = isBefore ? policy.before : policy.after;
      // Loaded anew it may be another than the one that was described.
      if (run === undefined) throw new Error("it has no such callback any more");
      const value = await run(event);
      const text = isBefore ? decisionText(value, stringify) : "null";
      reply = `{"id":${request.id},"ok":true,"value":${text}}`;
    } catch (error) {
      reply = stringify({ id: request.id, ok: false, error: textOf(error) });
    }
    host.send(reply);
  }
}

/** Where the stack is full, a function of the outer realm throws an error of the outer realm, and that is a way there. */
function guarded(outer: RealmHost): RealmHost {
  const guard =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      try {
        return call(...args);
      } catch {
        throw new RangeError("Maximum call stack size exceeded");
      }
    };
  const { compile, send, print, timer, clear, url } = outer;
  return {
    compile: guard(compile),
    send: guard(send),
    print: guard(print),
    timer: guard(timer),
    clear: guard(clear),
    url: guard(url),
  };
}

function loadModules(host: RealmHost, { entry, modules }: RealmModules): unknown {
  const specifiers = ["countersign/policy", "darwinian-minds/hook-policy", "darwinian/hook-policy"];
  const loaded = new Map<string, { exports: unknown }>();
  const load = (path: string): unknown => {
    const before = loaded.get(path);
    if (before !== undefined) return before.exports;
    const known = modules[path];
    const run = host.compile(path);
    if (typeof run === "string" || known === undefined) throw new Error(String(run));
    const own: { exports: unknown } = { exports: {} };
    loaded.set(path, own);
    run(own.exports, (specifier: unknown) => imported(String(specifier), known), own);
    return own.exports;
  };
  const imported = (specifier: string, { name, imports }: RealmModule): unknown => {
    if (Object.hasOwn(imports, specifier)) return load(String(imports[specifier]));
    if (specifiers.includes(specifier)) return { defineToolPolicy: (policy: unknown) => policy };
    throw new Error(
      `${name} imports ${JSON.stringify(specifier)}, and a policy may import only files of its own card`,
    );
  };
  return load(entry);
}

/** Throws an Error for what is no policy. Also used for policies of a program of one's own. */
export function readPolicy(exports: unknown): { policy: LoadedPolicy; report: GoodReport } {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null;
  const given = isObject(exports) && "default" in exports ? exports.default : undefined;
  if (!isObject(given))
    throw new Error("it has no default export; write export default defineToolPolicy({ … })");
  const keys = ["policyKind", "matcher", "timeoutMs", "beforeToolCall", "afterToolCall"];
  const strange = Object.keys(given).find((key) => !keys.includes(key));
  if (strange !== undefined) throw new Error(`a policy has no ${strange}; it has ${keys.join(", ")}`);
  const { policyKind: kind, matcher, timeoutMs, beforeToolCall, afterToolCall } = given;
  if (kind !== "observer" && kind !== "enforcement")
    throw new Error('policyKind must be "observer" or "enforcement"');
  if (matcher !== undefined && typeof matcher !== "string") throw new Error("matcher must be text");
  const isTime = typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= 3_600_000;
  if (timeoutMs !== undefined && !isTime)
    throw new Error("timeoutMs must be a number of milliseconds from 1 to 3600000");
  const callback = (value: unknown, name: string): ((event: unknown) => unknown) | undefined => {
    if (value === undefined) return undefined;
    if (typeof value !== "function") throw new Error(`${name} must be a function`);
    return (event) => value.call(given, event);
  };
  const before = callback(beforeToolCall, "beforeToolCall");
  const after = callback(afterToolCall, "afterToolCall");
  const has = { before: before !== undefined, after: after !== undefined };
  const times = { timeoutMs: isTime ? timeoutMs : null };
  const report: GoodReport = { ok: true, kind, matcher: matcher ?? null, ...times, ...has };
  return { policy: { before, after }, report };
}

/** What JSON would leave out or change without a word may have been the decision. */
export function decisionText(value: unknown, stringify: typeof JSON.stringify): string {
  if (value === undefined || value === null) return "null";
  const strict = (key: string, part: unknown): unknown => {
    if (typeof part === "function" || typeof part === "symbol")
      throw new Error(`the decision's ${key || "value"} is a ${typeof part}`);
    if (typeof part === "number" && !Number.isFinite(part))
      throw new Error(`the decision's ${key || "value"} is ${part}`);
    return part;
  };
  const text = stringify(value, strict);
  if (text.length > 1_048_576) throw new Error("the decision is larger than 1 MiB");
  return text;
}

/** A value in words, whatever it is. */
export function textOf(value: unknown): string {
  try {
    if (value instanceof Error) return `${value.name}: ${value.message}`.slice(0, 2000);
    return `it threw ${String(value)}`.slice(0, 2000);
  } catch {
    return "it threw something that cannot be shown";
  }
}

/** The few globals beside the language's own. Gives what runs a timer. */
function installGlobals(
  host: RealmHost,
  { textOf, stringify }: { textOf: (value: unknown) => string; stringify: typeof JSON.stringify },
): (timer: number) => void {
  const timers = new Map<number, { readonly run: () => unknown; readonly every: number | undefined }>();
  let last = 0;
  const print = (level: string, values: readonly unknown[]): void =>
    host.print(level, values.map(shown).join(" ").slice(0, 4000));
  const start = (run: unknown, ms: unknown, how: { args: unknown[]; repeats: boolean }): number => {
    if (typeof run !== "function") throw new TypeError("a timer needs a function");
    const id = ++last;
    const wait = Math.max(0, Number(ms) || 0);
    timers.set(id, { run: () => run(...how.args), every: how.repeats ? wait : undefined });
    host.timer(id, wait);
    return id;
  };
  const stop = (id: unknown): void => {
    if (timers.delete(Number(id))) host.clear(Number(id));
  };
  const levels = { log: "info", info: "info", debug: "debug", trace: "debug", warn: "warn", error: "error" };
  const printers = Object.entries(levels).map(([name, level]) => [
    name,
    (...values: unknown[]) => print(level, values),
  ]);
  Object.assign(globalThis, {
    console: Object.fromEntries(printers),
    setTimeout: (run: unknown, ms: unknown, ...args: unknown[]) => start(run, ms, { args, repeats: false }),
    setInterval: (run: unknown, ms: unknown, ...args: unknown[]) => start(run, ms, { args, repeats: true }),
    clearTimeout: stop,
    clearInterval: stop,
    queueMicrotask: (run: () => unknown) => void Promise.resolve().then(run),
    structuredClone: (value: unknown) => JSON.parse(stringify(value)),
    URL: urlClass(host),
  });
  return (id) => {
    const timer = timers.get(id);
    if (timer?.every === undefined) timers.delete(id);
    else host.timer(id, timer.every);
    try {
      timer?.run();
    } catch (error) {
      print("error", [`in a timer: ${textOf(error)}`]);
    }
  };

  function shown(value: unknown): string {
    if (typeof value === "string") return value;
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    try {
      return (typeof value === "object" && value !== null ? stringify(value) : undefined) ?? String(value);
    } catch {
      return "[cannot be shown]";
    }
  }
}

/** Reads a URL; it cannot be changed. */
function urlClass(host: RealmHost): unknown {
  return class URL {
    readonly href: string = "";
    constructor(text: unknown, base?: unknown) {
      const parts = host.url(`${text}`, base === undefined ? "" : `${base}`);
      if (parts === "") throw new TypeError("Invalid URL");
      Object.assign(this, JSON.parse(parts));
    }
    toString(): string {
      return this.href;
    }
    static canParse(text: unknown, base?: unknown): boolean {
      return host.url(`${text}`, base === undefined ? "" : `${base}`) !== "";
    }
  };
}

/** The program that makes the realm's own `realm`. */
export function realmSource(): string {
  const parts = [guarded, loadModules, readPolicy, decisionText, textOf, installGlobals, urlClass, realm];
  return `"use strict";(() => {${parts.map(String).join("\n")}\nreturn ${realm.name};})()`;
}
