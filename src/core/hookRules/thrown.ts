/** A tool's own exception: its text for the rules, and the same exception with another text. Knows nothing of rules. */
import { messageOf } from "../errors";

/** What a rule sees of something thrown. */
export const thrownText: (thrown: unknown) => string = messageOf;

/**
 * The same object with `text` as its message, in stack and causes too; a changed clone of the same class where the
 * object cannot be changed. What was thrown and is no error becomes the text itself, or an Error that carries it.
 */
export function rethrown(thrown: unknown, text: string): unknown {
  if (thrownText(thrown) === text) return thrown;
  if (typeof thrown === "string") return text;
  if (!(thrown instanceof Error)) return new Error(text);
  const change: Change = { from: thrown.message, to: text };
  return writable(thrown)
    ? rewriteInto(thrown, thrown, change)
    : rewriteInto(cloneOf(thrown), thrown, change);
}

interface Change {
  readonly from: string;
  readonly to: string;
}

function writable(error: Error): boolean {
  return (
    Object.isExtensible(error) &&
    ["message", "stack", "cause"].every((key) => {
      const own = Object.getOwnPropertyDescriptor(error, key);
      return own === undefined || own.configurable === true || own.writable === true;
    })
  );
}

function cloneOf(error: Error): Error {
  const clone: Error = Object.create(Object.getPrototypeOf(error));
  for (const key of Reflect.ownKeys(error)) {
    if (key === "message" || key === "stack" || key === "cause") continue;
    const own = Object.getOwnPropertyDescriptor(error, key);
    if (own !== undefined) Object.defineProperty(clone, key, { ...own, configurable: true });
  }
  return clone;
}

function rewriteInto(target: Error, original: Error, change: Change): Error {
  const { stack, cause } = original;
  const quoted = replacer(change);
  for (const key of Object.keys(target)) {
    const value: unknown = Reflect.get(target, key);
    if (typeof value === "string" && key !== "name" && key !== "code") set(target, key, quoted(value));
  }
  set(target, "message", change.to);
  if (typeof stack === "string") set(target, "stack", newStack(original, stack, change));
  // A cause tells the old text in other words as often as not: what cannot be known to be clean goes.
  if (Object.hasOwn(original, "cause") && cause !== undefined) set(target, "cause", change.to);
  return target;
}

function replacer({ from, to }: Change): (text: string) => string {
  return (text) => (from === "" ? text : text.split(from).join(to));
}

/** The head says the new text; of the rest only the frames stay. */
function newStack(error: Error, stack: string, { to }: Change): string {
  const frames = stack.split("\n").filter((line) => /^\s+at /u.test(line));
  return [`${error.name}: ${to}`, ...frames].join("\n");
}

function set(error: Error, key: string, value: unknown): void {
  const own = Object.getOwnPropertyDescriptor(error, key);
  Object.defineProperty(error, key, {
    value,
    writable: true,
    configurable: true,
    enumerable: own?.enumerable ?? false,
  });
}
