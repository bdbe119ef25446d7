/** The grammar of rules: `[[hooks.<event>]]`. Knows nothing of how handlers run. */
import * as z from "zod";
import { type HookEventName, hookEventNames } from "../hookRules/types";
import { rightArgPath } from "./argPath";
import { type HandlerConfig, handlerSchema } from "./schemaHandlers";
import { namePattern, type PatternIssue, pattern } from "./schemaPattern";
import { printable } from "./schemaValues";

/** Names that verdicts and records use for other things than rules. */
const takenNames: readonly string[] = [
  "path_allowlist",
  "read_only",
  "destructive_sql",
  "self_protection",
  "quota",
  "row_limit",
  "shell",
  "egress",
  "written_files",
  "changed_hooks",
  "ran_other_arguments",
  "audit_log",
  "unaccepted_config",
  "audit_health",
  "engine_refusal",
  "rules",
  "security",
  "consent",
  "person",
];

const ruleName = () =>
  printable(128).refine(
    (name) => !takenNames.includes(name),
    "is the name of a built-in hook: choose another",
  );

const argFilter = z
  .union([
    printable(256).superRefine((path, ctx) => checkPath(path, { path: [], ctx })),
    z
      .record(printable(256), pattern())
      .refine((table) => Object.keys(table).length > 0, "must name an argument")
      .superRefine((table, ctx) => {
        for (const path of Object.keys(table)) checkPath(path, { path: [path], ctx });
      }),
  ])
  .describe(
    'Only calls with this argument: `"sql"` when it is there, `{ sql = "(?i)drop" }` when its text holds a match. A dotted path reaches into tables and lists: `items.name` into each, `items.0.name` into the first. `file_path` finds `filePath` too. Values that a program gives a tool in a row have no names: each counts as the argument, and `_args.0` is the first.',
  );

/** A path that could never be there would keep its rule silent. */
function checkPath(path: string, given: { path: string[]; ctx: z.core.$RefinementCtx }): void {
  const right = rightArgPath(path);
  if (right === undefined) return;
  const message = `\`${path}\` is no path of an argument`;
  const suggestion = right === "" ? "write `name` or `list.0.name`" : `write \`${right}\``;
  const params: PatternIssue = { mistake: { message, suggestion } };
  given.ctx.issues.push({ ...customIssue(given.path, path, message), params: { ...params } });
}

const rulePlain = (event: HookEventName) => ({
  name: ruleName()
    .exactOptional()
    .describe("How verdicts and the audit log call this rule. Default: the event and the rule's place."),
  before: z.boolean().exactOptional().describe("Runs ahead of the rules without it. Default: false."),
  handlers: z
    .array(handlerSchema)
    .min(1)
    .max(50)
    .superRefine((handlers, ctx) => {
      handlers.forEach((one, index) => {
        checkHandler(event, { one, index, ctx });
      });
    })
    .describe("What happens, in this order; the first denial ends it."),
});

type CallEvent = Exclude<HookEventName, "run_end">;

const callRule = (event: CallEvent) => {
  const { name, ...rest } = rulePlain(event);
  return z
    .strictObject({
      name,
      matcher: namePattern()
        .exactOptional()
        .describe(
          "Pattern (RE2) on the whole name of the tool: `db_.*`, `Bash|Write`; in `pre_request` and `post_response` on the request's whole path: `/orders/.*`. Default: all.",
        ),
      vendor: namePattern()
        .exactOptional()
        .describe(
          "Pattern (RE2) on the whole name of the vendor that a program gives its tools and sessions (`run.wrap(tools, { vendor })`); calls of an editor have none, so that such a rule never speaks there. Default: all.",
        ),
      arg: argFilter.exactOptional(),
      ...rest,
    })
    .describe("One rule.");
};

const endRule = () => z.strictObject(rulePlain("run_end")).describe("One rule.");

/** What a handler may not say where it stands, although each key is right by itself. */
function checkHandler(
  event: HookEventName,
  given: { one: HandlerConfig; index: number; ctx: z.core.$RefinementCtx },
): void {
  const { one, index, ctx } = given;
  if (one.type === "deny") return;
  const say = (key: string, message: string) => ctx.issues.push(customIssue([index, key], one, message));
  if (one.async === true && one.on_error !== undefined && one.on_error !== "record") {
    say("on_error", "must be record: the call does not wait for an async handler");
  } else if (one.on_error === "ask" && event !== "pre_tool_call") {
    say("on_error", "must be record, deny or raise: a person is asked only before a tool call");
  }
}

function customIssue(path: (string | number)[], input: unknown, message: string): z.core.$ZodRawIssue {
  return { code: "custom", path, input, message };
}

/** Rules of one event are told apart by their names. */
function uniqueNames(
  event: HookEventName,
  rules: readonly { readonly name?: string }[],
  ctx: { readonly issues: z.core.$ZodRawIssue[] },
): void {
  // One without a name is called by its place.
  const unnamed = rules.flatMap((rule, index) =>
    rule.name === undefined ? [nameOfRule(event, index, rule)] : [],
  );
  const seen = new Set<string>(unnamed);
  rules.forEach(({ name }, index) => {
    if (name === undefined) return;
    if (seen.has(name))
      ctx.issues.push(customIssue([index, "name"], rules, "is the name of another rule: choose another"));
    seen.add(name);
  });
}

const MAX_RULES = 500;

const callRules = (event: CallEvent) =>
  z
    .array(callRule(event))
    .max(MAX_RULES)
    .superRefine((rules, ctx) => uniqueNames(event, rules, ctx))
    .default([])
    .describe(eventTexts[event]);

const eventTexts: Readonly<Record<HookEventName, string>> = {
  pre_tool_call: "Rules before a tool runs.",
  post_tool_call: "Rules after a tool ran, was denied or was held back.",
  pre_request: "Rules before an HTTP request of a session.",
  post_response: "Rules after the response to an HTTP request of a session.",
  run_end:
    "Rules at the end of a run, on what the agent handed in: in the library at `end`, in an editor each time the agent has given its answer.",
};

export const hooksSchema = z
  .strictObject({
    pre_tool_call: callRules("pre_tool_call"),
    post_tool_call: callRules("post_tool_call"),
    pre_request: callRules("pre_request"),
    post_response: callRules("post_response"),
    run_end: z
      .array(endRule())
      .max(MAX_RULES)
      .superRefine((rules, ctx) => uniqueNames("run_end", rules, ctx))
      .default([])
      .describe(eventTexts.run_end),
  })
  .prefault({})
  .describe("Rules around calls: `[[hooks.pre_tool_call]]` and so on.");

/** One rule as the file writes it; those of `run_end` have no filters. */
export type RuleConfig = z.output<ReturnType<typeof callRule>>;
export type HooksConfig = { readonly [E in HookEventName]: readonly RuleConfig[] };

/** How a rule without a name is called: by its event and its place in the list. */
export const nameOfRule = (event: HookEventName, index: number, rule: { readonly name?: string }): string =>
  rule.name ?? `${event}[${index}]`;

/** Every rule of a configuration with its event and its name, in the order of the file. */
export function rulesIn(hooks: HooksConfig): readonly {
  readonly event: HookEventName;
  readonly index: number;
  readonly name: string;
  readonly rule: RuleConfig;
}[] {
  return hookEventNames.flatMap((event) =>
    hooks[event].map((rule, index) => ({ event, index, name: nameOfRule(event, index, rule), rule })),
  );
}
