/** Everything that the log holds of one call: reason, arguments, trail, findings, course, hashes, and the lines as stored. */
import { html, nothing } from "lit";
import { visibleLine, visibleText } from "../src/core/visible";
import type { PanelRow } from "../src/panel/messages";
import { agentLabel } from "./agentLabel";
import { type DetailRecord, detailRecords } from "./detailRecords";
import { damageWord, eventWords, linePlace, linesPlace } from "./format";
import { icon } from "./icons";
import { LightElement } from "./lightElement";
import { choiceSentence, choiceWords, decisionMark } from "./rowCells";

const COPIED_MS = 1500;

export class DetailsElement extends LightElement {
  #copied = false;

  get #files() {
    return this.store.state().host?.files ?? [];
  }

  #close(): void {
    this.dispatchEvent(new CustomEvent("close-details", { bubbles: true }));
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape") this.#close();
  }

  #copy(): void {
    const raw = (this.store.state().details?.records ?? []).map((record) => record.raw).join("\n");
    void navigator.clipboard.writeText(raw).then(() => {
      this.#copied = true;
      this.requestUpdate();
      setTimeout(() => {
        this.#copied = false;
        this.requestUpdate();
      }, COPIED_MS);
    });
  }

  protected override render() {
    const { t } = this.words;
    const { details } = this.store.state();
    const row = details?.row ?? null;
    if (details === null || row === null) {
      return html`<section class="details" aria-label=${t("details")}><p class="dim pad">${t("noDetails")}</p></section>`;
    }
    const records = detailRecords(details.records);
    return html`<section class="details" aria-label=${t("details")} @keydown=${this.#key}>
      ${this.#head(row)}
      <div class="details-body" tabindex="0" role="group" aria-label=${t("details")}>
        ${this.#damage(row)} ${this.#reason(row)} ${this.#args(records)} ${this.#trail(records)} ${this.#findings(records)}
        ${this.#course(records)} ${this.#result(records)} ${this.#identity(records)} ${this.#hashes(records)}
        ${this.#raw(details.records)}
      </div>
    </section>`;
  }

  #head(row: PanelRow) {
    const { t, time } = this.words;
    const { date, clock, millis } = time(row.ts);
    const close = t("close");
    const known = row.lines.filter((line) => line > 0);
    const lines = linesPlace(known, this.#files, this.words);
    return html`<div class="details-head">
      <div class="details-title">
        <h2>${decisionMark(row.decision, this.words)}<span class="tool-name">${visibleLine(row.tool === "" ? row.event : row.tool)}</span></h2>
        <p class="dim">
          ${[`${date} ${clock}${millis}`, eventWords(row.event, this.words), agentLabel(row.agent), lines]
            .filter((part) => part !== "")
            .join(" · ")}
        </p>
      </div>
      <button class="plain" @click=${this.#copy}>${icon("copy")}<span>${this.#copied ? t("copied") : t("copy")}</span></button>
      <button class="plain square" title=${close} aria-label=${close} @click=${this.#close}>${icon("close")}</button>
    </div>`;
  }

  #section(title: string, content: unknown, extra?: string) {
    return html`<section class="part"><h3>${title}${extra === undefined ? nothing : html`<span class="dim">${extra}</span>`}</h3>${content}</section>`;
  }

  /** What a verification found at lines of this row. */
  #damage(row: PanelRow) {
    const { t } = this.words;
    const { broken } = this.store.state();
    const found = row.lines.flatMap((line) => {
      const kind = broken.get(line);
      return kind === undefined ? [] : [{ place: linePlace(line, this.#files, this.words), kind }];
    });
    if (found.length === 0) return nothing;
    return html`<div class="callout" data-decision="damaged">
      ${found.map(({ place, kind }) => html`<p class="with-icon">${icon("damaged")}<strong>${place}: ${damageWord(visibleLine(kind), this.words)}</strong></p>`)}
      <p>${t("damagedMeans")}</p>
    </div>`;
  }

  #reason(row: PanelRow) {
    const { t } = this.words;
    const person = choiceWords(row, this.words);
    if (row.reason === "" && person === "" && row.error === undefined) return nothing;
    return html`<div class="callout" data-decision=${row.decision}>
      ${row.reason === "" ? nothing : html`<p>${visibleLine(row.reason)}</p>`}
      ${row.error === undefined || row.error === row.reason ? nothing : html`<p>${t("resultError")}: ${visibleLine(row.error)}</p>`}
      ${person === "" ? nothing : html`<p class="with-icon">${icon("person")}${person}</p>`}
      ${row.by === "" || row.by === "person" ? nothing : html`<p class="dim">${t(row.choice === undefined ? "columnBy" : "pendingAsked")}: ${visibleLine(row.by)}</p>`}
    </div>`;
  }

  #args(records: readonly DetailRecord[]) {
    const { t } = this.words;
    const holder = records.findLast((record) => record.args.length > 0);
    const data = records.filter(
      (record) => record.data.length > 0 && record.event !== "human_choice" && record.event !== "call",
    );
    if (holder === undefined && data.length === 0) return nothing;
    const redacted = holder?.redactions ?? [];
    return html`
      ${
        holder === undefined
          ? nothing
          : this.#section(
              t("arguments"),
              holder.args.map(({ name, value }) => this.#arg(name, value)),
            )
      }
      ${
        redacted.length === 0
          ? nothing
          : html`<p class="dim">${t("redacted")}: ${redacted.map((one) => visibleLine(one)).join(", ")}</p>`
      }
      ${data.map((record) =>
        this.#section(
          t("data"),
          record.data.map(({ name, value }) => this.#arg(name, value)),
        ),
      )}
    `;
  }

  #arg(name: string, value: string) {
    return html`<div class="arg"><div class="arg-name">${visibleLine(name)}</div><pre tabindex="0">${visibleText(value)}</pre></div>`;
  }

  #trail(records: readonly DetailRecord[]) {
    const { t, duration } = this.words;
    const trail = records.findLast((record) => record.trail.length > 0)?.trail ?? [];
    if (trail.length === 0) return nothing;
    const rows = trail.map(
      (step) => html`<tr>
        <td class="dim">${visibleLine(step.stage)}</td>
        <td>${visibleLine(step.by)}${step.note === "" ? nothing : html`<div class="note dim">${visibleLine(step.note)}</div>`}</td>
        <td>${decisionMark(step.decision, this.words)}</td>
        <td class="num dim">${step.ms === null ? "" : duration(step.ms)}</td>
      </tr>`,
    );
    return this.#section(
      t("trail"),
      html`<table class="trail">
        <thead><tr><th>${t("trailStage")}</th><th>${t("trailBy")}</th><th>${t("trailDecision")}</th><th class="num">${t("columnDuration")}</th></tr></thead>
        <tbody>${rows}</tbody>
      </table>`,
    );
  }

  #findings(records: readonly DetailRecord[]) {
    const seen = new Map(
      records
        .flatMap((record) => record.findings)
        .map((one) => [`${one.by} ${one.code} ${one.message}`, one]),
    );
    if (seen.size === 0) return nothing;
    const items = [...seen.values()].map(
      (one) => html`<li data-severity=${one.severity}>${icon(one.severity === "info" ? "info" : "warning")}
        <div><div>${visibleLine(one.message)}</div><div class="dim mono">${visibleLine(one.code)} · ${visibleLine(one.by)}</div></div></li>`,
    );
    return this.#section(this.words.t("findings"), html`<ul class="findings">${items}</ul>`);
  }

  #course(records: readonly DetailRecord[]) {
    const { t, time, duration } = this.words;
    if (records.length < 2) return nothing;
    const start = Date.parse(records[0]?.ts ?? "");
    const items = records.map((record) => {
      const since = Date.parse(record.ts) - start;
      const { clock, millis } = time(record.ts);
      const isChoice = record.event === "human_choice";
      const said = (of: string) => (isChoice ? record.data.find((one) => one.name === of)?.value : undefined);
      const [chosen, sentence] = [said("choice"), said("sentence")];
      const name = isChoice
        ? chosen === undefined
          ? t("eventChoice")
          : visibleLine(choiceSentence(chosen, this.words))
        : record.event === "result"
          ? t("eventResult")
          : t(record.decision === "asks_user" ? "eventAsk" : "eventCall");
      return html`<li>
        <span class="mono">${clock}<span class="dim">${millis}</span></span>
        <span>${isChoice ? html`<strong>${name}</strong>` : name}${sentence === undefined ? nothing : html`<br /><span class="dim">${t("told", visibleLine(sentence))}</span>`}</span>
        <span class="dim num">${Number.isFinite(since) && since > 0 ? `+${duration(since)}` : ""}</span>
      </li>`;
    });
    return this.#section(t("course"), html`<ol class="course">${items}</ol>`);
  }

  #result(records: readonly DetailRecord[]) {
    const { t, number } = this.words;
    const result = records.findLast((record) => record.result !== null)?.result;
    if (result === undefined || result === null) return nothing;
    return this.#section(
      t("result"),
      html`<dl class="facts"><dt>${t("resultSize", number(result.size))}</dt><dd class="mono">${visibleLine(result.hash)}</dd></dl>`,
    );
  }

  #identity(records: readonly DetailRecord[]) {
    const facts = records.findLast((record) => record.identity.length > 0)?.identity ?? [];
    if (facts.length === 0) return nothing;
    return this.#section(
      this.words.t("identity"),
      html`<dl class="facts">${facts.map(({ name, value }) => html`<dt>${name}</dt><dd class="mono">${visibleLine(value)}</dd>`)}</dl>`,
    );
  }

  #hashes(records: readonly DetailRecord[]) {
    const { t, number } = this.words;
    if (records.every((record) => record.recordHash === "")) return nothing;
    const blocks = records.map(
      (record) => html`<dl class="facts hashes">
        ${record.line > 0 ? html`<dt>${linePlace(record.line, this.#files, this.words)}</dt><dd class="dim">seq ${number(record.seq)}</dd>` : nothing}
        <dt>prev_hash</dt><dd class="mono">${record.prevHash === "" ? "null" : visibleLine(record.prevHash)}${this.#linkTo(record.line - 1)}</dd>
        <dt>record_hash</dt><dd class="mono">${visibleLine(record.recordHash)}</dd>
      </dl>`,
    );
    return this.#section(t("hashes"), blocks);
  }

  /** Jumps to another record of the chain, listed or not. */
  #linkTo(line: number) {
    if (line < 1) return nothing;
    const go = () => this.store.goTo({ line });
    const label = this.words.t("goTo", this.words.number(line));
    return html` <button class="link" @click=${go}>${label}</button>`;
  }

  #raw(records: readonly { line: number; raw: string; cut: boolean }[]) {
    const { t } = this.words;
    return html`<details class="part raw"><summary>${t("raw")}</summary>
      ${records.map(
        ({ line, raw, cut }) => html`<div class="arg">
          ${line > 0 ? html`<div class="arg-name">${linePlace(line, this.#files, this.words)}</div>` : nothing}
          <pre tabindex="0">${visibleText(raw)}</pre>${cut ? html`<p class="dim">${t("rawCut")}</p>` : nothing}
        </div>`,
      )}
    </details>`;
  }
}
