/** What stands above the list: questions that wait, the outcome of a verification, a problem. */
import { html, nothing } from "lit";
import { visibleLine, visibleText } from "../src/core/visible";
import type { PendingAsk } from "../src/panel/protocol";
import { agentLabel } from "./agentLabel";
import { damageWord, levelWords } from "./format";
import { icon } from "./icons";
import { LightElement } from "./lightElement";
import type { VerifyResult } from "./store";

export class NoticesElement extends LightElement {
  protected override render() {
    const { host, verify, notThere } = this.store.state();
    const { t, number } = this.words;
    return html`
      ${(host?.pending ?? []).map((ask) => this.#pending(ask))}
      ${host === null || host.problem === null ? nothing : this.#line("error", t("problem", visibleLine(host.problem)), nothing)}
      ${verify === null || verify === "running" ? nothing : this.#verified(verify)}
      ${notThere === null ? nothing : this.#line("info", t("notThere", number(notThere)), this.#dismiss())}
    `;
  }

  #line(kind: "ok" | "error" | "info", text: unknown, after: unknown) {
    const picture = { ok: "allow", error: "error", info: "info" }[kind];
    return html`<div class="notice" data-kind=${kind}>${icon(picture)}<div class="notice-text">${text}</div>${after}</div>`;
  }

  #dismiss() {
    const label = this.words.t("dismiss");
    return html`<button class="plain square" title=${label} aria-label=${label} @click=${() => this.store.dismissVerify()}>${icon("close")}</button>`;
  }

  #verified({ report, problem, at }: VerifyResult) {
    const { t, number, time } = this.words;
    if (report === null)
      return this.#line("error", t("verifyFailed", visibleLine(problem ?? "")), this.#dismiss());
    const when = time(at).clock;
    if (report.ok) {
      const level = levelWords(report.level, this.words);
      const text = html`<strong>${t("verifiedOk", number(report.count))}</strong>
        <span class="dim">${when} · <span class="explained" title=${level.means}>${level.short}</span></span>${this.#warnings(report.warnings)}`;
      return this.#line("ok", text, this.#dismiss());
    }
    const line = report.firstBad ?? report.damage[0]?.line ?? 0;
    const kind = damageWord(visibleLine(report.damage[0]?.kind ?? ""), this.words);
    const places = report.damage.length;
    const found = places === 1 ? t("damagedOne") : t("damagedMany", number(places));
    const text = html`<strong>${t("verifiedBad", number(line), kind)}</strong>
      <span class="dim">${[t("recordsRead", number(report.count)), found, when].join(" · ")}</span>${this.#warnings(report.warnings)}`;
    const jumps = report.damage
      .slice(1, 6)
      .map(
        (one) =>
          html`<button class="link" title=${t("goTo", number(one.line))} aria-label=${t("goTo", number(one.line))} @click=${() => this.store.goTo(one.line)}>${number(one.line)}</button>`,
      );
    return this.#line(
      "error",
      text,
      html`${line < 1 ? nothing : html`<button @click=${() => this.store.goTo(line)}>${t("goTo", number(line))}</button>`}${jumps}${this.#dismiss()}`,
    );
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
