/** The list: a grid of virtual rows, newest first, walked by keyboard. Only rows near the view exist in the page. */
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import { html, nothing, type PropertyValues } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { elementStyle } from "./elementStyle";
import { emptyList } from "./emptyList";
import { icon } from "./icons";
import { LightElement } from "./lightElement";
import { rowCells } from "./rowCells";
import { type ScrollScale, scrollFor, scrollScale } from "./scrollScale";

const ROW = 26;
const SETTLE_MS = 40;

export class GridElement extends LightElement {
  #virtual: Virtualizer<HTMLElement, HTMLElement> | null = null;
  #stop: (() => void) | undefined;
  #scale: ScrollScale = scrollScale(0, 0);
  #active = 0;
  #total = 0;
  #epoch = -1;
  #unseen = 0;
  #jumped = 0;
  #takeFocus = false;
  #isMarked = false;
  /** The details follow the keyboard: the active row is to be selected as soon as it is here. */
  #follow = false;
  #settle: ReturnType<typeof setTimeout> | undefined;

  /** Gives the focus back to the row that had it. */
  focusActive(): void {
    this.#takeFocus = true;
    this.requestUpdate();
  }

  get #scroller(): HTMLElement | null {
    return this.querySelector<HTMLElement>(".rows");
  }

  protected override firstUpdated(): void {
    this.#virtual = new Virtualizer<HTMLElement, HTMLElement>(this.#options());
    this.#stop = this.#virtual._didMount();
    this.#virtual._willUpdate();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  #options() {
    return {
      count: this.#total,
      getScrollElement: () => this.#scroller,
      estimateSize: () => ROW,
      overscan: 12,
      rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const shown = defaultRangeExtractor(range);
        // The row with the tab stop must exist even when it is out of view.
        const has =
          shown.length > 0 && this.#active >= (shown[0] ?? 0) && this.#active <= (shown.at(-1) ?? 0);
        return has || this.#active >= this.#total ? shown : [...shown, this.#active].sort((a, b) => a - b);
      },
      observeElementRect,
      observeElementOffset: (
        instance: Virtualizer<HTMLElement, HTMLElement>,
        take: (offset: number, scrolling: boolean) => void,
      ) => observeElementOffset(instance, (offset, scrolling) => take(this.#scale.toList(offset), scrolling)),
      scrollToFn: (
        offset: number,
        options: { adjustments?: number; behavior?: ScrollBehavior },
        instance: Virtualizer<HTMLElement, HTMLElement>,
      ) =>
        elementScroll(
          this.#scale.toScroll(offset + (options.adjustments ?? 0)),
          { ...options, adjustments: 0 },
          instance,
        ),
      onChange: () => this.requestUpdate(),
    };
  }

  protected override willUpdate(): void {
    if (this.store === undefined) return;
    const { total, epoch, jump } = this.store.state();
    const count = total ?? 0;
    const scroller = this.#scroller;
    const grown = epoch === this.#epoch && this.#total > 0 ? count - this.#total : 0;
    const fresh = epoch !== this.#epoch && this.#epoch >= 0 && this.#total === 0;
    this.#epoch = epoch;
    this.#total = count;
    this.#scale = scrollScale(count * ROW, scroller?.clientHeight ?? 0);
    this.#virtual?.setOptions(this.#options());
    this.#virtual?._willUpdate();
    if (grown > 0) this.#keepPlace(grown, scroller);
    if (fresh) this.#active = 0;
    this.#active = Math.max(0, Math.min(this.#active, count - 1));
    if ((scroller?.scrollTop ?? 0) < 1) this.#unseen = 0;
    if (jump !== null && total !== null && jump.serial !== this.#jumped) {
      this.#jumped = jump.serial;
      this.#active = Math.max(0, total - 1 - jump.position);
      this.#takeFocus = true;
      void this.updateComplete.then(() => this.#reveal(this.#active, "center"));
    }
  }

  /** New rows come in above: who reads further down, or stands on a row, stays there. */
  #keepPlace(grown: number, scroller: HTMLElement | null): void {
    const top = scroller === null ? 0 : this.#scale.toList(scroller.scrollTop);
    const inList = this.contains(document.activeElement) && this.#active > 0;
    if (top < 1 && !inList) return;
    this.#active += grown;
    if (top < 1) return;
    this.#unseen += grown;
    void this.updateComplete.then(() => {
      if (scroller !== null) scroller.scrollTop = this.#scale.toScroll(top + grown * ROW);
    });
  }

  protected override updated(_changed: PropertyValues): void {
    this.#markFirst();
    if (this.#takeFocus) {
      const row = this.querySelector<HTMLElement>(`[data-index="${this.#active}"]`);
      if (row !== null) {
        this.#takeFocus = false;
        row.focus({ preventScroll: true });
      }
    }
    if (this.#follow && this.store.rowAt(this.#active) !== undefined) {
      this.#follow = false;
      queueMicrotask(() => this.#select(this.#active));
    }
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => this.#ask(), SETTLE_MS);
  }

  /** When the first rows are on the screen, for whoever measures it. */
  #markFirst(): void {
    if (this.#isMarked || this.querySelector(".rows .row:not([data-decision=loading])") === null) return;
    this.#isMarked = true;
    requestAnimationFrame(() => performance.mark("first-rows"));
  }

  #ask(): void {
    const items = this.#virtual?.getVirtualItems() ?? [];
    const range = this.#virtual?.range;
    if (items.length === 0 || range === null || range === undefined) return;
    this.store.want(Math.max(0, range.startIndex - 50), Math.min(this.#total - 1, range.endIndex + 50));
  }

  /** Ours, because the virtualizer takes the height of the scrolled element for that of the list. */
  #reveal(index: number, where: "center" | "nearest"): void {
    const scroller = this.#scroller;
    if (scroller === null) return;
    const { scrollTop, clientHeight: view } = scroller;
    scroller.scrollTop = scrollFor(this.#scale, { start: index * ROW, size: ROW, scrollTop, view, where });
  }

  #move(to: number, event: KeyboardEvent): void {
    event.preventDefault();
    this.#active = Math.max(0, Math.min(this.#total - 1, to));
    this.#takeFocus = true;
    this.#reveal(this.#active, "nearest");
    this.#follow = this.store.state().selected !== null;
    this.requestUpdate();
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor((this.#scroller?.clientHeight ?? ROW) / ROW) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + page,
      PageUp: this.#active - page,
      Home: 0,
      End: this.#total - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      this.#move(to, event);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#select(this.#active);
    } else if (event.key === "Escape" && this.store.state().selected !== null) {
      this.store.select(null);
    }
  }

  #select(index: number): void {
    const row = this.store.rowAt(index);
    if (row !== undefined) this.store.select(row.line);
  }

  #click(index: number): void {
    this.#active = index;
    this.#takeFocus = true;
    this.#select(index);
    this.requestUpdate();
  }

  /** Where the list moves faster than its scroll bar, rows must be placed anew at each step. */
  #scrolled(): void {
    if (this.#scale.ratio !== 1) this.requestUpdate();
  }

  #toTop(): void {
    this.#active = 0;
    this.#takeFocus = true;
    this.#reveal(0, "nearest");
    this.requestUpdate();
  }

  protected override render() {
    const { t, number } = this.words;
    const { total, host } = this.store.state();
    const columns = ["Time", "Decision", "Agent", "Tool", "Call", "By", "Duration"] as const;
    const scroller = this.#scroller;
    const scrollTop = scroller?.scrollTop ?? 0;
    const shift = Math.round(scrollTop - this.#scale.toList(scrollTop));
    const items = this.#virtual?.getVirtualItems() ?? [];
    const reading = host === null || host.reading !== null;
    return html`
      <div
        class="grid"
        role="grid"
        aria-label=${t("recordsTable")}
        aria-rowcount=${reading ? -1 : (total ?? 0) + 1}
        aria-colcount=${columns.length}
        aria-busy=${total === null}
        @keydown=${this.#key}
      >
        <div class="row head" role="row" aria-rowindex="1">
          ${columns.map((name, at) => html`<div class="cell c-${name.toLowerCase()}" role="columnheader" aria-colindex=${at + 1}>${t(`column${name}`)}</div>`)}
        </div>
        <div class="rows" role="rowgroup" tabindex="-1" @scroll=${this.#scrolled}>
          <div class="extent" role="presentation" ${elementStyle({ height: `${this.#scale.height}px` })}>
            ${repeat(
              items,
              (item) => this.#total - 1 - item.index,
              (item) => this.#row(item, shift),
            )}
          </div>
        </div>
      </div>
      ${total === 0 && !reading ? emptyList(this.store, this.words) : nothing}
      ${this.#unseen > 0 ? html`<button class="pill" @click=${this.#toTop}>${icon("up")}${t("newRows", number(this.#unseen))}</button>` : nothing}
    `;
  }

  #row(item: VirtualItem, shift: number) {
    const row = this.store.rowAt(item.index);
    const { selected, broken } = this.store.state();
    const brokenLine = row?.lines.find((line) => broken.has(line));
    const isSelected = row !== undefined && selected !== null && row.lines.includes(selected);
    return html`<div
      class="row ${isSelected ? "selected" : ""} ${brokenLine === undefined ? "" : "broken"}"
      role="row"
      aria-rowindex=${item.index + 2}
      aria-selected=${isSelected}
      tabindex=${item.index === this.#active ? 0 : -1}
      data-index=${item.index}
      data-decision=${row === undefined ? "loading" : row.decision}
      ${elementStyle({ transform: `translateY(${item.start + shift}px)` })}
      @click=${() => this.#click(item.index)}
    >${rowCells(row, this.words, brokenLine === undefined ? undefined : broken.get(brokenLine))}</div>`;
  }
}
