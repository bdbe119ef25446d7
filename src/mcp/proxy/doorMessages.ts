/** What a proxy and the editor's door say to each other through the broker, as plain data. Knows no socket. */
import * as z from "zod";
import { messageOf } from "../../core/errors";

/** Which of the broker's requests are ours. */
export const PROXY_OBSERVER = "mcp-proxy";

const text = z.string();
const args = z.record(text, z.unknown());

const sighting = z.object({
  state: z.enum(["approved", "new", "changed", "unlisted"]),
  digest: text.exactOptional(),
  parts: z.array(text).readonly().exactOptional(),
  lines: z.array(text).readonly().exactOptional(),
});

const call = z.object({
  tool: text,
  input: args,
  client: text,
  toolUseId: text.exactOptional(),
  conversationId: text.exactOptional(),
  sighting,
});

const requestSchema = z.discriminatedUnion("kind", [
  /** Asked first: is a door there? */
  z.object({ kind: z.literal("hello"), session: text }),
  /** Held until the proxy goes away: what it had begun ends with it. */
  z.object({ kind: z.literal("presence"), session: text }),
  z.object({
    kind: z.literal("pre"),
    session: text,
    callId: text,
    server: z.object({ name: text, host: text.exactOptional() }),
    call,
  }),
  z.object({
    kind: z.literal("post"),
    session: text,
    ticket: text,
    ended: z.union([z.object({ result: z.unknown() }), z.object({ error: text })]),
  }),
  /** A person is asked to agree to a change of a client's configuration; `title` and `lines` are what they are shown. */
  z.object({ kind: z.literal("confirm"), title: text, lines: z.array(text) }),
]);
export type ProxyRequest = z.infer<typeof requestSchema>;

const answerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("welcome") }),
  z.object({ kind: z.literal("gone") }),
  z.object({
    kind: z.literal("run"),
    ticket: text,
    /** Only where they are not those that were sent. */
    args: args.exactOptional(),
    pinApproved: z.boolean(),
  }),
  z.object({ kind: z.literal("refused"), said: args }),
  z.object({
    kind: z.literal("ended"),
    /** Only where it is not what was sent; `error` only where the tool failed. */
    result: z.object({ value: z.unknown() }).exactOptional(),
    error: text.exactOptional(),
    contexts: z.array(text),
  }),
  z.object({ kind: z.literal("answer"), agreed: z.boolean() }),
]);
export type ProxyAnswer = z.infer<typeof answerSchema>;

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export const readRequest = (payload: string): Read<ProxyRequest> => read(requestSchema, payload);
export const readAnswer = (payload: string): Read<ProxyAnswer> => read(answerSchema, payload);

function read<T>(schema: z.ZodType<T>, payload: string): Read<T> {
  try {
    const found = schema.safeParse(JSON.parse(payload));
    return found.success ? { ok: true, value: found.data } : { ok: false, why: z.prettifyError(found.error) };
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
}
