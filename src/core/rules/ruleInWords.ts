/** A rule as a person reads it: when it speaks, what it does, what happens when it cannot. Knows no dialog; is given the language. */

import type { Translate } from "../askText";
import type { HookEventName } from "../hookRules/types";
import { visibleText } from "../visible";
import type { HandlerConfig } from "./schemaHandlers";
import type { RuleConfig } from "./schemaHooks";

/** Lines of text. */
export function ruleInWords(event: HookEventName, rule: RuleConfig, t: Translate): readonly string[] {
  const filters = filtersOf(event, rule, t);
  const when = whenOf(event, t);
  const order = rule.before === true ? [t("It runs ahead of the rules without `before`.")] : [];
  return [
    filters.length === 0 ? t("{0}, every time:", when) : t("{0}, where {1}:", when, filters.join(t(" and "))),
    ...rule.handlers.flatMap((one, index) => [
      `${index + 1}. ${doing(event, one, t)}`,
      ...failing(event, one, t).map((line) => `   ${line}`),
    ]),
    ...(rule.handlers.length > 1 ? [t("The first denial ends it.")] : []),
    ...order,
  ].map(visibleText);
}

function whenOf(event: HookEventName, t: Translate): string {
  switch (event) {
    case "pre_tool_call":
      return t("Before a tool runs");
    case "post_tool_call":
      return t("After a tool ran, was denied or was held back");
    case "pre_request":
      return t("Before an HTTP request of a session");
    case "post_response":
      return t("After the response to an HTTP request of a session");
    case "run_end":
      return t("At the end of a run");
    default:
      return event satisfies never;
  }
}

function filtersOf(event: HookEventName, rule: RuleConfig, t: Translate): readonly string[] {
  const { matcher = "*", vendor = "*", arg } = rule;
  const open = (text: string) => text === "" || text === "*";
  const ofRequests = event === "pre_request" || event === "post_response";
  const name = ofRequests
    ? t("the path matches {0}", matcher)
    : t("the tool's whole name matches {0}", matcher);
  return [
    ...(open(matcher) ? [] : [name]),
    ...(open(vendor) ? [] : [t("the vendor's whole name matches {0}", vendor)]),
    ...argsOf(arg, t),
  ];
}

function argsOf(arg: RuleConfig["arg"], t: Translate): readonly string[] {
  if (arg === undefined) return [];
  if (typeof arg === "string") return [t("the argument {0} is there", arg)];
  return Object.entries(arg).map(([path, pattern]) =>
    t("the argument {0} holds a match of {1}", path, pattern),
  );
}

function doing(event: HookEventName, one: HandlerConfig, t: Translate): string {
  switch (one.type) {
    case "deny":
      return denying(event, one.reason, t);
    case "command":
      return typeof one.command === "string"
        ? t("Runs in a shell: {0}", one.command)
        : t("Runs without a shell: {0}", one.command.map((part) => JSON.stringify(part)).join(" "));
    case "http":
      return t("Posts the event to {0}", one.url);
    case "callable":
      return t("Calls {0} in a process of its own.", one.target);
    default:
      return one satisfies never;
  }
}

function denying(event: HookEventName, reason: string | undefined, t: Translate): string {
  if (event === "run_end")
    return reason === undefined
      ? t("Does not accept what the agent handed in.")
      : t("Does not accept what the agent handed in: “{0}”", reason);
  if (event === "post_tool_call")
    return reason === undefined
      ? t("Withholds the result, where the agent's program allows that.")
      : t("Withholds the result, where the agent's program allows that: “{0}”", reason);
  return reason === undefined ? t("Denies the call.") : t("Denies the call: “{0}”", reason);
}

function failing(event: HookEventName, one: HandlerConfig, t: Translate): readonly string[] {
  if (one.type === "deny") return [];
  if (one.async === true) return [t("Nobody waits for it: it cannot deny or change the call.")];
  const seconds = String(one.timeout ?? 30);
  switch (one.on_error ?? (event === "pre_tool_call" ? "ask" : "record")) {
    case "record":
      return [
        t(
          "Where it fails or takes more than {0} s, that is recorded and the call goes on (it fails open).",
          seconds,
        ),
      ];
    case "ask":
      return [t("Where it fails or takes more than {0} s, a person is asked.", seconds)];
    case "deny":
      return [t("Where it fails or takes more than {0} s, the call is denied.", seconds)];
    default:
      return [t("Where it fails or takes more than {0} s, the call ends with an error.", seconds)];
  }
}
