/** The border to hooks that others write: what counts as a hook, and what counts as its answer. Knows nothing of the chain. */
import { isPlainObject } from "./call";
import type { Decision } from "./decision";
import type { Hook } from "./hook";

/** `snake_case` hooks, as Python programs write them, are taken too. */
export interface SnakeHook {
  readonly name: string;
  readonly guard?: boolean;
  readonly deadlineMs?: number;
  pre_tool_use?: Hook["preToolUse"];
  post_tool_use?: Hook["postToolUse"];
}

const KINDS: ReadonlySet<string> = new Set(["allow", "deny", "ask", "rewrite", "log-only"]);

/** Throws a TypeError for everything that is not wholly a decision. */
export function readAnswer(answer: unknown): Decision {
  if (answer === undefined || answer === null) return { kind: "allow" };
  if (!isPlainObject(answer) || typeof answer.kind !== "string" || !KINDS.has(answer.kind)) {
    throw new TypeError("the answer is none of Allow, Deny, AskUser, Rewrite");
  }
  if (answer.kind === "deny") need(typeof answer.reason === "string", "a Deny must carry its reason as text");
  if (answer.kind === "rewrite") {
    const fits = isPlainObject(answer.patch) && isPlainObject(answer.patch.input);
    need(fits, "a Rewrite must carry the new arguments as a plain object");
  }
  if (answer.kind === "ask") {
    const fits = isPlainObject(answer.confirmArgs) && isPlainObject(answer.details);
    need(fits, "an AskUser must carry details and confirm_args as plain objects");
    need(typeof answer.prompt === "string", "an AskUser must carry its prompt as text");
    need(isScope(answer.sessionScope), "an AskUser's sessionScope needs a key and a label");
  }
  const { additionalContext, findings, binding } = answer;
  need(isTextOrAbsent(additionalContext), "additionalContext must be text");
  need(
    findings === undefined || (Array.isArray(findings) && findings.every(isPlainObject)),
    "findings must be a list",
  );
  need(binding === undefined || isTexts(binding), "a binding must hold texts");
  // Checked above: the shape is one of Decision's.
  return answer as unknown as Decision;
}

function need(fits: boolean, otherwise: string): void {
  if (!fits) throw new TypeError(otherwise);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return isPlainObject(value) && Object.values(value).every((text) => typeof text === "string");
}

function isScope(value: unknown): boolean {
  return value === undefined || (isPlainObject(value) && isTexts({ key: value.key, label: value.label }));
}

/** Throws a TypeError for something that could never judge or observe a call: a misspelt hook must not look like a guard. */
export function adapt(hook: Hook | SnakeHook): Hook {
  const given: Hook & SnakeHook = hook;
  if (typeof given?.name !== "string" || given.name === "") throw new TypeError("a hook needs a name");
  const pre = given.preToolUse ?? given.pre_tool_use;
  const post = given.postToolUse ?? given.post_tool_use;
  for (const method of [pre, post]) {
    if (method !== undefined && typeof method !== "function") {
      throw new TypeError(`the hook "${given.name}" has a preToolUse or postToolUse that is no function`);
    }
  }
  if (pre === undefined && post === undefined) {
    throw new TypeError(`the hook "${given.name}" has neither preToolUse nor postToolUse`);
  }
  if (given.pre_tool_use === undefined && given.post_tool_use === undefined) return hook;
  return {
    name: given.name,
    ...(given.guard === undefined ? {} : { guard: given.guard }),
    ...(given.deadlineMs === undefined ? {} : { deadlineMs: given.deadlineMs }),
    ...(pre === undefined ? {} : { preToolUse: pre.bind(hook) }),
    ...(post === undefined ? {} : { postToolUse: post.bind(hook) }),
  };
}
