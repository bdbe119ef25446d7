/**
 * What a person is shown when a call needs them: title, at most ten lines of detail, and whether anything was left out.
 * Knows nothing of dialogs, nor of the language: sentences go through `t`.
 */
import type { AskRequest } from "../ports";
import { type AskFragment, contextOf, fragmentOf, isDescriptive, text } from "./askFacts";
import { visibleLine, visibleText } from "./visible";

/** Translates an English sentence with `{0}` places; the English text is the key. */
export type Translate = (message: string, ...args: readonly (string | number)[]) => string;

export interface AskText {
  readonly title: string;
  readonly detail: string;
  /** True when the person has not seen all that will run: nothing may be allowed before the details were opened. */
  readonly cut: boolean;
}

/** A native dialog neither scrolls nor wraps long lines well; past this its buttons leave the screen. */
export const MAX_LINES = 10;
export const MAX_CHARS = 600;
const LINE_WIDTH = 80;
const TITLE_FRAGMENT = 100;

/** Fills in `{0}` places without translating. */
export const untranslated: Translate = (message, ...args) =>
  message.replace(/\{(\d+)\}/g, (whole, index: string) => String(args[Number(index)] ?? whole));

const AGENT_NAMES: Readonly<Record<string, string>> = {
  vscode: "VS Code",
  claude: "Claude Code",
  codex: "Codex",
  copilot: "Copilot CLI",
  gemini: "Gemini CLI",
  opencode: "OpenCode",
  qwen: "Qwen Code",
  cursor: "Cursor",
  cline: "Cline",
  windsurf: "Windsurf",
};

/** The name people know an agent by; an unknown one is shown as it calls itself. */
export function agentName(agent: string): string {
  return Object.hasOwn(AGENT_NAMES, agent) ? (AGENT_NAMES[agent] ?? agent) : shorten(visibleLine(agent), 40);
}

function shorten(line: string, max: number): string {
  const chars = [...line];
  return chars.length <= max ? line : `${chars.slice(0, max - 1).join("")}…`;
}

/** Says what the agent wants, and shows the judged text whole when it fits in one line. */
function titleOf(
  request: AskRequest,
  fragment: AskFragment | null,
  t: Translate,
): { title: string; whole: boolean } {
  const who = agentName(request.call.agent);
  if (fragment === null) {
    return {
      title: t("Agent “{0}” wants to use the tool {1}", who, shorten(visibleLine(request.call.toolName), 60)),
      whole: false,
    };
  }
  const line = visibleLine(fragment.text);
  const whole = [...line].length <= TITLE_FRAGMENT && line === visibleText(fragment.text.trim());
  const shown = shorten(line, TITLE_FRAGMENT);
  const sentence = {
    run: "Agent “{0}” wants to run: {1}",
    write: "Agent “{0}” wants to write: {1}",
    read: "Agent “{0}” wants to read: {1}",
    open: "Agent “{0}” wants to open: {1}",
    use: "Agent “{0}” wants to use: {1}",
  }[fragment.verb];
  const title = t(sentence, who, shown);
  return { title: fragment.allRows ? `${title} — ${t("ALL ROWS")}` : title, whole };
}

/** Arguments the person has not seen in the fragment: short ones side by side, longer ones each on their own. */
function argumentLines(request: AskRequest, fragment: AskFragment | null): string[] {
  const short: string[] = [];
  const long: string[] = [];
  for (const [name, value] of Object.entries(request.finalArgs)) {
    const shown = text(value);
    if (fragment !== null && shown.trim() === fragment.text.trim()) continue;
    if (isDescriptive(request.call.canonicalName, name)) continue;
    const line = `${visibleLine(name)}: ${visibleText(shown)}`;
    if (line.length <= 40 && !line.includes("\n")) short.push(line);
    else long.push(line);
  }
  return short.length === 0 ? long : [...long, short.join(" · ")];
}

/** Lines a block takes in a dialog that wraps at about 80 columns. */
function linesOf(block: string): number {
  return block
    .split("\n")
    .reduce((sum, line) => sum + Math.max(1, Math.ceil([...line].length / LINE_WIDTH)), 0);
}

interface Room {
  lines: number;
  chars: number;
}

/** The block as far as it fits, and whether all of it did. */
function fill(block: string, room: Room): { shown: string; whole: boolean } {
  if (linesOf(block) <= room.lines && [...block].length <= room.chars) {
    room.lines -= linesOf(block);
    room.chars -= [...block].length + 1;
    return { shown: block, whole: true };
  }
  const kept: string[] = [];
  for (const line of block.split("\n")) {
    const width = Math.min(room.lines * LINE_WIDTH, room.chars) - 2;
    if (width < 12) break;
    const part = shorten(line, width);
    kept.push(part);
    room.lines -= linesOf(part);
    room.chars -= [...part].length + 1;
    if (part !== line) break;
  }
  return {
    shown: kept.length === 0 ? "" : `${kept.join("\n")}${kept.at(-1)?.endsWith("…") ? "" : " …"}`,
    whole: false,
  };
}

/** All blocks in the order of what matters most: what runs, what changed, why, the other arguments, where, who asks. */
function blocksOf(
  request: AskRequest,
  inTitle: boolean,
  fragment: AskFragment | null,
  t: Translate,
): string[] {
  const { call, changed, sessionScope } = request;
  const { database, folder, real, why } = contextOf(request);
  return [
    fragment === null || inTitle ? null : visibleText(fragment.text.trim()),
    changed === undefined || changed.length === 0
      ? null
      : t("Asked again. Since your last answer this changed: {0}", changed.map(visibleLine).join(", ")),
    visibleText(request.prompt.trim()),
    ...argumentLines(request, fragment),
    real === null ? null : t("Real path: {0}", visibleLine(real)),
    why === null ? null : t("Why: {0}", visibleLine(why)),
    database === null ? null : t("Database: {0}", visibleLine(database)),
    folder === null ? null : t("Folder: {0}", visibleLine(folder)),
    call.subagent === undefined ? null : t("Subagent: {0}", visibleLine(call.subagent)),
    t("Tool: {0} · asked by {1}", visibleLine(call.toolName), request.by.map(visibleLine).join(", ")),
    sessionScope === undefined
      ? null
      : t("“Allow in this session” covers: {0}", visibleLine(sessionScope.label)),
  ].filter((block) => block !== null && block !== "") as string[];
}

/** The question as a person sees it. Never throws: what cannot be shown makes `cut` true. */
export function askText(request: AskRequest, t: Translate = untranslated): AskText {
  const fragment = fragmentOf(request);
  const { title, whole: inTitle } = titleOf(request, fragment, t);
  const notice = t("Not everything fits here. Choose Show details and read it; Allow is offered after that.");
  const blocks = blocksOf(request, inTitle, fragment, t);
  const all = blocks.join("\n");
  if (linesOf(all) <= MAX_LINES && [...all].length <= MAX_CHARS) return { title, detail: all, cut: false };
  const room: Room = { lines: MAX_LINES - linesOf(notice), chars: MAX_CHARS - [...notice].length - 1 };
  const shown: string[] = [];
  for (const block of blocks) {
    const part = fill(block, room);
    if (part.shown !== "") shown.push(part.shown);
    if (!part.whole) break;
  }
  return { title, detail: [...shown, notice].join("\n"), cut: true };
}

/** The sentences an agent is told after Confirm and after Cancel, in the editor's language. */
export function consentSentences(t: Translate = untranslated): {
  readonly confirm: string;
  readonly cancel: string;
} {
  return {
    confirm: t("Confirmed, you can continue"),
    cancel: t("Do not continue, please answer in another way"),
  };
}

/** Everything about the call, unshortened, for the details view. */
export function askDetails(
  request: AskRequest,
): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(request.finalArgs).map(([name, value]) => ({ name, value: text(value) }));
}
