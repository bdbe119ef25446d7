/** `countersign doctor`: what is wrong here with cards, configuration and agents' hooks, and how to mend it. Changes nothing. */
import { homedir } from "node:os";
import { formatProblem } from "../core/errors";
import type { CardIssue } from "../core/policies/types";
import { visibleLine } from "../core/visible";
import { type AgentStatus, agentStatus, outsideAgents } from "../node/agentSettings";
import { createCardConsents } from "../node/cards/cardConsents";
import { readLockFile } from "../node/cards/cardLockFile";
import { weighCards } from "../node/cards/cardsInForce";
import { loadWorkspaceConfig } from "../node/configFiles";
import { cardsPlace } from "./cardPlace";
import type { Run } from "./io";
import { answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign doctor [--json]

What keeps this workspace from being governed as it is meant to: cards whose hooks wait for trust or lost it, mistakes of the
configuration, agents whose hook is out of date or switched off.
  --json   {ok, hookIssues, configProblems, agents} for programs

Exit: 0 nothing is wrong (warnings aside), 1 something is, 2 wrong usage.
`;

const LINE = { name: "doctor", usage: USAGE, texts: [], flags: ["json"] } as const;

interface AgentIssue {
  readonly agent: string;
  readonly message: string;
  readonly mend: string;
  readonly severity: "error" | "warning";
}

export const runDoctor: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const place = await cardsPlace(io);
  const loaded = await loadWorkspaceConfig(place.root);
  const configProblems = loaded.kind === "broken" ? loaded.problems : [];
  const policies = loaded.kind === "read" ? (loaded.parsed.policies ?? {}) : {};
  const named = [...new Set(policies.cards ?? [])].filter(
    (card) => policies.exclude?.includes(card) !== true,
  );
  const states = await weighCards(place, named, createCardConsents({ home: homedir() }));
  const hookIssues = [...states.flatMap(({ issue }) => issue ?? []), ...(await unnamed(place.root, named))];
  const places = { home: homedir(), env: io.env, workspace: place.root };
  const agents = (await Promise.all(outsideAgents.map((agent) => agentStatus(agent, places)))).flatMap(
    agentIssues,
  );
  const ok =
    configProblems.length === 0 && [...hookIssues, ...agents].every(({ severity }) => severity === "warning");
  if (asked.flags.has("json")) {
    await io.stdout(
      `${JSON.stringify({ ok, root: place.root, hookIssues, configProblems, agents }, null, 2)}\n`,
    );
    return ok ? 0 : 1;
  }
  const lines = [
    ...configProblems.map((problem) => `error ${formatProblem(problem)}`),
    ...hookIssues.map(({ severity, card, message, mend }) => `${severity} ${card}: ${message}. ${mend}`),
    ...agents.map(({ severity, agent, message, mend }) => `${severity} ${agent}: ${message}. ${mend}`),
  ];
  await io.stdout(lines.length === 0 ? "nothing is wrong\n" : `${lines.map(visibleLine).join("\n")}\n`);
  return ok ? 0 : 1;
};

/** Installed, and asked by no configuration. */
async function unnamed(root: string, named: readonly string[]): Promise<readonly CardIssue[]> {
  const lock = await readLockFile(root);
  if (lock.kind === "broken")
    return [
      {
        code: "card.lock_broken",
        card: "card.lock",
        message: `it cannot be read: ${lock.why}`,
        mend: "Take it back from version control.",
        severity: "error",
      },
    ];
  const locked = lock.kind === "read" ? Object.keys(lock.cards) : [];
  return locked
    .filter((card) => !named.includes(card))
    .map((card) => ({
      code: "card.unnamed",
      card,
      message: "it is installed, and [policies] cards does not name it: its policies do not run",
      mend: `Add it to gateway-hooks.toml, or run \`countersign card uninstall ${card}\`.`,
      severity: "warning" as const,
    }));
}

function agentIssues({
  agent,
  title,
  state,
  message,
  switchedOff,
  reviewed,
  file,
}: AgentStatus): readonly AgentIssue[] {
  if (state === "absent") return [];
  const issues: AgentIssue[] = [];
  const say = (text: string, mend: string, severity: AgentIssue["severity"]): void => {
    issues.push({ agent, message: `${title}: ${text}`, mend, severity });
  };
  if (state === "outdated")
    say(
      `its hook in ${file} is not the one of this version`,
      `Run \`countersign agents install ${agent}\`.`,
      "error",
    );
  if (state === "unreadable") say(`${file} cannot be read: ${message ?? ""}`, "Mend the file.", "error");
  else if (message !== undefined)
    say(
      message,
      `Run \`countersign agents install ${agent}\`, or \`countersign agents uninstall ${agent}\`.`,
      "error",
    );
  for (const { file: where, setting } of switchedOff)
    say(`its hooks are switched off by ${setting} in ${where}`, "Take that setting out.", "error");
  if (reviewed === false && state === "installed")
    say(
      "its hook waits for your review there",
      "Start codex, type /hooks, and trust the entries of Countersign.",
      "warning",
    );
  return issues;
}
