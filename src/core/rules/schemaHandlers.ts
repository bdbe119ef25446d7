/** The grammar of handlers: what a rule does with an event that it matches. Knows nothing of how they run. */
import * as z from "zod";
import { printable } from "./schemaValues";

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

const reaches = () =>
  z
    .array(printable(4096))
    .max(200)
    .exactOptional()
    .describe(
      'Files and folders that the handler runs beside those that are found by reading it, from this file\'s folder: `["scripts", "package.json"]`. They are part of what a person trusts. Needed where a handler runs what no reader can list; `[]` says that there are none.',
    );

const names = /^[A-Za-z_][A-Za-z0-9_]*$/u;

const environment = () =>
  z.record(z.string().regex(names, "must be the name of a variable"), z.string().max(4096)).describe(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own notation.
    'Variables for the command beside the everyday ones (PATH, HOME, …): `{ MODE = "strict", TOKEN = "${TOKEN}" }`, where `${TOKEN}` is taken from the environment.',
  );

/** What looks like a place to be filled in, and is none, would be handed on as it is. */
const filled = (max: number) =>
  printable(max).refine(
    (text) => unknownPlace(text) === undefined,
    "holds a place in braces that nothing fills: there are {run_id} and {run_dir}, and the event itself comes on standard input",
  );

const PLACES =
  /(?<!\$)\{(run_?[a-z_]*|session_?id|call_?id|tool_?(?:name|input|result)|event|cwd|report|agent)\}/giu;

function unknownPlace(text: string): string | undefined {
  for (const [place] of text.matchAll(PLACES))
    if (place !== "{run_id}" && place !== "{run_dir}") return place;
  return undefined;
}

const commandHandler = z
  .strictObject({
    type: z.literal("command").describe("A program that is given the event as JSON on its standard input."),
    command: z
      .union([filled(8192), z.array(filled(8192)).min(1).max(200)])
      .describe(
        "A text runs in a shell, a list runs without one. Exit 0: go on, standard output is a result in JSON or text for the agent; exit 2: deny, standard error is the reason; any other exit: failed.",
      ),
    cwd: filled(4096).exactOptional().describe("Where it runs. Default: the folder of this file."),
    env: environment().exactOptional(),
    reaches: reaches(),
    ...running,
  })
  .describe("Runs a program.");

/** https, or the machine itself. */
const PORT =
  /^https?:\/\/[^/?#]*:(\d{6,}|6553[6-9]|655[4-9]\d|65[6-9]\d\d|6[6-9]\d{3}|[7-9]\d{4})(?:[/?#]|$)/iu;
const handlerUrl = printable(2048)
  .refine((url) => !PORT.test(url), "names a port above 65535")
  .refine((url) => {
    if (PORT.test(url)) return true;
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

/** A file's name where Python's modules are named: it would be looked for as a module `ts` of a package. */
const isFileName = (target: string): boolean =>
  /\.(?:[cm]?[jt]sx?|py):/u.test(target) && !/^\.{1,2}\//u.test(target);

const TARGET = /^(?:\.{1,2}\/[^:]+\.[cm]?[jt]s|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):[A-Za-z_$][\w$]*$/u;

const callableHandler = z
  .strictObject({
    type: z.literal("callable").describe("A function of a file beside this one."),
    target: printable(4096)
      .regex(TARGET, "must be like ./guards.ts:check or my_agent.guards:check")
      .refine(
        (target) => !isFileName(target),
        "must begin with ./ where it names a file (./guards.ts:check); a module of Python is named without .py (guards:check)",
      )
      .describe("`./guards.ts:check` for TypeScript or JavaScript, `my_agent.guards:check` for Python."),
    reaches: reaches(),
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

export type HandlerConfig = z.output<typeof handlerSchema>;
