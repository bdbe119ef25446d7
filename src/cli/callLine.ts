/** One call as `judge` and `explain` take it: JSON checked, made into a ToolCall. Knows nothing of what is said of it. */
import * as z from "zod";
import { canonicalName, needsArguments } from "../agents/toolFacts";
import type { ToolCall } from "../core/call";
import { nearest } from "../core/rules/suggest";

const world = z.strictObject({
  os: z.enum(["linux", "darwin", "win32"]),
  home: z.string().min(1).optional(),
  roots: z.array(z.string()).optional(),
  links: z.record(z.string(), z.union([z.string(), z.null()])).optional(),
});

const line = z.strictObject({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  tool: z.string().min(1),
  args: z.record(z.string(), z.unknown()).optional(),
  agent: z.string().min(1).optional(),
  vendor: z.string().min(1).optional(),
  cwd: z.string().min(1).optional(),
  dialect: z.string().optional(),
  shell: z.enum(["bash", "sh", "zsh", "pwsh", "powershell", "cmd"]).optional(),
  world: world.optional(),
});

export type CallLine = z.infer<typeof line>;
export type World = z.infer<typeof world>;

export function readCallLine(text: string): { ok: true; value: CallLine } | { ok: false; error: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { ok: false, error: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const checked = line.safeParse(parsed);
  if (checked.success) {
    const { tool, args } = checked.data;
    if (args === undefined && needsArguments(tool))
      return { ok: false, error: `args is missing: ${tool} does nothing without; write "args":{…}` };
    return { ok: true, value: args === undefined ? checked.data : { ...checked.data, args: argsOf(parsed) } };
  }
  const [issue] = checked.error.issues;
  return { ok: false, error: issue === undefined ? "this is no call" : plainWords(issue, parsed) };
}

/** The arguments as they were sent: the schema's copy lacks a key named `__proto__`, and guards shall see it. */
function argsOf(parsed: unknown): Record<string, unknown> {
  return (parsed as { args: Record<string, unknown> }).args;
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
  null: "null",
};

function plainWords(issue: z.core.$ZodIssue, given: unknown): string {
  const name = issue.path.join(".");
  if (issue.code === "unrecognized_keys") return unknownKey(issue.keys[0] ?? "", name);
  const value = issue.path.reduce<unknown>((inside, key) => Object(inside)[key], given);
  if (name === "") return `a call must be an object, not ${kindOf(value)}`;
  if (value === undefined) return `${name} is missing`;
  switch (issue.code) {
    case "invalid_type":
      return `${name} must be ${KINDS[issue.expected] ?? issue.expected}, not ${kindOf(value)}`;
    case "invalid_union": {
      const kinds = issue.errors.flat().flatMap((e) => (e.code === "invalid_type" ? [e.expected] : []));
      return `${name} must be ${kinds.map((kind) => KINDS[kind] ?? kind).join(" or ")}, not ${kindOf(value)}`;
    }
    case "too_small":
      return `${name} must not be empty`;
    case "invalid_value": {
      const not = typeof value === "string" ? `"${value.slice(0, 60)}"` : kindOf(value);
      return `${name} must be one of ${issue.values.join(", ")}, not ${not}`;
    }
    default:
      return `${name} is wrong: ${issue.message}`;
  }
}

const KNOWN = { "": Object.keys(line.shape), world: Object.keys(world.shape) };
const IN_ARGS = /^(?:arguments?|input|tool_?input|params|parameters|payload)$/iu;
const IN_TOOL = /^(?:name|tool_?name|function)$/iu;

/** What is left out of a call would be left out of its verdict. */
function unknownKey(key: string, inside: string): string {
  const known = inside === "world" ? KNOWN.world : KNOWN[""];
  const other = IN_ARGS.test(key) ? "args" : IN_TOOL.test(key) ? "tool" : undefined;
  const meant = (inside === "" ? other : undefined) ?? nearest(key, known);
  const hint = meant === undefined ? `; known: ${known.join(", ")}` : `, did you mean ${meant}?`;
  return `${inside === "" ? "a call" : inside} has no key "${key.slice(0, 60)}"${hint}`;
}

function kindOf(value: unknown): string {
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return KINDS[kind] ?? kind;
}

export function callOf(given: CallLine, run: { index: number; cwd: string }): ToolCall {
  const callId = `judge_${run.index}`;
  return {
    callId,
    runId: "judge",
    sessionId: "judge",
    agent: given.agent ?? "cli",
    ...(given.vendor === undefined ? {} : { vendor: given.vendor }),
    toolName: given.tool,
    canonicalName: canonicalName(given.tool),
    input: given.args ?? {},
    cwd: given.cwd ?? given.world?.roots?.[0] ?? run.cwd,
    profile: "default",
    traceId: callId,
    extra: {
      ...(given.shell === undefined ? {} : { shell: given.shell }),
      ...(given.dialect === undefined ? {} : { dialect: given.dialect }),
      ...(given.world === undefined ? {} : { world: given.world }),
    },
  };
}
