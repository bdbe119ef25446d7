/** What stands above the list: questions that wait, the outcome of a verification, a problem. */
import { html, nothing } from "lit";
import { visibleLine, visibleText } from "../src/core/visible";
import type { PanelReport, PendingAsk, VerifyResult } from "../src/panel/messages";
import { agentLabel } from "./agentLabel";
import { brokenWords, damagePlace, exportWords, levelWords, notThereWords, percentOf } from "./format";
import { icon } from "./icons";
import { LightElement } from "./lightElement";

export class NoticesElement extends LightElement {
  protected override render() {
    const { host, verify, notThere, export: exported } = this.store.state();
    const { t } = this.words;
    return html`
      ${(host?.pending ?? []).map((ask) => this.#pending(ask))}
      ${host === null || host.problem === null ? nothing : this.#line("error", t("problem", visibleLine(host.problem)), nothing)}
      ${verify?.type === "verifying" ? this.#running(t("verifyingProgress", this.words.number(percentOf(verify))), { ...verify, stop: () => this.store.cancelVerify() }) : nothing}
      ${verify?.type === "verifyResult" ? this.#verified(verify) : nothing}
      ${exported?.type === "exporting" ? this.#running(t("exporting", this.words.number(percentOf(exported))), { ...exported, stop: () => this.store.cancelExport() }) : nothing}
      ${exported?.type === "exported" ? this.#line(exported.problem === null ? "ok" : "error", exportWords(exported, this.words), this.#dismiss("export")) : nothing}
      ${notThere === null ? nothing : this.#line("info", notThereWords(notThere, this.words), this.#dismiss("notThere"))}
    `;
  }

  #line(kind: "ok" | "error" | "info", text: unknown, after: unknown) {
    const picture = { ok: "allow", error: "error", info: "info" }[kind];
    return html`<div class="notice" data-kind=${kind}>${icon(picture)}<div class="notice-text">${text}</div>${after}</div>`;
  }

  /** Something that takes its time: how far it is, and a way to stop it. */
  #running(text: string, of: { readonly done: number; readonly total: number; readonly stop: () => void }) {
    return html`<div class="notice" data-kind="info">${icon("info")}
      <div class="notice-text"><span>${text}</span><progress aria-label=${text} max="100" .value=${percentOf(of)}></progress></div>
      <button @click=${of.stop}>${this.words.t("cancel")}</button>
    </div>`;
  }

  #dismiss(what: "verify" | "export" | "notThere") {
    const label = this.words.t("dismiss");
    return html`<button class="plain square" title=${label} aria-label=${label} @click=${() => this.store.dismiss(what)}>${icon("close")}</button>`;
  }

  #verified({ report, problem, at }: VerifyResult) {
    const { t, number, time } = this.words;
    if (report === null)
      return this.#line("error", t("verifyFailed", visibleLine(problem ?? "")), this.#dismiss("verify"));
    const when = time(at).clock;
    if (report.ok) {
      const level = levelWords(report.level, this.words);
      const text = html`<strong>${t("verifiedOk", number(report.count))}</strong>
        <span class="dim">${when} · <span class="explained" title=${level.means}>${level.short}</span>${this.#signed(report)}</span>${this.#warnings(report.warnings)}`;
      return this.#line("ok", text, this.#dismiss("verify"));
    }
    const [first, ...others] = report.damage;
    const found = report.damages === 1 ? t("damagedOne") : t("damagedMany", number(report.damages));
    const text = html`<strong>${brokenWords(first, this.words)}</strong>
      <span class="dim">${[t("recordsRead", number(report.count)), found, when].join(" · ")}${this.#signed(report)}</span>${this.#warnings(report.warnings)}`;
    const jumps = others.filter(({ row }) => row > 0).slice(0, 5);
    return this.#line(
      "error",
      text,
      html`<div class="jumps">${this.#jump(first, "button")}${jumps.map((one) => this.#jump(one, "link"))}</div>${this.#dismiss("verify")}`,
    );
  }

  #jump(damage: PanelReport["damage"][number] | undefined, look: "button" | "link") {
    if (damage === undefined || damage.row < 1) return nothing;
    const { row } = damage;
    const place = damagePlace(damage, this.words);
    const label = this.words.t(damage.file === undefined ? "goTo" : "goToPlace", place);
    const go = () => this.store.goTo({ line: row });
    return look === "button"
      ? html`<button @click=${go}>${label}</button>`
      : html`<button class="link" title=${label} aria-label=${label} @click=${go}>${place}</button>`;
  }

  /** Files and signed checkpoints, where the log has any. */
  #signed({ files, checkpoints }: PanelReport) {
    const { t, number } = this.words;
    const parts = files > 1 ? [t("filesRead", number(files))] : [];
    if (checkpoints !== undefined) {
      const { valid, last, pinned } = checkpoints;
      parts.push(valid === 0 ? t("noCheckpoints") : t("checkpoints", number(valid)));
      if (last !== undefined)
        parts.push(
          files > 1
            ? t("checkpointsLastFile", number(last.size), number(last.segment))
            : t("checkpointsLast", number(last.size)),
        );
      if (valid > 0) parts.push(t(pinned ? "keyKnown" : "keyUnknown"));
    }
    const key = checkpoints === undefined ? nothing : visibleLine(checkpoints.vkey);
    return parts.length === 0 ? nothing : html` · <span title=${key}>${parts.join(" · ")}</span>`;
  }

  #warnings(warnings: readonly string[]) {
    if (warnings.length === 0) return nothing;
    return html`<ul class="warnings">${warnings.map((warning) => html`<li>${visibleLine(warning)}</li>`)}</ul>`;
  }

  #pending(ask: PendingAsk) {
    const { t } = this.words;
    return html`<section class="pending" aria-label=${t("pendingTitle")}>
      <div class="pending-head">
        ${icon("person")}
        <div class="pending-title"><strong>${visibleLine(ask.title)}</strong><span class="dim">${visibleLine(ask.prompt)}</span></div>
        <button class="primary" @click=${() => this.store.answer(ask.askId)}>${t("pendingAnswer")}</button>
      </div>
      <p class="dim">${t("pendingHint")}</p>
      <dl class="facts">
        <dt>${t("columnAgent")}</dt><dd>${agentLabel(ask.agent)}</dd>
        <dt>${t("columnTool")}</dt><dd class="mono">${visibleLine(ask.tool)}</dd>
        ${ask.folder === undefined ? nothing : html`<dt>${t("pendingFolder")}</dt><dd class="mono">${visibleLine(ask.folder)}</dd>`}
        <dt>${t("pendingAsked")}</dt><dd>${ask.by.map(visibleLine).join(", ")}</dd>
      </dl>
      ${ask.args.map(({ name, value }) => html`<div class="arg"><div class="arg-name">${visibleLine(name)}</div><pre tabindex="0">${visibleText(value)}</pre></div>`)}
    </section>`;
  }
}
