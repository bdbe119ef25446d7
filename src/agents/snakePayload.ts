/**
 * The payload form that Claude Code began and others took over: `hook_event_name`, `session_id`, `tool_name`, `tool_input`.
 * Knows nothing of answers.
 */
import { isPlainObject } from "../core/call";
import type { AgentId, HookHost, ReadPayload } from "./agentDoor";
import type { HookEvent } from "./hookRequest";
import { cwdOf, refuse, textOf } from "./payloadFields";

export interface SnakeForm {
  readonly agent: AgentId;
  readonly host: HookHost;
  /** Names under which each event may come; the first is named in refusals. */
  readonly names: Readonly<Partial<Record<HookEvent, readonly string[]>>>;
  /** Fields that hold a tool's result, by preference. */
  readonly results: readonly string[];
}

export function readSnake(form: SnakeForm, event: HookEvent, value: Record<string, unknown>): ReadPayload {
  const sessionId = textOf(value.session_id);
  const names = form.names[event] ?? [];
  if (!names.some((name) => name === value.hook_event_name))
    return refuse(`it is no ${names[0] ?? event} event`);
  if (sessionId === undefined) return refuse("it names no session");
  const agentId = textOf(value.agent_id);
  const base = {
    host: form.host,
    agent: form.agent,
    sessionId,
    ...cwdOf(value.cwd),
    ...(agentId === undefined ? {} : { agentId }),
  };
  if (event !== "pre" && event !== "post") {
    const last = event === "stop" ? textOf(value.last_assistant_message) : undefined;
    const said = last === undefined ? {} : { finalText: last };
    return { ok: true, value: { kind: "notice", ...base, ...said } };
  }
  const toolName = textOf(value.tool_name);
  const toolUseId = textOf(value.tool_use_id);
  if (toolName === undefined) return refuse("it names no tool");
  if (!isPlainObject(value.tool_input)) return refuse("its tool_input is no object");
  if (value.tool_use_id !== undefined && toolUseId === undefined) return refuse("its tool_use_id is no text");
  return {
    ok: true,
    value: {
      kind: event,
      ...base,
      ...(toolUseId === undefined ? {} : { toolUseId }),
      toolName,
      input: value.tool_input,
      ...(event === "post" ? resultOf(form, value) : {}),
    },
  };
}

function resultOf(
  { results }: SnakeForm,
  value: Record<string, unknown>,
): { response: unknown; error?: string } {
  const field = results.find((name) => value[name] !== undefined);
  const response = field === undefined ? undefined : value[field];
  const error = textOf(value.error);
  return error === undefined ? { response } : { response: response ?? null, error };
}
