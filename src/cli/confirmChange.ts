/**
 * Whether a person agrees to a change that the command line was asked to make: by the dialog of the window that has the folder open,
 * and only where there is none, and no agent is among our ancestors, by a question on the terminal. No option stands in for the answer.
 */
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { visibleText } from "../core/visible";
import { PROXY_OBSERVER, readAnswer } from "../mcp/proxy/doorMessages";
import { agentAncestor } from "../node/agentAncestor";
import { askBroker } from "../node/askBroker";
import { type Locator, readLocators } from "../node/locator";
import type { Io } from "./io";

export interface ProposedChange {
  readonly title: string;
  /** The exact difference, line by line. */
  readonly lines: readonly string[];
}

export type Agreement = { readonly kind: "yes" } | { readonly kind: "no"; readonly why: string };

const PERSON_MS = 5 * 60_000;

export async function confirmChange(
  change: ProposedChange,
  given: { readonly io: Io; readonly home: string },
): Promise<Agreement> {
  const window = windowOf(given.home);
  if (window !== undefined) return askWindow(window, change);
  const agent = agentAncestor();
  if (agent !== undefined)
    return {
      kind: "no",
      why: `this runs under ${agent === "unknown" ? "a program that cannot be told" : agent}, and no editor window with Countersign is open to ask a person`,
    };
  return askTerminal(change, given.io);
}

/** Any window will do: what changes belongs to the person, not to a folder. */
function windowOf(home: string): Locator | undefined {
  return readLocators(home).live[0];
}

async function askWindow(window: Locator, { title, lines }: ProposedChange): Promise<Agreement> {
  const payload = JSON.stringify({ kind: "confirm", title, lines });
  const request = { event: "pre", agent: "countersign", observer: PROXY_OBSERVER, payload, cwd: "" } as const;
  const reply = await askBroker(window, request, { silence: 20_000, total: PERSON_MS });
  if (reply.kind === "broken") return { kind: "no", why: `the editor could not ask: ${reply.reason}` };
  const read = readAnswer(reply.answer.stdout);
  return read.ok && read.value.kind === "answer" && read.value.agreed
    ? { kind: "yes" }
    : { kind: "no", why: "a person did not agree in the editor" };
}

async function askTerminal({ title, lines }: ProposedChange, io: Io): Promise<Agreement> {
  // The terminal is both ends: a pipe that says "yes" is nobody.
  if (io.isTerminal !== true || !process.stdin.isTTY)
    return { kind: "no", why: "there is no editor window with Countersign and no terminal to ask on" };
  io.stderr(`${[title, ...lines].map(visibleText).join("\n")}\n\n`);
  const reader = createInterface({ input: process.stdin as Readable, output: process.stderr });
  try {
    const said = await reader.question('Write it? Type "yes": ');
    return said.trim() === "yes" ? { kind: "yes" } : { kind: "no", why: "not agreed" };
  } finally {
    reader.close();
  }
}
