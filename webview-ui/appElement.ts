/** The page as a whole: header, notices, the list, and the details beside or below it. */
import { html } from "lit";
import type { HostState } from "../src/panel/messages";
import { brokenWords, exportWords, notThereWords, type Words, wordsFor } from "./format";
import { GridElement } from "./gridElement";
import { LightElement } from "./lightElement";
import type { PanelStore } from "./storeState";

export class AppElement extends LightElement {
  #spoken = "";
  #words: { readonly key: string; readonly words: Words } | undefined;

  /** Called once, when the page is up. */
  connect(store: PanelStore): void {
    this.store = store;
    this.tick = 0;
    store.subscribe(() => {
      this.tick += 1;
    });
    this.addEventListener("close-details", () => {
      store.select(null);
      const grid = this.querySelector("cs-grid");
      if (grid instanceof GridElement) grid.focusActive();
    });
  }

  /** What a screen reader is told: the outcome of a verification, and how many rows a filter left. */
  #announcement(words: Words): string {
    const { verify, total, filter, notThere, export: exported } = this.store.state();
    if (notThere !== null) return notThereWords(notThere, words);
    if (exported?.type === "exported") return exportWords(exported, words);
    if (verify?.type === "verifying") return words.t("verifying");
    if (verify !== null) {
      if (verify.report === null) return words.t("verifyFailed", verify.problem ?? "");
      const { ok, count, damage } = verify.report;
      if (ok) return words.t("verifiedOk", words.number(count));
      return brokenWords(damage[0], words);
    }
    if (total === null || Object.keys(filter).length === 0) return this.#spoken;
    return words.t("matching", words.number(total));
  }

  /** Kept as long as they can be: rows are drawn anew when they are others. */
  #wordsFor(host: HostState | null): Words {
    const key = JSON.stringify([host?.locale, host?.strings]);
    if (this.#words?.key !== key) {
      this.#words = { key, words: wordsFor(host?.locale ?? "en", host?.strings ?? {}) };
    }
    return this.#words.words;
  }

  protected override render() {
    if (this.store === undefined) return html``;
    const { host, selected } = this.store.state();
    const words = this.#wordsFor(host);
    const { store, tick } = this;
    this.#spoken = this.#announcement(words);
    return html`
      <cs-toolbar .store=${store} .words=${words} .tick=${tick}></cs-toolbar>
      <main>
        <h1 class="visually-hidden">${words.t("title")}</h1>
        <cs-notices .store=${store} .words=${words} .tick=${tick}></cs-notices>
        <cs-chart .store=${store} .words=${words} .tick=${tick}></cs-chart>
        <div class="split ${selected === null ? "" : "with-details"}">
          <cs-grid .store=${store} .words=${words} .tick=${tick}></cs-grid>
          <cs-details .store=${store} .words=${words} .tick=${tick} ?hidden=${selected === null}></cs-details>
        </div>
      </main>
      <div class="visually-hidden" role="status" aria-live="polite">${this.#spoken}</div>
    `;
  }
}
