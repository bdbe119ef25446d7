/** `countersign card trust|untrust`: opens the editor's dialog about a card's hooks. Nothing that is typed here stands in for its answer. */
import { homedir } from "node:os";
import { parseCardName } from "../core/cards/cardName";
import { isRange } from "../core/cards/cardVersion";
import { CARDS_OBSERVER, type TrustAnswer, type TrustRequest, trustAnswer } from "../core/cards/trustRequest";
import { agentAncestor } from "../node/agentAncestor";
import { askBroker } from "../node/askBroker";
import { findBroker } from "../node/locator";
import { cardsPlace, notACard } from "./cardPlace";
import type { Io, Run } from "./io";
import { answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign card trust CARD --hooks [--range RANGE] [--unconfined]
       countersign card untrust CARD --hooks

Opens a dialog in the editor window that has this folder open. It shows every file of the card with its digest; the policies run once you
agree there, and only for exactly these files within RANGE, ^version by default. Without a window, or where an agent runs this command,
it is refused.
  --unconfined  also where the runtime cannot keep a policy from files, programs and the network

Exit: 0 done, 1 not agreed or refused, 2 wrong usage.
`;

const PERSON_MS = 5 * 60_000;
/** Editors run agents, and people's own terminals: there the dialog decides. */
const EDITORS =
  /^(?:code|code-insiders|codium|code-server|code-oss|node-extension-host|cursor|windsurf)(?:\.exe|\.js|\.mjs|\.cjs)?$/i;

export const runCardTrust: Run = trustCommand("trust", agentAncestor);
export const runCardUntrust: Run = trustCommand("untrust", agentAncestor);

/** `ancestor` tells under which agent this process runs. */
export function trustCommand(to: TrustRequest["to"], ancestor: () => string | undefined): Run {
  const line = {
    name: `card ${to}`,
    usage: USAGE,
    texts: to === "trust" ? ["range"] : [],
    flags: to === "trust" ? ["hooks", "unconfined"] : ["hooks"],
    words: 1,
  } as const;
  return async (argv, io) => {
    const asked = readOptions<string, string>(argv, line);
    if (asked.kind !== "run") return answerUsage(asked, line, io);
    const [card] = asked.words;
    const { range } = asked.values;
    const wrong = (why: string): number => answerUsage({ kind: "wrong", why }, line, io);
    if (card === undefined) return wrong("name the card: @handle/name");
    if (parseCardName(card) === undefined) return wrong(notACard(card));
    if (!asked.flags.has("hooks")) return wrong("say --hooks: it is the card's hooks that are trusted");
    if (range !== undefined && !isRange(range))
      return wrong("--range is a range of versions, such as ^1.2.0");
    const unconfined = asked.flags.has("unconfined") ? ({ unconfined: true } as const) : {};
    const wanted = { card, to, ...(range === undefined ? {} : { range }), ...unconfined };
    const answer = await askEditor(wanted, ancestor(), io);
    return tell(answer, wanted, io);
  };
}

const refused = (why: string): TrustAnswer => ({ kind: "refused", why });

async function askEditor(
  wanted: Omit<TrustRequest, "kind" | "root">,
  agent: string | undefined,
  io: Io,
): Promise<TrustAnswer> {
  if (agent !== undefined && !EDITORS.test(agent)) {
    const who = agent === "unknown" ? "a program that cannot be told" : agent;
    return refused(`this runs under ${who}, and only a person may ask for it`);
  }
  const { root } = await cardsPlace(io);
  const window = findBroker(homedir(), root);
  if (window === undefined)
    return refused("no editor window with Countersign has this folder open to ask a person");
  const payload = JSON.stringify({ kind: "card.trust", root, ...wanted } satisfies TrustRequest);
  io.stderr("a dialog is open in the editor\n");
  const reply = await askBroker(
    window,
    { event: "pre", agent: "countersign", observer: CARDS_OBSERVER, payload, cwd: root },
    { silence: 20_000, total: PERSON_MS },
  );
  if (reply.kind === "broken") return refused(`the editor could not ask: ${reply.reason}`);
  return (
    answerIn(reply.answer.stdout) ??
    refused("the editor's answer cannot be read; is its Countersign of this version?")
  );
}

async function tell(
  answer: TrustAnswer,
  { card, to }: Pick<TrustRequest, "card" | "to">,
  io: Io,
): Promise<number> {
  if (answer.kind === "done") {
    const trusted = `${card}: trusted, digest ${answer.digest ?? ""}\nnext: countersign write\n`;
    await io.stdout(to === "trust" ? trusted : `${card}: its hooks are not trusted any more\n`);
    return 0;
  }
  const why = answer.kind === "declined" ? "a person did not agree in the editor" : answer.why;
  io.stderr(`countersign card ${to}: ${card} was left as it is: ${why}\n`);
  return 1;
}

function answerIn(text: string): TrustAnswer | undefined {
  try {
    return trustAnswer.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
