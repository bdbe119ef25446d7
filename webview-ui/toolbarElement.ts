/** The header: the chain's state, today's counts, the buttons, and the filters that are always there. */
import { html, nothing } from "lit";
import { isUpkeepEvent } from "../src/core/audit/upkeep";
import { EXPORT_FORMATS, type ExportFormat } from "../src/panel/messages";
import type { RowFilterMessage } from "../src/panel/protocol";
import { agentLabel } from "./agentLabel";
import { choice } from "./filterField";
import { decisionWord, percentOf } from "./format";
import { icon } from "./icons";
import { LightElement } from "./lightElement";
import { hasMoreFilters, moreFilters } from "./moreFilters";

const TYPING_MS = 250;
/** Decisions whose counts are worth a look at any time; the rest appear once there are some. */
const ALWAYS = ["allow", "asks_user", "denied"];

export class ToolbarElement extends LightElement {
  #typing: ReturnType<typeof setTimeout> | undefined;
  #isOpen: boolean | undefined;

  #set(change: { readonly [key in keyof RowFilterMessage]?: string }): void {
    const merged: Record<string, string> = { ...this.store.state().filter };
    for (const [key, value] of Object.entries(change)) {
      if (value === undefined || value === "") delete merged[key];
      else merged[key] = value;
    }
    this.store.setFilter(merged);
  }

  #type(event: Event): void {
    const text = event.target instanceof HTMLInputElement ? event.target.value.trim().slice(0, 500) : "";
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#set({ text }), TYPING_MS);
  }

  #clear(): void {
    clearTimeout(this.#typing);
    const input = this.querySelector("input");
    if (input !== null) input.value = "";
    this.store.setFilter({});
  }

  protected override render() {
    const { t } = this.words;
    const { host, verify } = this.store.state();
    const running = verify?.type === "verifying";
    const isOpen = this.#isOpen ?? hasMoreFilters(this.store.state().filter);
    return html`
      <header class="bar">
        <div class="chain" data-state=${host?.chain.state ?? "ok"} title=${host?.file ?? ""}>
          ${icon("seal")}<span>${host?.chain.message ?? ""}</span>
        </div>
        <div class="counts" role="group" aria-label=${t("today")}>
          <span class="counts-label">${t("today")}</span>${this.#counts()}
        </div>
        <div class="actions">
          <button class="primary" title=${t("verifyMeans")} ?disabled=${running} @click=${() => this.store.verify()}>
            ${icon("seal")}<span>${running ? t("verifying") : t("verify")}</span>
          </button>
          ${this.#exportMenu()}
          <button class="plain" title=${t("openLogMeans")} @click=${() => this.store.openLog()}>${icon("output")}<span>${t("openLog")}</span></button>
        </div>
      </header>
      <div role="search">
        <div class="filters">${this.#filters(isOpen)}</div>
        ${isOpen ? moreFilters({ store: this.store, words: this.words, set: (change) => this.#set(change) }) : nothing}
      </div>
    `;
  }

  #exportMenu() {
    const { t } = this.words;
    const running = this.store.state().export?.type === "exporting";
    const items: Readonly<Record<ExportFormat, string>> = { json: t("exportJson"), csv: t("exportCsv") };
    const pick = (format: ExportFormat) => {
      this.querySelector("details.menu")?.removeAttribute("open");
      this.store.export(format);
    };
    return html`<details class="menu" @keydown=${this.#menuKey} @focusout=${this.#menuLeft}>
      <summary class="button plain" title=${t("export")}>${icon("export")}<span>${t("export")}</span></summary>
      <div class="menu-items">
        ${EXPORT_FORMATS.map((format) => html`<button class="plain" ?disabled=${running} @click=${() => pick(format)}>${items[format]}</button>`)}
      </div>
    </details>`;
  }

  #menuKey(event: KeyboardEvent): void {
    const menu = this.querySelector("details.menu");
    if (event.key !== "Escape" || menu === null) return;
    menu.removeAttribute("open");
    menu.querySelector("summary")?.focus();
  }

  #menuLeft(event: FocusEvent): void {
    const menu = this.querySelector("details.menu");
    if (!(event.relatedTarget instanceof Node) || menu?.contains(event.relatedTarget) === true) return;
    menu?.removeAttribute("open");
  }

  #counts() {
    const { host, filter } = this.store.state();
    const counts = host?.counts ?? {};
    const shown = [...ALWAYS, ...["rewrite", "log_only", "error"].filter((name) => (counts[name] ?? 0) > 0)];
    return shown.map((decision) => {
      const pressed = filter.decision === decision;
      const count = this.words.number(counts[decision] ?? 0);
      const word = decisionWord(decision, this.words);
      return html`<button
        class="count"
        data-decision=${decision}
        aria-pressed=${pressed}
        title=${word}
        @click=${() => this.#set({ decision: pressed ? "" : decision })}
      >${icon(decision)}<strong>${count}</strong><span>${word}</span></button>`;
    });
  }

  #filters(isOpen: boolean) {
    const { t } = this.words;
    const { host, filter } = this.store.state();
    const any = Object.keys(filter).length > 0;
    return html`
      <label class="search">
        ${icon("search")}
        <input
          type="search"
          placeholder=${t("filterText")}
          aria-label=${t("filterText")}
          maxlength="500"
          spellcheck="false"
          .value=${filter.text ?? ""}
          @input=${this.#type}
        />
      </label>
      ${this.#select("decision", { label: t("filterDecision"), all: t("anyDecision"), options: host?.decisions ?? [] })}
      ${this.#select("agent", { label: t("filterAgent"), all: t("anyAgent"), options: host?.agents ?? [] })}
      ${this.#select("tool", { label: t("filterTool"), all: t("anyTool"), options: host?.tools ?? [] })}
      <button class="plain" aria-expanded=${isOpen} @click=${() => this.#toggle(!isOpen)}>${icon("filter")}<span>${t("moreFilters")}</span></button>
      ${this.#upkeep()}
      ${any ? html`<button class="plain" @click=${this.#clear}>${icon("close")}<span>${t("clearFilter")}</span></button>` : nothing}
      <span class="amount">${this.#amount()}</span>
    `;
  }

  /** Absent where the log has no checkpoint and no heartbeat. */
  #upkeep() {
    const { t, number } = this.words;
    const { upkeep, upkeepTotal, host } = this.store.state();
    const isShown = upkeep === "shown";
    const has = upkeepTotal > 0 || isShown || host?.events.some(isUpkeepEvent);
    if (has !== true) return nothing;
    return html`<button
      class="plain toggle"
      aria-pressed=${isShown}
      title=${t("upkeepMeans")}
      @click=${() => this.store.setUpkeep(isShown ? "hidden" : "shown")}
    >${icon(isShown ? "log_only" : "unseen")}<span>${t("showUpkeep", number(upkeepTotal))}</span></button>`;
  }

  #toggle(isOpen: boolean): void {
    this.#isOpen = isOpen;
    this.requestUpdate();
  }

  #select(
    name: "decision" | "agent" | "tool",
    of: { label: string; all: string; options: readonly string[] },
  ) {
    return choice({
      ...of,
      chosen: this.store.state().filter[name] ?? "",
      word: (option) =>
        name === "decision"
          ? decisionWord(option, this.words)
          : name === "agent"
            ? agentLabel(option)
            : option,
      pick: (value) => this.#set({ [name]: value }),
    });
  }

  #amount() {
    const { t, number } = this.words;
    const { host, total, filter, searching } = this.store.state();
    const percent = (of: { done: number; total: number }) => number(percentOf(of));
    if (searching !== null && total === null) return t("searching", percent(searching));
    if (host !== null && host.reading !== null && host.reading.total > 0)
      return t("reading", percent(host.reading));
    if (total === null) return "";
    if (Object.keys(filter).length > 0) return t("matching", number(total));
    return total === 1 ? t("callsOne") : t("calls", number(total));
  }
}
