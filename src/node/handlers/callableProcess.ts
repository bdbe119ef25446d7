/**
 * The process that runs one callable: it is given the modules as text, loads them, and answers events until it is ended.
 * It reads no file. Fd 3 brings lines of JSON, fd 4 takes them. Knows nothing of rules.
 */
import { createRequire } from "node:module";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { compileFunction } from "node:vm";
import { isBuiltinAllowed, isRelative, ONLY_THESE, OURS } from "./allowedModules";
import type { CallableStart, ServantReply, ServantRequest } from "./servantMessages";
import { watchProcess } from "./watchProcess";

const MAX_ANSWER = 1_048_576;

type Exports = Record<string, unknown>;
interface Loaded {
  exports: unknown;
}

const builtin = createRequire(typeof __filename === "string" ? __filename : import.meta.url);

function loaderOf(start: CallableStart): (path: string) => unknown {
  const known = new Map(start.modules.map((module) => [module.path, module]));
  const loaded = new Map<string, Loaded>();
  const load = (path: string): unknown => {
    const before = loaded.get(path);
    if (before !== undefined) return before.exports;
    const module = known.get(path);
    if (module === undefined) throw new Error(`${path} is not among the files that were read`);
    const own: Loaded = { exports: {} };
    loaded.set(path, own);
    const require = (specifier: string): unknown => {
      const local = Object.hasOwn(module.imports, specifier) ? module.imports[specifier] : undefined;
      return local === undefined ? outside(specifier, module.name) : load(local);
    };
    const names = ["exports", "require", "module", "__filename", "__dirname"];
    const run = compileFunction(module.code, names, { filename: module.path });
    run.call(own.exports, own.exports, require, own, module.path, module.path.replace(/[\\/][^\\/]*$/, ""));
    return own.exports;
  };
  return load;
}

function outside(specifier: string, importer: string): unknown {
  if (isBuiltinAllowed(specifier)) return builtin(specifier);
  // The mark for "leave it as it is" is all that a handler needs of us at run time.
  if (specifier === OURS) return { UNSET: Symbol.for("countersign.unset") };
  const why = isRelative(specifier) ? "which is not there" : ONLY_THESE;
  throw new Error(`${importer} imports ${JSON.stringify(specifier)}, ${why}`);
}

/** A thrown value in words, whatever it is. */
function textOf(error: unknown): string {
  try {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : `it threw ${String(error)}`;
    return text.slice(0, 2000);
  } catch {
    return "it threw something that cannot be shown";
  }
}

/** What JSON would leave out without a word may have been the decision. Symbols say "leave it as it is". */
function noFunction(key: string, value: unknown): unknown {
  if (typeof value === "function") throw new Error(`the answer's ${key || "value"} is a function`);
  return value;
}

function answerText(value: unknown): string {
  // A promise was awaited before; a function or symbol is no answer.
  if (value === undefined) return "null";
  const text = JSON.stringify(value, noFunction);
  if (text === undefined) throw new Error(`the answer is a ${typeof value}`);
  if (typeof value === "object" && value !== null && "decision" in value && !text.includes('"decision"'))
    throw new Error("the answer's decision is no property of its own");
  if (text === "{}" && (value instanceof Map || value instanceof Set || value instanceof Error))
    throw new Error("the answer is no plain object");
  if (text.length > MAX_ANSWER) throw new Error("the answer is larger than 1 MiB");
  return text;
}

function functionOf(
  exports: Exports,
  { fn, name }: { readonly fn: string; readonly name: string },
): (event: unknown) => unknown {
  const byDefault: unknown = exports.default;
  const inner = typeof byDefault === "object" && byDefault !== null ? Reflect.get(byDefault, fn) : undefined;
  const found = fn === "default" ? byDefault : Object.hasOwn(exports, fn) ? exports[fn] : inner;
  if (typeof found === "function") return (event) => found(event);
  const names = Object.keys(exports).filter((key) => typeof exports[key] === "function");
  const hint = names.length === 0 ? "it exports no function" : `it exports ${names.join(", ")}`;
  throw new Error(`there is no function ${fn} in ${name}: ${hint}`);
}

function main(): void {
  const input = new Socket({ fd: 3, readable: true, writable: false });
  const output = new Socket({ fd: 4, readable: false, writable: true });
  const send = (reply: ServantReply, value?: string) => {
    const head = JSON.stringify(reply);
    output.write(value === undefined ? `${head}\n` : `${head.slice(0, -1)},"value":${value}}\n`);
  };
  let exports: Exports = {};
  let name = "";
  const begin = (start: CallableStart) => {
    watchProcess(start.maxBytes);
    name = start.name;
    exports = loaderOf(start)(start.entry) as Exports;
  };
  const answer = async (request: ServantRequest) => {
    const { id, fn } = request;
    try {
      const call = functionOf(exports, { fn, name });
      const text = "event" in request ? answerText(await call(request.event)) : undefined;
      send({ id, ok: true }, text);
    } catch (error) {
      send({ id, ok: false, error: textOf(error) });
    }
  };
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
    const message = JSON.parse(line) as CallableStart | ServantRequest;
    if (!("modules" in message)) return void answer(message);
    try {
      begin(message);
      send({ id: 0, ok: true });
    } catch (error) {
      send({ id: 0, ok: false, error: textOf(error) });
    }
  });
  input.on("close", () => process.exit(0));
}

main();
