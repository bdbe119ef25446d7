/** A handler's answer, as it came from outside, read as a result; or every reason why it cannot be. Knows nothing of where it came from. */
import { isPlainObject } from "../call";
import type { Finding } from "../decision";
import type { Problem, Result } from "../errors";
import { nearest } from "../rules/suggest";
import { type HookResult, UNSET } from "./types";

export const allowResult: HookResult = {
  decision: "allow",
  reason: null,
  updated_input: UNSET,
  updated_result: UNSET,
  updated_error: UNSET,
  updated_request: UNSET,
  updated_response: UNSET,
  additional_context: null,
  findings: [],
};

const KEYS: readonly string[] = Object.keys(allowResult);
const DECISIONS: readonly unknown[] = ["allow", "deny", "rewrite"];

/** What people write for a key, in its plain spelling. */
const MEANT: Readonly<Record<string, string>> = {
  updatedargs: "updated_input",
  updatedarguments: "updated_input",
  args: "updated_input",
  input: "updated_input",
  toolinput: "updated_input",
  result: "updated_result",
  toolresult: "updated_result",
  updatedoutput: "updated_result",
  request: "updated_request",
  response: "updated_response",
  message: "reason",
  context: "additional_context",
  action: "decision",
  verdict: "decision",
};

type Say = (message: string, suggestion?: string) => void;

/**
 * An absent key leaves things as they are, null makes them null. Null or undefined as a whole is allow.
 * The problems' file is "answer"; a misspelt key is an error, since what was meant is lost.
 */
export function parseHookResult(answer: unknown): Result<HookResult> {
  if (answer === undefined || answer === null) return { ok: true, value: allowResult };
  const problems: Problem[] = [];
  const say: Say = (message, suggestion) => {
    const place = { file: "answer", line: 1, column: 1 };
    problems.push({
      code: "hook.bad_answer",
      ...place,
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  };
  if (!isPlainObject(answer)) {
    say(`the answer must be an object, not ${nameOf(answer)}`);
    return { ok: false, problems };
  }
  checkKeys(answer, say);
  const value = readResult(answer, say);
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

function checkKeys(answer: Readonly<Record<string, unknown>>, say: Say): void {
  for (const key of Object.keys(answer)) {
    if (KEYS.includes(key)) continue;
    const plain = key.toLowerCase().replace(/[_-]/gu, "");
    const near = Object.hasOwn(MEANT, plain) ? MEANT[plain] : nearest(key, KEYS);
    say(
      `the answer has an unknown key \`${key.slice(0, 60)}\``,
      near === undefined ? `known: ${KEYS.join(", ")}` : `did you mean \`${near}\`?`,
    );
  }
}

function readResult(answer: Readonly<Record<string, unknown>>, say: Say): HookResult {
  const of = (key: string): unknown => {
    const value = Object.hasOwn(answer, key) ? answer[key] : UNSET;
    return value === undefined ? UNSET : value;
  };
  const { decision = "allow", reason, additional_context, findings } = answer;
  if (!DECISIONS.includes(decision)) say(`decision must be allow, deny or rewrite, not ${nameOf(decision)}`);
  for (const key of ["updated_input", "updated_request", "updated_response"]) {
    const value = of(key);
    if (value !== UNSET && !isPlainObject(value)) say(`${key} must be an object, not ${nameOf(value)}`);
  }
  const error = of("updated_error");
  if (error !== UNSET && error !== null && typeof error !== "string") {
    say(`updated_error must be text or null, not ${nameOf(error)}`);
  }
  // Checked above, each in its place; with a problem nobody sees the value.
  return {
    decision: decision as HookResult["decision"],
    reason: readText("reason", reason, say),
    updated_input: of("updated_input") as HookResult["updated_input"],
    updated_result: of("updated_result"),
    updated_error: error as HookResult["updated_error"],
    updated_request: of("updated_request") as HookResult["updated_request"],
    updated_response: of("updated_response") as HookResult["updated_response"],
    additional_context: readText("additional_context", additional_context, say),
    findings: readFindings(findings, say),
  };
}

function readText(key: string, value: unknown, say: Say): string | null {
  if (value === undefined || value === null || typeof value === "string") return value ?? null;
  say(`${key} must be text or null, not ${nameOf(value)}`);
  return null;
}

const SEVERITIES: readonly unknown[] = ["info", "warning", "error"];

/** A plain text is a finding too; `by` is set by the engine, whatever the handler claims. */
function readFindings(value: unknown, say: Say): readonly Finding[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    say(`findings must be a list, not ${nameOf(value)}`);
    return [];
  }
  return value.flatMap((item: unknown, index): readonly Finding[] => {
    if (typeof item === "string") return [{ code: "finding", message: item, by: "" }];
    if (!isPlainObject(item)) {
      say(`findings[${index}] must be an object or text, not ${nameOf(item)}`);
      return [];
    }
    const { code = "finding", message = "", severity, details } = item;
    if (typeof code !== "string" || typeof message !== "string") {
      say(`findings[${index}]: code and message must be text`);
      return [];
    }
    if (severity !== undefined && !SEVERITIES.includes(severity)) {
      say(`findings[${index}]: severity must be info, warning or error`);
      return [];
    }
    if (details !== undefined && !isPlainObject(details)) {
      say(`findings[${index}]: details must be an object`);
      return [];
    }
    return [
      {
        code,
        message,
        by: "",
        ...(severity === undefined ? {} : { severity: severity as NonNullable<Finding["severity"]> }),
        ...(details === undefined ? {} : { details }),
      },
    ];
  });
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (isPlainObject(value)) return "an object";
  if (typeof value === "object") return "an object of another kind";
  return typeof value === "string"
    ? `the text ${JSON.stringify(value.slice(0, 60))}`
    : `a ${typeof value} (${String(value).slice(0, 60)})`;
}
