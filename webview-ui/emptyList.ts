/** What stands where no rows are: nothing happened yet, or nothing matches. */
import { html, nothing } from "lit";
import type { Words } from "./format";
import { icon } from "./icons";
import type { PanelStore } from "./store";

export function emptyList(store: PanelStore, { t }: Words) {
  const filtered = Object.keys(store.state().filter).length > 0;
  return html`<div class="empty">
    ${icon(filtered ? "search" : "seal")}
    <h2>${filtered ? t("noMatchTitle") : t("emptyTitle")}</h2>
    <p>${filtered ? t("noMatchText") : t("emptyText")}</p>
    ${filtered ? html`<button @click=${() => store.setFilter({})}>${t("clearFilter")}</button>` : nothing}
  </div>`;
}
