/** What an author's editor needs to check a policy: its typed declaration, and the few globals that there are where policies run. Pure. */

/** Word for word what `defineToolPolicy` takes; a test holds the two together. */
export const policyTypes = `// Written by Countersign so that your editor checks policies. It is not packed; nothing reads it when a policy runs.
declare module "countersign/policy" {
  export type Args = Readonly<Record<string, unknown>>;

  /** What a policy is told of a call. It is a copy: what a policy does to it reaches nobody. */
  export interface PolicyEvent {
    /** The tool's name as the agent sent it. */
    readonly toolName: string;
    /** Bash, Read, Write, Edit, Glob, Grep, WebFetch, Task, \`mcp__<server>__<tool>\`, else \`toolName\`. */
    readonly canonicalName: string;
    /** \`String(event.input)\` gives the command, the SQL or the path that the arguments hold, else their JSON. */
    readonly input: Args;
    /** Only in \`afterToolCall\`: what the tool gave back; null where it failed. */
    readonly output?: unknown;
    /** Only in \`afterToolCall\`: the tool's own failure, or null. */
    readonly error?: string | null;
    readonly sessionId: string;
    /** The program that calls: "vscode", "claude", "codex", "library", … */
    readonly agent: string;
    /** "vscode" in the editor's own agent, else the program that calls. */
    readonly runtime: string;
    /** Absolute path. */
    readonly cwd?: string;
    /** The same when a policy is asked again of the same call, because its arguments were rewritten after it was asked. */
    readonly callId: string;
  }

  export type PolicyDecision =
    | { readonly action: "allow"; readonly additionalContext?: string; readonly updatedInput?: Args }
    | { readonly action: "deny"; readonly reason: string; readonly syntheticOutput?: unknown }
    | { readonly action: "ask"; readonly reason: string }
    | { readonly action: "log-only" };

  export type PolicyVerdict = PolicyDecision | undefined | void;

  export interface ToolPolicy {
    /** An observer never blocks; an enforcement policy's failure denies. */
    readonly policyKind: "observer" | "enforcement";
    /** Anchored pattern on the tool's raw or canonical name; absent, "" and "*" = every tool. */
    readonly matcher?: string;
    /** Milliseconds per callback, default 25 000. */
    readonly timeoutMs?: number;
    beforeToolCall?(event: PolicyEvent): PolicyVerdict | Promise<PolicyVerdict>;
    /** Only for calls that ran. What it returns is not looked at. */
    afterToolCall?(event: PolicyEvent): unknown;
  }

  export function defineToolPolicy(policy: ToolPolicy): ToolPolicy;
}
declare module "darwinian-minds/hook-policy" {
  export * from "countersign/policy";
}
declare module "darwinian/hook-policy" {
  export * from "countersign/policy";
}

// All that there is beside the language itself: no files, no programs, no network.
declare const console: Readonly<
  Record<"debug" | "log" | "info" | "warn" | "error", (...values: readonly unknown[]) => void>
>;
declare function setTimeout(run: () => void, ms?: number): number;
declare function setInterval(run: () => void, ms?: number): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function queueMicrotask(run: () => void): void;
declare function structuredClone<T>(value: T): T;
declare class URL {
  constructor(url: string, base?: string);
  static canParse(url: string, base?: string): boolean;
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}
`;

export const TYPES_FILE = ".policy-types.d.ts";

export const authorTsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      target: "ES2023",
      lib: ["ES2023"],
      module: "esnext",
      moduleResolution: "bundler",
      types: [],
      strict: true,
      noEmit: true,
    },
    files: [TYPES_FILE],
    include: ["hooks"],
  },
  null,
  2,
)}\n`;
