/** What running rules takes and gives: dependencies in, verdict, words and findings out. Runs nothing. */
import type { Clock, Log } from "../../ports";
import type { Finding } from "../decision";
import type { TrailEntry } from "../hook";
import type { Background } from "./background";
import type { DoorDefault } from "./onError";
import type { HookEvent, Rule } from "./types";

export interface RunDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly onError: DoorDefault;
  readonly background: Background;
  /** Whether the code that a rule carries may run; absent = it may. */
  readonly trusted?: (rule: Rule) => Promise<Trust> | Trust;
  /** Told what an async handler came to after its call went on. */
  readonly onLate?: (late: LateAnswer) => Promise<void> | void;
}

export type Trust =
  | { readonly kind: "trusted" }
  /** Nobody has trusted it yet: it does not run. */
  | { readonly kind: "inert"; readonly why: string }
  /** It is not what was trusted any more: the call is denied. */
  | { readonly kind: "changed"; readonly why: string };

export interface HandlerError {
  readonly rule: string;
  readonly handler: string;
  readonly message: string;
}

export interface LateAnswer {
  readonly event: HookEvent;
  readonly findings: readonly Finding[];
  readonly error?: HandlerError;
}

export interface RuleContext {
  /** Name of the handler. */
  readonly name: string;
  readonly text: string;
}

export interface RuleDenial {
  readonly reason: string;
  /** Name of the rule. */
  readonly by: string;
  readonly handler: string;
  /** True when something of ours or of the handler failed, and nobody decided to refuse. */
  readonly broken: boolean;
  /** True when `on_error = "raise"`, or the answer could not be applied: an error, no refusal. */
  readonly raised: boolean;
}

/** What the rules made of an event. */
export interface RuleRun {
  /** After every rewrite. */
  readonly event: HookEvent;
  readonly rewritten: boolean;
  /** Name of the last rule that rewrote. */
  readonly rewrittenBy?: string;
  readonly deny?: RuleDenial;
  /** Handlers that failed where a person is to be asked. */
  readonly asks: readonly HandlerError[];
  readonly contexts: readonly RuleContext[];
  readonly findings: readonly Finding[];
  /** Every failure, whatever became of it. */
  readonly errors: readonly HandlerError[];
  readonly trail: readonly TrailEntry[];
}

/** `[hook <name>] <text>` */
export const labelled = ({ name, text }: RuleContext): string => `[hook ${name}] ${text}`;

/** A run while its rules are asked. */
export type OpenRun = {
  -readonly [K in keyof RuleRun]: RuleRun[K] extends readonly (infer T)[] ? T[] : RuleRun[K];
};

export function openRun(event: HookEvent): OpenRun {
  return { event, rewritten: false, asks: [], contexts: [], findings: [], errors: [], trail: [] };
}
