/** Checks the options of `createHooks` when it starts. Knows their names and shapes, not what they do. */
import { CountersignError } from "../core/errors";

const isText = (value: unknown): boolean => typeof value === "string";
const isTree = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function has(value: unknown, name: string): unknown {
  return isTree(value) ? (value as Record<string, unknown>)[name] : undefined;
}

interface Shape {
  readonly fits: (value: unknown) => boolean;
  /** What it must be, in words. */
  readonly is: string;
}

const TEXT: Shape = { fits: isText, is: "a text" };

const OPTIONS: Readonly<Record<string, Shape>> = {
  auditPath: TEXT,
  otlpEndpoint: TEXT,
  roots: {
    fits: (value) => Array.isArray(value) && value.every(isText),
    is: "a list of folders",
  },
  config: { fits: (value) => isText(value) || isTree(value), is: "the path of a file or a tree of keys" },
  env: { fits: isTree, is: "an object such as process.env" },
  policies: { fits: Array.isArray, is: "a list of policies, each made by defineToolPolicy" },
  profile: TEXT,
  sessionId: TEXT,
  ask: {
    fits: (value) => typeof has(value, "available") === "boolean" && typeof has(value, "ask") === "function",
    is: 'an object such as { available: true, ask: async (request, signal) => ({ kind: "allow", scope: "once" }) }',
  },
  log: {
    fits: (value) => ["info", "warn", "error"].every((name) => typeof has(value, name) === "function"),
    is: "an object with the functions info, warn and error",
  },
};

/** A misspelt `auditPath` would silently mean that nothing is recorded, a plain function as `ask` that nobody is asked. Throws a CountersignError `usage`. */
export function checkOptions(options: object): void {
  for (const [key, value] of Object.entries(options)) {
    const shape = Object.hasOwn(OPTIONS, key) ? OPTIONS[key] : undefined;
    if (shape === undefined)
      throw new CountersignError("usage", `createHooks has no option "${key}"`, {
        hint: `It has: ${Object.keys(OPTIONS).join(", ")}.`,
      });
    if (value !== undefined && !shape.fits(value))
      throw new CountersignError("usage", `createHooks: \`${key}\` must be ${shape.is}`, {
        hint: "Mend the option and start again.",
      });
  }
}
