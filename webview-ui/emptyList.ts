/** What stands where no rows are: nothing happened yet, or nothing matches. */
import { html, nothing } from "lit";
import type { Words } from "./format";
import { icon } from "./icons";
import { isUnfiltered, type PanelStore } from "./storeState";

export function emptyList(store: PanelStore, { t, number }: Words) {
  const filtered = !isUnfiltered(store.state());
  const isQuiet = store.state().upkeepTotal > 0;
  return html`<div class="empty">
    ${icon(filtered ? "search" : "seal")}
    <h2>${filtered ? t("noMatchTitle") : t("emptyTitle")}</h2>
    <p>${filtered ? t(isQuiet ? "noMatchUpkeep" : "noMatchText") : t("emptyText")}</p>
    ${isQuiet ? html`<button @click=${() => store.setUpkeep("shown")}>${t("showUpkeep", number(store.state().upkeepTotal))}</button>` : nothing}
    ${filtered ? html`<button @click=${() => store.setFilter({})}>${t("clearFilter")}</button>` : nothing}
  </div>`;
}
