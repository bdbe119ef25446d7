/** The cells of one row of the list. Knows nothing of scrolling or selection. */
import { html, nothing } from "lit";
import { visibleLine } from "../src/core/visible";
import type { PanelRow } from "../src/panel/messages";
import { agentLabel } from "./agentLabel";
import { damageWord, decisionWord, eventWords, type Words } from "./format";
import { icon } from "./icons";

/** Interceptors speak in their own words; the log in its. */
const SPOKEN: Readonly<Record<string, string>> = {
  ask: "asks_user",
  deny: "denied",
  "log-only": "log_only",
  "": "event",
};

/** The picture and word for a decision, of a record or of a step of the trail. */
export function decisionMark(decision: string, words: Words) {
  const known = Object.hasOwn(SPOKEN, decision) ? (SPOKEN[decision] ?? decision) : decision;
  return html`<span class="mark" data-decision=${known}>${icon(known)}<span>${decisionWord(known, words)}</span></span>`;
}

/** A sentence on what a person did with the question; "" when nobody was asked. */
export function choiceWords(row: PanelRow, words: Words): string {
  if (row.choice !== undefined) return choiceSentence(row.choice, words);
  return row.approver === "person" ? words.t("byPersonAllow") : "";
}

export function choiceSentence(choice: string, { t }: Words): string {
  switch (choice) {
    case "allow":
      return t("byPersonAllow");
    case "deny":
    case "dismissed":
      return t("byPersonDeny");
    case "expired":
      return t("byNobody");
    case "cancelled":
      return t("byCancelled");
    default:
      return choice;
  }
}

/** Whether a person spoke for or against the call; a question that nobody answered is not one. */
function isByPerson(row: PanelRow): boolean {
  return row.choice === undefined
    ? row.approver === "person"
    : row.choice !== "expired" && row.choice !== "cancelled";
}

function decider(row: PanelRow, { t }: Words) {
  if (!isByPerson(row)) return visibleLine(row.by);
  const asker = row.by === "" || row.by === "person" ? "" : ` · ${visibleLine(row.by)}`;
  return html`<span class="by-person">${icon("person")}${t("person")}</span>${asker}`;
}

/** The same cells for a row that is on its way and for one that is here, so that the page changes their words alone. */
interface Shown {
  readonly date: string;
  readonly clock: string;
  readonly millis: string;
  readonly whole: string;
  readonly mark: unknown;
  readonly person: string;
  readonly agent: string;
  readonly subagent: string;
  readonly tool: string;
  readonly before: unknown;
  readonly told: string;
  readonly summary: string;
  readonly said: string;
  readonly by: unknown;
  readonly byTitle: string;
  readonly duration: string;
}

const COMING: Shown = {
  date: "",
  clock: "",
  millis: "",
  whole: "",
  mark: nothing,
  person: "",
  agent: "",
  subagent: "",
  tool: "",
  before: nothing,
  told: "",
  summary: "",
  said: "",
  by: "",
  byTitle: "",
  duration: "",
};

const title = (text: string) => (text === "" ? nothing : text);

/** What stands before the call: damage that a verification found, and findings. */
function signs(row: PanelRow, words: Words, damage: string | undefined) {
  if (damage === undefined && row.alerts === 0) return nothing;
  return html`${damage === undefined ? nothing : broken(words.t("brokenRow", damageWord(visibleLine(damage), words)))}${row.alerts > 0 ? html`<span class="alert">${icon("warning")}</span>` : nothing}`;
}

function broken(text: string) {
  return html`<span class="breaks" title=${text}>${icon("damaged")}${text}</span>`;
}

function shown(row: PanelRow, words: Words, damage: string | undefined): Shown {
  const person = choiceWords(row, words);
  const isAlone = row.decision === "" && row.tool === "";
  return {
    ...words.time(row.ts),
    mark: decisionMark(row.decision, words),
    person,
    agent: agentLabel(row.agent),
    subagent: visibleLine(row.subagent ?? ""),
    tool: visibleLine(isAlone ? row.event : row.tool),
    before: signs(row, words, damage),
    told: eventWords(row.event, words),
    summary: row.decision === "damaged" ? words.t("damagedLine") : visibleLine(row.summary),
    said: row.decision === "allow" ? "" : visibleLine(row.reason),
    by: decider(row, words),
    byTitle: [person, visibleLine(row.by)].filter((part) => part !== "").join(" · "),
    duration: row.durationMs === undefined ? "" : words.duration(row.durationMs),
  };
}

/** The cells of a row; `damage` is what a verification found at one of its lines. */
export function rowCells(row: PanelRow | undefined, words: Words, damage?: string) {
  const of = row === undefined ? COMING : shown(row, words, damage);
  return html`<div class="cell c-time" role="gridcell" aria-colindex="1" title=${title(of.whole)}><span class="dim">${of.date}</span> ${of.clock}<span class="dim">${of.millis}</span></div>
    <div class="cell c-decision" role="gridcell" aria-colindex="2" title=${title(of.person)}>${of.mark}</div>
    <div class="cell c-agent" role="gridcell" aria-colindex="3" title=${title(of.subagent)}>${of.agent}</div>
    <div class="cell c-tool" role="gridcell" aria-colindex="4" title=${title(of.tool)}>${of.tool}</div>
    <div class="cell c-call" role="gridcell" aria-colindex="5" title=${title(of.summary)}>${of.before}<span class="told">${of.told}</span><span class="code">${of.summary}</span><span class="said">${of.said}</span></div>
    <div class="cell c-by" role="gridcell" aria-colindex="6" title=${title(of.byTitle)}>${of.by}</div>
    <div class="cell c-duration" role="gridcell" aria-colindex="7">${of.duration}</div>`;
}
