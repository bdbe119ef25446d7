/** What a row of the shell guard's table looks like, and when it fires. Knows no program. */
import type { Shell } from "../call";
import { behindVerbs, type CommandWords, hasOption, type Operand, type Verb } from "./commandWords";
import type { ReadCommand } from "./readCommands";

export interface ShellRule {
  /** `git.reset_hard`; unique. */
  readonly id: string;
  /** Names in lower case; a pattern for programs with endings such as mkfs.ext4. */
  readonly programs: readonly string[] | RegExp;
  /** First operands, one after the other. */
  readonly verbs?: readonly Verb[];
  /** Each needs one of its alternatives: `-f|--force`. */
  readonly options?: readonly string[];
  /** With one of these alternatives nothing happens. */
  readonly without?: string;
  /** One of the words behind the verbs. */
  readonly operand?: RegExp;
  /** What the columns cannot say. */
  readonly when?: (command: RuleCommand) => boolean;
  /** Default ask. */
  readonly verdict?: "deny";
  /** What happens, as a sentence without its subject's name: "It removes …". */
  readonly reason: string;
  /** A safer way. */
  readonly suggestion: string;
  /** True where no approval may hold for more than once. */
  readonly onceOnly?: true;
  /** Absent = bash. */
  readonly shell?: Shell;
  readonly firesOn: readonly string[];
  readonly staysQuietOn: readonly string[];
}

export interface RuleCommand extends CommandWords {
  /** Behind the verbs. */
  readonly rest: readonly Operand[];
  readonly read: ReadCommand;
}

/** These print their manual for `--help` and do nothing else. */
const HELPS = new Set(
  "git docker docker-compose podman nerdctl kubectl oc helm terraform tofu pulumi aws gcloud gsutil az gh glab npm pnpm yarn cargo fly flyctl heroku vercel netlify supabase wrangler firebase rclone restic borg kind minikube k3d eksctl vagrant".split(
    " ",
  ),
);

export function fires(rule: ShellRule, words: CommandWords, read: ReadCommand): boolean {
  const rest = behindVerbs(words, rule.verbs ?? []);
  if (rest === undefined) return false;
  if (HELPS.has(words.program) && words.options.includes("--help")) return false;
  if (rule.options?.some((names) => !hasOption(words, names))) return false;
  if (rule.without !== undefined && hasOption(words, rule.without)) return false;
  const { operand } = rule;
  if (operand !== undefined && !rest.some(({ text }) => operand.test(text))) return false;
  return rule.when?.({ ...words, rest, read }) ?? true;
}

export function names(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
