/** A rule as a person reads it: when it speaks, what it does, what happens when it cannot. Knows no dialog and no language but English. */
import type { HookEventName } from "../hookRules/types";
import { visibleText } from "../visible";
import type { HandlerConfig, RuleConfig } from "./schemaHooks";

const when: Readonly<Record<HookEventName, string>> = {
  pre_tool_call: "Before a tool runs",
  post_tool_call: "After a tool ran, was denied or was held back",
  pre_request: "Before an HTTP request of a session",
  post_response: "After the response to an HTTP request of a session",
  run_end: "At the end of a run",
};

/** Lines of text. */
export function ruleInWords(event: HookEventName, rule: RuleConfig): readonly string[] {
  const filters = filtersOf(event, rule);
  const order = rule.before === true ? ["It runs ahead of the rules without `before`."] : [];
  return [
    `${when[event]}${filters.length === 0 ? ", every time:" : `, where ${filters.join(" and ")}:`}`,
    ...rule.handlers.flatMap((one, index) => [
      `${index + 1}. ${doing(one)}`,
      ...failing(event, one).map((l) => `   ${l}`),
    ]),
    ...(rule.handlers.length > 1 ? ["The first denial ends it."] : []),
    ...order,
  ].map(visibleText);
}

function filtersOf(event: HookEventName, { matcher, vendor, arg }: RuleConfig): readonly string[] {
  const what = event === "pre_request" || event === "post_response" ? "the path" : "the tool's whole name";
  const open = (text: string | undefined) => text === undefined || text === "" || text === "*";
  const args =
    arg === undefined
      ? []
      : typeof arg === "string"
        ? [`the argument ${arg} is there`]
        : Object.entries(arg).map(([path, pattern]) => `the argument ${path} holds a match of ${pattern}`);
  return [
    ...(open(matcher) ? [] : [`${what} matches ${matcher}`]),
    ...(open(vendor) ? [] : [`the vendor's whole name matches ${vendor}`]),
    ...args,
  ];
}

function doing(one: HandlerConfig): string {
  switch (one.type) {
    case "deny":
      return one.reason === undefined ? "Denies the call." : `Denies the call: “${one.reason}”`;
    case "command":
      return typeof one.command === "string"
        ? `Runs in a shell: ${one.command}`
        : `Runs without a shell: ${one.command.map((part) => JSON.stringify(part)).join(" ")}`;
    case "http":
      return `Posts the event to ${one.url}`;
    case "callable":
      return `Calls ${one.target} in a process of its own.`;
    default:
      return one satisfies never;
  }
}

function failing(event: HookEventName, one: HandlerConfig): readonly string[] {
  if (one.type === "deny") return [];
  if (one.async === true) return ["Nobody waits for it: it cannot deny or change the call."];
  const usual = event === "pre_tool_call" ? "ask" : "record";
  const then = {
    record: "that is recorded and the call goes on (it fails open)",
    ask: "a person is asked",
    deny: "the call is denied",
    raise: "the call ends with an error",
  }[one.on_error ?? usual];
  return [`Where it fails or takes more than ${one.timeout ?? 30} s, ${then}.`];
}
