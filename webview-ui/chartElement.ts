/** Counts over time: a small chart of stacked bars, each a button that tells its counts and narrows the list to them. */
import { html, nothing } from "lit";
import type { PanelChart } from "../src/panel/messages";
import { elementStyle } from "./elementStyle";
import type { Words } from "./format";
import { LightElement } from "./lightElement";

type Bar = PanelChart["bars"][number];

const sum = ([passed, noted, stopped]: Bar): number => passed + noted + stopped;

/** The chart in one sentence. */
export function chartWords(chart: PanelChart, { t, number, moment, span }: Words): string {
  const { start, step, bars } = chart;
  const most = bars.reduce((best, bar, at) => (sum(bar) > sum(bars[best] ?? bar) ? at : best), 0);
  const total = (at: 0 | 1 | 2) => number(bars.reduce((all, bar) => all + bar[at], 0));
  return t(
    "chartText",
    t("chart"),
    number(bars.reduce((all, bar) => all + sum(bar), 0)),
    moment(start),
    moment(start + bars.length * step),
    span(step),
    total(2),
    total(1),
    moment(start + most * step),
    number(sum(bars[most] ?? [0, 0, 0])),
  );
}

/** Percent of the tallest bar; what happened once must be seen beside thousands. */
function height(count: number, most: number): string {
  return count === 0 ? "0" : `max(2px, ${((count / most) * 100).toFixed(2)}%)`;
}

export class ChartElement extends LightElement {
  /** The bar that the keyboard is on. */
  #active = 0;

  /** Leaves only the records of a bar. */
  #pick(at: number): void {
    const { chart, filter } = this.store.state();
    if (chart === null) return;
    const time = (bar: number) => new Date(chart.start + bar * chart.step).toISOString();
    this.store.setFilter({ ...filter, since: time(at), until: time(at + 1) });
  }

  #key(event: KeyboardEvent, count: number): void {
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: this.#active + 1,
      ArrowLeft: this.#active - 1,
      Home: 0,
      End: count - 1,
    };
    const to = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    if (to === undefined) return;
    event.preventDefault();
    this.#active = Math.max(0, Math.min(count - 1, to));
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".bar-slot[tabindex='0']")?.focus());
  }

  protected override render() {
    const { chart } = this.store.state();
    if (chart === null || chart.bars.length < 2) return nothing;
    const { moment } = this.words;
    const { start, step, bars } = chart;
    const most = Math.max(1, ...bars.map(sum));
    this.#active = Math.min(this.#active, bars.length - 1);
    const key = (event: KeyboardEvent) => this.#key(event, bars.length);
    return html`<figure class="chart">
      <div class="bars" role="group" aria-label=${chartWords(chart, this.words)} @keydown=${key}>
        ${bars.map((bar, at) => this.#bar(bar, { at, most, time: start + at * step }))}
      </div>
      <div class="chart-ends dim" aria-hidden="true"><span>${moment(start)}</span><span>${moment(start + bars.length * step)}</span></div>
    </figure>`;
  }

  #bar(bar: Bar, of: { readonly at: number; readonly most: number; readonly time: number }) {
    const { t, number, moment } = this.words;
    const [passed, noted, stopped] = bar;
    const text = t("chartBar", moment(of.time), number(sum(bar)), number(stopped), number(noted));
    const parts = [
      ["stopped", stopped],
      ["noted", noted],
      ["passed", passed],
    ] as const;
    return html`<button
      class="bar-slot"
      title=${text}
      aria-label=${text}
      tabindex=${of.at === this.#active ? 0 : -1}
      @click=${() => this.#pick(of.at)}
    >${parts.map(([kind, count]) => (count === 0 ? nothing : html`<span class="bar-part" data-kind=${kind} ${elementStyle({ height: height(count, of.most) })}></span>`))}</button>`;
  }
}
