/** The cells of one row of the list. Knows nothing of scrolling or selection. */
import { html, nothing } from "lit";
import { visibleLine } from "../src/core/visible";
import type { PanelRow } from "../src/panel/protocol";
import { agentLabel } from "./agentLabel";
import { damageWord, decisionWord, type Words } from "./format";
import { icon } from "./icons";

function cell(name: string, at: number, content: unknown, title?: string) {
  return html`<div class="cell c-${name}" role="gridcell" aria-colindex=${at} title=${title ?? nothing}>${content}</div>`;
}

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
export function choiceWords(row: PanelRow, { t }: Words): string {
  switch (row.choice) {
    case undefined:
      return row.approver === "person" ? t("byPersonAllow") : "";
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
      return row.choice;
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

/** The cells of a row; `damage` is what a verification found at one of its lines. */
export function rowCells(row: PanelRow | undefined, words: Words, damage?: string) {
  if (row === undefined) {
    return html`<div class="cell c-time" role="gridcell" aria-colindex="1"><span class="ghost"></span></div>
      <div class="cell c-call" role="gridcell" aria-colindex="5"><span class="ghost"></span></div>`;
  }
  const { date, clock, millis, whole } = words.time(row.ts);
  const summary = row.decision === "damaged" ? words.t("damagedLine") : visibleLine(row.summary);
  const said = row.decision === "allow" || row.reason === "" ? "" : visibleLine(row.reason);
  const person = choiceWords(row, words);
  const alone = row.decision === "" && row.tool === "";
  return html`
    ${cell("time", 1, html`<span class="dim">${date}</span> ${clock}<span class="dim">${millis}</span>`, whole)}
    ${cell("decision", 2, decisionMark(row.decision, words), person)}
    ${cell("agent", 3, agentLabel(row.agent), row.subagent === undefined ? undefined : visibleLine(row.subagent))}
    ${cell("tool", 4, alone ? visibleLine(row.event) : visibleLine(row.tool), visibleLine(row.tool))}
    ${cell(
      "call",
      5,
      html`${damage === undefined ? nothing : html`<span class="breaks" title=${damageWord(visibleLine(damage), words)}>${icon("damaged")}${words.t("brokenRow")}</span>`}${row.alerts > 0 ? html`<span class="alert">${icon("warning")}</span>` : nothing}<span class="code">${summary}</span>${
        said === "" ? nothing : html`<span class="said">${said}</span>`
      }`,
      summary,
    )}
    ${cell("by", 6, decider(row, words), [person, visibleLine(row.by)].filter((part) => part !== "").join(" · "))}
    ${cell("duration", 7, row.durationMs === undefined ? "" : words.duration(row.durationMs))}
  `;
}
