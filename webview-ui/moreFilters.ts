/** The filters that are needed less often, and the field that jumps to a line, a time or a call. */
import { html } from "lit";
import type { JumpTarget } from "../src/panel/messages";
import type { RowFilterMessage } from "../src/panel/protocol";
import { choice, isoText, moment } from "./filterField";
import type { Words } from "./format";
import type { PanelStore } from "./storeState";

export interface MoreFilters {
  readonly store: PanelStore;
  readonly words: Words;
  readonly set: (change: { readonly [key in keyof RowFilterMessage]?: string }) => void;
}

export function hasMoreFilters(filter: RowFilterMessage): boolean {
  return [filter.event, filter.session, filter.since, filter.until].some((value) => value !== undefined);
}

/** Digits are a line, what reads as a day or a time is one, all else is a call id; null for nothing. */
export function jumpTarget(typed: string): JumpTarget | null {
  const text = typed.trim();
  if (text === "") return null;
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return { line: Number(text) };
  const time = /^\d{4}-\d\d/.test(text) ? isoText(text) : "";
  return time === "" ? { callId: text.slice(0, 1000) } : { time };
}

function go(event: SubmitEvent, store: PanelStore): void {
  event.preventDefault();
  const field = event.target instanceof HTMLFormElement ? event.target.querySelector("input") : null;
  const target = jumpTarget(field?.value ?? "");
  if (target !== null) store.goTo(target);
}

export function moreFilters({ store, words, set }: MoreFilters) {
  const { t } = words;
  const { host, filter } = store.state();
  const asIs = (option: string) => option;
  return html`<div class="filters more" role="group" aria-label=${t("moreFilters")}>
    ${choice({ label: t("filterEvent"), all: t("anyEvent"), options: host?.events ?? [], chosen: filter.event ?? "", word: asIs, pick: (event) => set({ event }) })}
    ${choice({ label: t("filterSession"), all: t("anySession"), options: host?.sessions ?? [], chosen: filter.session ?? "", word: asIs, pick: (session) => set({ session }) })}
    ${moment({ label: t("filterSince"), value: filter.since ?? "", pick: (since) => set({ since }) })}
    ${moment({ label: t("filterUntil"), value: filter.until ?? "", pick: (until) => set({ until }) })}
    <form class="go" @submit=${(event: SubmitEvent) => go(event, store)}>
      <input type="text" class="field" aria-label=${t("goToLabel")} placeholder=${t("goToHint")} maxlength="1000" spellcheck="false" />
      <button>${t("go")}</button>
    </form>
  </div>`;
}
