import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import type { Problem } from "../../../src/core/errors";
import type { Handler, HandlerAnswer, HookEvent } from "../../../src/core/hookRules/types";
import { parseConfig } from "../../../src/core/rules/parse";
import { hooksSchema } from "../../../src/core/rules/schemaHooks";
import { type BuiltHandlers, buildHandlers, type HandlerSource } from "../../../src/node/handlers/build";

/** Files of a folder of their own, path → text; a name that ends in `.sh` may be run. */
export type Files = Readonly<Record<string, string>>;

const endings: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

export const atEnd = (end: () => Promise<void> | void) => void endings.push(end);

export function folderOf(files: Files): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "handlers-")));
  for (const [name, text] of Object.entries(files)) put(folder, name, text);
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function put(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (name.endsWith(".sh")) chmodSync(file, 0o755);
  return file;
}

export interface Scene {
  readonly folder: string;
  readonly logged: string[];
  readonly source: HandlerSource;
}

/** A configuration of one rule with these handlers, each in TOML without its braces. */
export function sceneOf(
  handlers: readonly string[],
  files: Files = {},
  more: Partial<HandlerSource> = {},
): Scene {
  const folder = folderOf(files);
  const list = handlers.map((handler) => `  { ${handler} },\n`).join("");
  const text = `[[hooks.pre_tool_call]]\nname = "guard"\nhandlers = [\n${list}]\n`;
  const config = { text, file: join(folder, "gateway-hooks.toml"), format: "toml" } as const;
  const parsed = parseConfig(config);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const source: HandlerSource = {
    hooks: hooksSchema.parse(parsed.value.hooks ?? {}) as HandlerSource["hooks"],
    config,
    folder,
    env: process.env,
    log: { info: note, warn: note, error: note },
    ...more,
  };
  return { folder, logged, source };
}

export async function built(scene: Scene): Promise<BuiltHandlers> {
  const result = await buildHandlers(scene.source);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join("\n"));
  atEnd(result.value.close);
  return result.value;
}

export async function problemsOf(scene: Scene): Promise<readonly Problem[]> {
  const result = await buildHandlers(scene.source);
  if (result.ok) {
    await result.value.close();
    return [];
  }
  return result.problems;
}

export async function handlersOf(scene: Scene): Promise<readonly Handler[]> {
  return (await built(scene)).rules[0]?.handlers ?? [];
}

export async function handlerOf(scene: Scene): Promise<Handler> {
  const [handler] = await handlersOf(scene);
  if (handler === undefined) throw new Error("there is no handler");
  return handler;
}

export const event: HookEvent = {
  event: "pre_tool_call",
  run_id: "run_1",
  tool_name: "websearch",
  tool_input: { query: "Grüße ✓" },
};

export const idle = new AbortController().signal;

export async function answerOf(scene: Scene, told: HookEvent = event): Promise<HandlerAnswer> {
  return (await handlerOf(scene)).run(told, idle);
}

/** In short: `allow`, `deny: why`, `context: text`, `failed: why`, `rewrite {…}`. */
export function short(answer: HandlerAnswer): string {
  switch (answer.kind) {
    case "result": {
      const { decision, reason, updated_input } = answer.result;
      const input = typeof updated_input === "symbol" ? "" : ` ${JSON.stringify(updated_input)}`;
      return `${decision}${reason === null ? "" : `: ${reason}`}${input}`;
    }
    case "context":
      return `context: ${answer.text}`;
    case "deny":
      return `deny: ${answer.reason}`;
    default:
      return `${answer.kind}: ${answer.why}`;
  }
}

/** Waits until it is so, for at most ten seconds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let turn = 0; turn < 200; turn++) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
