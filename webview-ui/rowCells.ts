/** The cells of one row of the list. Knows nothing of scrolling or selection. */
import { html, nothing } from "lit";
import { visibleLine } from "../src/core/visible";
import type { PanelRow } from "../src/panel/protocol";
import { agentLabel } from "./agentLabel";
import { decisionWord, type Words } from "./format";
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
      return "";
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

export function rowCells(row: PanelRow | undefined, words: Words) {
  if (row === undefined) {
    return html`<div class="cell c-time" role="gridcell" aria-colindex="1"><span class="ghost"></span></div>
      <div class="cell c-call" role="gridcell" aria-colindex="5"><span class="ghost"></span></div>`;
  }
  const { date, clock, millis, whole } = words.time(row.ts);
  const summary = row.decision === "damaged" ? words.t("damagedLine") : visibleLine(row.summary);
  const said = row.decision === "allow" || row.reason === "" ? "" : visibleLine(row.reason);
  const person = choiceWords(row, words);
  const by =
    person === ""
      ? visibleLine(row.by)
      : html`<span class="by-person">${icon("person")}</span>${visibleLine(row.by)}`;
  const alone = row.decision === "" && row.tool === "";
  return html`
    ${cell("time", 1, html`<span class="dim">${date}</span> ${clock}<span class="dim">${millis}</span>`, whole)}
    ${cell("decision", 2, decisionMark(row.decision, words), person)}
    ${cell("agent", 3, agentLabel(row.agent), row.subagent === undefined ? undefined : visibleLine(row.subagent))}
    ${cell("tool", 4, alone ? visibleLine(row.event) : visibleLine(row.tool), visibleLine(row.tool))}
    ${cell(
      "call",
      5,
      html`${row.alerts > 0 ? html`<span class="alert">${icon("warning")}</span>` : nothing}<span class="code">${summary}</span>${
        said === "" ? nothing : html`<span class="said">${said}</span>`
      }`,
      summary,
    )}
    ${cell("by", 6, by, person)}
    ${cell("duration", 7, row.durationMs === undefined ? "" : words.duration(row.durationMs))}
  `;
}
