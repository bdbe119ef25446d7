/** The header: the chain's state, today's counts, the filters, and the buttons. */
import { html, nothing } from "lit";
import type { RowFilterMessage } from "../src/panel/protocol";
import { agentLabel } from "./agentLabel";
import { decisionWord } from "./format";
import { icon } from "./icons";
import { LightElement } from "./lightElement";

const TYPING_MS = 250;
/** Decisions whose counts are worth a look at any time; the rest appear once there are some. */
const ALWAYS = ["allow", "asks_user", "denied"];

export class ToolbarElement extends LightElement {
  #typing: ReturnType<typeof setTimeout> | undefined;

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
    const running = verify === "running";
    return html`
      <header class="bar">
        <div class="chain" data-state=${host?.chain.state ?? "ok"} title=${host?.file ?? ""}>
          ${icon("seal")}<span>${host?.chain.message ?? ""}</span>
        </div>
        <div class="counts" role="group" aria-label=${t("today")}>
          <span class="counts-label">${t("today")}</span>${this.#counts()}
        </div>
        <div class="actions">
          <button class="primary" ?disabled=${running} @click=${() => this.store.verify()}>
            ${icon("seal")}<span>${running ? t("verifying") : t("verify")}</span>
          </button>
          <button class="plain" @click=${() => this.store.openLog()}>${icon("output")}<span>${t("openLog")}</span></button>
        </div>
      </header>
      <div class="filters" role="search">${this.#filters()}</div>
    `;
  }

  #counts() {
    const { host, filter } = this.store.state();
    const counts = host?.counts ?? {};
    const shown = [...ALWAYS, ...["rewrite", "log_only", "error"].filter((name) => (counts[name] ?? 0) > 0)];
    return shown.map((decision) => {
      const pressed = filter.decision === decision;
      const count = this.words.number(counts[decision] ?? 0);
      return html`<button
        class="count"
        data-decision=${decision}
        aria-pressed=${pressed}
        @click=${() => this.#set({ decision: pressed ? "" : decision })}
      >${icon(decision)}<strong>${count}</strong><span>${decisionWord(decision, this.words)}</span></button>`;
    });
  }

  #filters() {
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
      ${any ? html`<button class="plain" @click=${this.#clear}>${icon("close")}<span>${t("clearFilter")}</span></button>` : nothing}
      <span class="amount">${this.#amount()}</span>
    `;
  }

  #select(
    name: "decision" | "agent" | "tool",
    of: { label: string; all: string; options: readonly string[] },
  ) {
    const chosen = this.store.state().filter[name] ?? "";
    const options = chosen === "" || of.options.includes(chosen) ? of.options : [chosen, ...of.options];
    const word = (option: string) =>
      name === "decision" ? decisionWord(option, this.words) : name === "agent" ? agentLabel(option) : option;
    return html`<select
      aria-label=${of.label}
      class=${chosen === "" ? "" : "set"}
      @change=${(event: Event) => {
        if (event.target instanceof HTMLSelectElement) this.#set({ [name]: event.target.value });
      }}
    >
      <option value="" ?selected=${chosen === ""}>${of.all}</option>
      ${options.filter((option) => option !== "").map((option) => html`<option value=${option} ?selected=${option === chosen}>${word(option)}</option>`)}
    </select>`;
  }

  #amount() {
    const { t, number } = this.words;
    const { host, total, filter, searching } = this.store.state();
    const percent = (of: { done: number; total: number }) =>
      number(of.total === 0 ? 0 : Math.min(100, Math.floor((of.done / of.total) * 100)));
    if (searching !== null && total === null) return t("searching", percent(searching));
    if (host !== null && host.reading !== null && host.reading.total > 0)
      return t("reading", percent(host.reading));
    if (total === null) return "";
    return t(Object.keys(filter).length > 0 ? "matching" : "calls", number(total));
  }
}
