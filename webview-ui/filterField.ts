/** The fields that filters are made of. Knows nothing of the store. */
import { html } from "lit";
import { visibleLine } from "../src/core/visible";

export interface Choice {
  readonly label: string;
  /** What stands for "any". */
  readonly all: string;
  readonly options: readonly string[];
  readonly chosen: string;
  readonly word: (option: string) => string;
  /** "" = any. */
  readonly pick: (value: string) => void;
}

/** A list to choose from; what is chosen stands in it even where the log has lost sight of it. */
export function choice({ label, all, options, chosen, word, pick }: Choice) {
  const known = chosen === "" || options.includes(chosen) ? options : [chosen, ...options];
  return html`<select
    aria-label=${label}
    class=${chosen === "" ? "" : "set"}
    @change=${(event: Event) => {
      if (event.target instanceof HTMLSelectElement) pick(event.target.value);
    }}
  >
    <option value="" ?selected=${chosen === ""}>${all}</option>
    ${known.filter((option) => option !== "").map((option) => html`<option value=${option} ?selected=${option === chosen}>${visibleLine(word(option))}</option>`)}
  </select>`;
}

export interface Moment {
  readonly label: string;
  /** ISO 8601; "" = none. */
  readonly value: string;
  readonly pick: (value: string) => void;
}

/** Day and time of day, as the reader's clock shows them. */
export function moment({ label, value, pick }: Moment) {
  return html`<label class="moment"><span>${label}</span><input
    type="datetime-local"
    step="1"
    class=${value === "" ? "" : "set"}
    .value=${localText(value)}
    @change=${(event: Event) => {
      if (event.target instanceof HTMLInputElement) pick(isoText(event.target.value));
    }}
  /></label>`;
}

function localText(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** A time as a person types it, or "" where it is none. */
export function isoText(local: string): string {
  const time = new Date(local);
  return local === "" || Number.isNaN(time.getTime()) ? "" : time.toISOString();
}
