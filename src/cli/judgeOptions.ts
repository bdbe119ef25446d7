/** The options by which `judge` and `explain` choose rules and whether their code runs. Judges nothing. */
import type { Asked, NotAsked } from "./options";

export const judgeTexts = ["config", "trust-config"] as const;
export const judgeFlags = ["run-handlers"] as const;
export type JudgeText = (typeof judgeTexts)[number];
export type JudgeFlag = (typeof judgeFlags)[number];

export const JUDGE_OPTIONS = `  --config FILE          judge by this gateway-hooks.toml instead of the defaults
  --run-handlers         run the code of its rules too; needs --trust-config
  --trust-config DIGEST  go on only where FILE and every file that it reaches are
                         what \`countersign config digest FILE\` said`;

interface JudgeTrust {
  readonly handlers: "run" | "skip";
  readonly trusted?: string;
}

/** Code of a file runs only for whoever has named what exactly is to run: a file that came with a checkout must not run by its name alone. */
export function readTrust(
  asked: Asked<string, JudgeFlag>,
): { readonly kind: "read"; readonly value: JudgeTrust } | NotAsked {
  const { config, "trust-config": trusted } = asked.values;
  const handlers = asked.flags.has("run-handlers") ? "run" : "skip";
  const wrong = (why: string): NotAsked => ({ kind: "wrong", why });
  if (config === undefined && handlers === "run") return wrong("--run-handlers needs --config FILE");
  if (config === undefined && trusted !== undefined) return wrong("--trust-config needs --config FILE");
  if (trusted !== undefined && !/^[0-9a-f]{64}$/iu.test(trusted))
    return wrong("--trust-config is 64 hex digits, as `countersign config digest FILE` prints them");
  if (handlers === "run" && trusted === undefined)
    return wrong(
      `--run-handlers runs code of ${config} and of the files that it reaches: look at them with \`countersign config show ${config}\`, then add --trust-config with what \`countersign config digest ${config}\` prints`,
    );
  return { kind: "read", value: { handlers, ...(trusted === undefined ? {} : { trusted }) } };
}
