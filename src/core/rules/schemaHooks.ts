/** The grammar of rules: `[[hooks.<event>]]` and their handlers. Knows nothing of how handlers run. */
import * as z from "zod";
import { compilePattern, type PatternMistake } from "../hookRules/pattern";
import { type HookEventName, hookEventNames } from "../hookRules/types";
import { printable } from "./schemaValues";

/** What an issue says of the part of a pattern that is wrong. */
export interface PatternIssue {
  readonly mistake: PatternMistake;
}

/** `*` is no pattern, and everywhere taken for "all". */
const namePattern = () =>
  z.string().superRefine((text, ctx) => (text === "*" ? undefined : checkPattern(text, ctx)));

const pattern = () => z.string().superRefine(checkPattern);

function checkPattern(text: string, ctx: z.core.$RefinementCtx<string>): void {
  const compiled = compilePattern(text);
  if (!compiled.ok) {
    const params: PatternIssue = { mistake: compiled.mistake };
    ctx.addIssue({ code: "custom", message: compiled.mistake.message, params: { ...params } });
  }
}

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
  "security",
  "consent",
  "person",
];

const ruleName = () =>
  printable(128).refine((name) => !takenNames.includes(name), "is the name of a built-in hook");

const seconds = () => z.number().min(0.001).max(600);

const common = {
  name: printable(128)
    .exactOptional()
    .describe(
      "Named in findings and in `[hook <name>]` before what it tells the agent. Default: the rule's name.",
    ),
};

const running = {
  ...common,
  timeout: seconds()
    .exactOptional()
    .describe("Seconds that the handler may take, default 30; then it is ended and has failed."),
  async: z
    .boolean()
    .exactOptional()
    .describe("The call does not wait for this handler, which cannot influence it then. Default: false."),
  on_error: z
    .enum(["record", "ask", "deny", "raise"])
    .exactOptional()
    .describe(
      "What happens when the handler fails: it is recorded and the call goes on (`record`: fails open), a person is asked (`ask`), the call is denied (`deny`), or it ends with an error (`raise`). Default in an editor, a hook or an MCP server: `ask` before a tool call, `record` otherwise; in the library: `record`.",
    ),
};

const names = /^[A-Za-z_][A-Za-z0-9_]*$/u;

const environment = () =>
  z.record(z.string().regex(names, "must be the name of a variable"), z.string().max(4096)).describe(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own notation.
    'Variables for the command beside the everyday ones (PATH, HOME, …): `{ MODE = "strict", TOKEN = "${TOKEN}" }`, where `${TOKEN}` is taken from the environment.',
  );

const commandHandler = z
  .strictObject({
    type: z.literal("command").describe("A program that is given the event as JSON on its standard input."),
    command: z
      .union([printable(8192), z.array(printable(8192)).min(1).max(200)])
      .describe(
        "A text runs in a shell, a list runs without one. Exit 0: go on, standard output is a result in JSON or text for the agent; exit 2: deny, standard error is the reason; any other exit: failed.",
      ),
    cwd: printable(4096).exactOptional().describe("Where it runs. Default: the folder of this file."),
    env: environment().exactOptional(),
    ...running,
  })
  .describe("Runs a program.");

/** https, or the machine itself. */
const handlerUrl = printable(2048).refine((url) => {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  const loopback =
    hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
  const open = username === "" && password === "";
  return open && (protocol === "https:" || (protocol === "http:" && loopback));
}, "must begin with https://, or with http:// and a loopback address, and hold no password");

const httpHandler = z
  .strictObject({
    type: z.literal("http").describe("An HTTP endpoint that the event is posted to as JSON."),
    url: handlerUrl.describe("`https://…`, or `http://` on this machine. Redirects are not followed."),
    headers: z
      .record(
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/u, "must be the name of a header"),
        printable(8192),
      )
      .exactOptional()
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own notation.
      .describe("Headers to send. Write secrets as `${ENV}`."),
    ...running,
  })
  .describe(
    "Asks an HTTP endpoint: 2xx with JSON is a result, 2xx with text is for the agent, 204 goes on; all else has failed.",
  );

const TARGET = /^(?:\.{1,2}\/[^:]+\.[cm]?[jt]s|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):[A-Za-z_$][\w$]*$/u;

const callableHandler = z
  .strictObject({
    type: z.literal("callable").describe("A function of a file beside this one."),
    target: printable(4096)
      .regex(TARGET, "must be like ./guards.ts:check or my_agent.guards:check")
      .describe("`./guards.ts:check` for TypeScript or JavaScript, `my_agent.guards:check` for Python."),
    ...running,
  })
  .describe("Calls a function in a process of its own.");

const denyHandler = z
  .strictObject({
    type: z.literal("deny").describe("Refuses whatever the rule matches."),
    reason: printable(2000).exactOptional().describe("What the agent is told."),
    ...common,
  })
  .describe("Denies.");

export const handlerSchema = z.discriminatedUnion("type", [
  commandHandler,
  httpHandler,
  callableHandler,
  denyHandler,
]);

const argFilter = z
  .union([
    printable(256),
    z
      .record(printable(256), pattern())
      .refine((table) => Object.keys(table).length > 0, "must name an argument"),
  ])
  .describe(
    'Only calls with this argument: `"sql"` when it is there, `{ sql = "(?i)drop" }` when its text holds a match. A dotted path reaches into tables and lists.',
  );

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
  const what = event === "pre_tool_call" || event === "post_tool_call" ? "tool's name" : "request's path";
  const { name, ...rest } = rulePlain(event);
  return z
    .strictObject({
      name,
      matcher: namePattern()
        .exactOptional()
        .describe(`Pattern (RE2) on the whole ${what}: \`db_.*\`, \`Bash|Write\`. Default: all.`),
      vendor: namePattern()
        .exactOptional()
        .describe("Pattern (RE2) on the whole name of the vendor. Default: all."),
      arg: argFilter.exactOptional(),
      ...rest,
    })
    .describe("One rule.");
};

const endRule = () => z.strictObject(rulePlain("run_end")).describe("One rule.");

type HandlerInput = z.output<typeof handlerSchema>;

/** What a handler may not say where it stands, although each key is right by itself. */
function checkHandler(
  event: HookEventName,
  given: { one: HandlerInput; index: number; ctx: z.core.$RefinementCtx },
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
  rules: readonly { readonly name?: string }[],
  ctx: { readonly issues: z.core.$ZodRawIssue[] },
): void {
  const seen = new Set<string>();
  rules.forEach(({ name }, index) => {
    if (name === undefined) return;
    if (seen.has(name)) ctx.issues.push(customIssue([index, "name"], rules, "is the name of another rule"));
    seen.add(name);
  });
}

const MAX_RULES = 500;

const callRules = (event: CallEvent) =>
  z.array(callRule(event)).max(MAX_RULES).superRefine(uniqueNames).default([]).describe(eventTexts[event]);

const eventTexts: Readonly<Record<HookEventName, string>> = {
  pre_tool_call: "Rules before a tool runs.",
  post_tool_call: "Rules after a tool ran, was denied or was held back.",
  pre_request: "Rules before an HTTP request of a session.",
  post_response: "Rules after the response to an HTTP request of a session.",
  run_end: "Rules at the end of a run.",
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
      .superRefine(uniqueNames)
      .default([])
      .describe(eventTexts.run_end),
  })
  .prefault({})
  .describe("Rules around calls: `[[hooks.pre_tool_call]]` and so on.");

/** One rule as the file writes it; those of `run_end` have no filters. */
export type RuleConfig = z.output<ReturnType<typeof callRule>>;
export type HandlerConfig = z.output<typeof handlerSchema>;
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
