/** A run: rules around an agent's tool calls and requests, from its first call to the verdict on its report. */
import { join, resolve } from "node:path";
import { messageOf } from "../core/errors";
import { labelled } from "../core/hookRules/ruleRun";
import type { HookEventName } from "../core/hookRules/types";
import type { ConfigFile } from "../core/rules/schema";
import type { Log } from "../ports";
import { buildFileRules, guardsOf } from "./hookRunBuild";
import { type HookConfig, readHookConfig, wholeError } from "./hookRunConfig";
import { detached } from "./hookRunCopy";
import { HookDenied, HookError } from "./hookRunErrors";
import { createFire, type Fire, type RunCore } from "./hookRunFire";
import { type Governing, rulesAlone } from "./hookRunGovernor";
import type { OnHandler } from "./hookRunHandlers";
import { checkRunId } from "./hookRunId";
import {
  createMeters,
  type DenialRecord,
  type ErrorRecord,
  type Meters,
  type RunSummary,
} from "./hookRunMeters";
import { type AddedRule, createRuleList, type RuleList, type RuleOptions } from "./hookRunRules";
import { createSeeds, type Entity } from "./hookRunSeeds";
import { type GovernedSession, governSession, type Session, type SessionOptions } from "./hookRunSession";
import { checkOptions, type HookRunOptions, type Legend, type RunVerdict } from "./hookRunTypes";
import { type ToolMap, type Wrapped, wrapTools } from "./hookRunWrap";
import { nodeIds, randomNonce, stderrLog } from "./ports";

export class HookRun {
  readonly runId: string;
  readonly runDir: string;
  readonly cwd: string;
  /** Resolves to the run once every handler is built; rejects with a HookError that says what cannot be built. */
  readonly ready: Promise<this>;
  readonly #runKey: string;
  readonly #meters: Meters = createMeters();
  readonly #seeds = createSeeds();
  readonly #rules: RuleList = createRuleList();
  readonly #fire: Fire;
  readonly #core: RunCore;
  readonly #log: Log;
  readonly #underWay = new Set<Promise<unknown>>();
  #governing: Governing;
  #guarded = false;
  readonly #closing: (() => Promise<void>)[] = [];
  #verdict: Promise<RunVerdict> | undefined;

  /** A path, a tree in the file's shape, what `readHookConfig` gave, or nothing. Throws a HookError with every mistake of the file. */
  constructor(config?: string | ConfigFile | HookConfig, options: HookRunOptions = {}) {
    checkOptions(options);
    this.cwd = resolve(options.cwd ?? process.cwd());
    this.runId = checkRunId(options.runId ?? nodeIds("run"));
    this.runDir = resolve(this.cwd, options.runDir ?? join("runs", this.runId));
    this.#runKey = options.runKey ?? randomNonce();
    this.#log = options.log ?? stderrLog;
    this.#governing = rulesAlone(this.#log, options);
    const read = readHookConfig(config, this.cwd);
    this.#fire = createFire({ rules: this.#rules, meters: this.#meters, log: this.#log });
    this.#core = this.#coreOf(options);
    this.ready = this.#build(read, options);
    // Every call and `end` report it; nobody need have asked for it here.
    this.ready.catch(() => undefined);
  }

  /** Reads the file once and builds every handler: what cannot be built rejects here, not on the first call that matches. */
  static async fromConfig(
    config: string | ConfigFile | HookConfig,
    options: HookRunOptions = {},
  ): Promise<HookRun> {
    try {
      return await new HookRun(config, options).ready;
    } catch (error) {
      throw await wholeError(error, options.env ?? process.env);
    }
  }

  /** Told before the agent starts. The same entity twice is one; with another role it is a HookError. */
  seed(entities: readonly Entity[]): void {
    this.#open();
    const isFirst = this.#seeds.count() === 0;
    this.#seeds.add(entities);
    if (!isFirst || this.#seeds.count() === 0) return;
    this.#log.warn(
      "seeded entities are kept, but nothing is replaced: the alias door is not part of this version",
    );
  }

  /** The same functions by the same names, sync or async, with rules before and after every call. */
  wrap<T extends ToolMap>(tools: T, options: { readonly vendor?: string } = {}): Wrapped<T> {
    return wrapTools(this.#core, tools, options);
  }

  /** The session's tools and its HTTP API behind the rules. */
  session<S extends Session>(session: S, options: SessionOptions = {}): GovernedSession<S> {
    return governSession(this.#core, session, options);
  }

  /** One rule; several handlers are those of one matcher, in this order. The last argument may be the rule's filters. */
  on(event: HookEventName, ...rest: readonly (OnHandler | RuleOptions)[]): AddedRule {
    this.#open();
    return this.#rules.add(event, rest);
  }

  /** Rules of `run_end`, then whatever still works. The same verdict however often it is asked for; calls after it are refused. */
  end(
    report: unknown,
    options: { readonly artifacts?: Readonly<Record<string, unknown>> } = {},
  ): Promise<RunVerdict> {
    if (this.#verdict === undefined) {
      this.#verdict = this.#conclude(report, options.artifacts ?? {});
      void this.#closeAfter(this.#verdict);
    }
    return this.#verdict;
  }

  /** The run's key and its map of aliases, for whoever judges the run. Never store it beside the run's data. */
  legend(): Legend {
    return { run_id: this.runId, run_key: this.#runKey, aliases: {} };
  }

  /** Throws a HookError: the alias door is not part of this version. */
  get alias(): never {
    throw new HookError("the alias door is not part of this version: a run has no aliases yet");
  }

  summary(): RunSummary {
    return this.#meters.summary();
  }

  get denials(): readonly DenialRecord[] {
    return [...this.#meters.denials];
  }

  get errors(): readonly ErrorRecord[] {
    return [...this.#meters.errors];
  }

  #coreOf(options: HookRunOptions): RunCore {
    const { session, source = "library" } = options;
    return {
      meters: this.#meters,
      fire: (event) => this.#fire.fire(event),
      watched: () => this.#fire.watched(),
      governing: () => this.#governing,
      guarded: () => this.#guarded,
      during: (work) => this.#during(work),
      base: (vendor) => ({
        run_id: this.runId,
        agent: source,
        cwd: this.cwd,
        ...(session === undefined ? {} : { session_id: session }),
        ...(vendor === undefined ? {} : { vendor }),
      }),
    };
  }

  #open(): void {
    if (this.#verdict !== undefined)
      throw new HookError("the run is over: nothing goes through its rules any more");
  }

  async #build(config: HookConfig, options: HookRunOptions): Promise<this> {
    const env = options.env ?? process.env;
    const built = await buildFileRules(config, { env, runDir: this.runDir, log: this.#log });
    this.#closing.push(built.close);
    this.#rules.setFile(built.rules);
    const guards = await guardsOf(config, {
      env,
      cwd: this.cwd,
      sessionId: options.session ?? this.runId,
      log: this.#log,
      ...(options.ask === undefined ? {} : { ask: options.ask }),
      ...(options.policies === undefined ? {} : { policies: options.policies }),
    });
    if (guards === undefined) return this;
    this.#governing = guards;
    this.#guarded = true;
    this.#closing.push(() => guards.close());
    return this;
  }

  /** Calls that are under way at the end still need their handlers. */
  async #during<T>(work: () => Promise<T>): Promise<T> {
    this.#open();
    const working = this.ready.then(work);
    this.#underWay.add(working);
    try {
      return await working;
    } finally {
      this.#underWay.delete(working);
    }
  }

  async #conclude(report: unknown, artifacts: Readonly<Record<string, unknown>>): Promise<RunVerdict> {
    await this.ready;
    const event = {
      ...this.#core.base(undefined),
      event: "run_end",
      report: detached(report),
      artifacts: detached(artifacts),
    } as const;
    try {
      const { contexts, findings } = await this.#fire.fire(event);
      const late = await this.#fire.settled();
      return {
        passed: true,
        reason: null,
        findings: [...findings, ...late],
        context: contexts.map(labelled),
      };
    } catch (error) {
      const late = await this.#fire.settled();
      if (!(error instanceof HookDenied)) throw error;
      return { passed: false, reason: error.reason, findings: [...error.findings, ...late], context: [] };
    }
  }

  async #closeAfter(verdict: Promise<RunVerdict>): Promise<void> {
    await Promise.allSettled([verdict]);
    await Promise.allSettled(this.#underWay);
    for (const close of this.#closing.splice(0)) {
      await close().catch((error: unknown) => this.#log.error(messageOf(error)));
    }
  }
}
