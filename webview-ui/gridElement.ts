/** The list: a grid of rows, newest first, walked by keyboard. Only rows near the view exist in the page. */
import { html, nothing, type PropertyValues } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { elementStyle } from "./elementStyle";
import { emptyList } from "./emptyList";
import { rowForKey } from "./gridKeys";
import { icon } from "./icons";
import { LightElement } from "./lightElement";
import { rowCells } from "./rowCells";
import { type RowWindow, rowNames, rowWindow } from "./rowWindow";
import { type ScrollScale, scrollFor, scrollScale } from "./scrollScale";

const ROW = 26;
const SETTLE_MS = 40;
/** Rows around the view that are asked for along with it. */
const ASKED_BEYOND = 50;
const COLUMNS = ["Time", "Decision", "Agent", "Tool", "Call", "By", "Duration"] as const;

export class GridElement extends LightElement {
  #scroller: HTMLElement | null = null;
  #sizes: ResizeObserver | undefined;
  #scale: ScrollScale = scrollScale(0, 0);
  #drawn: RowWindow = { first: 0, end: 0 };
  readonly #names = rowNames();
  #active = 0;
  #total = 0;
  #epoch = -1;
  #unseen = 0;
  #jumped = 0;
  #takeFocus = false;
  /** A row had the keyboard before this update: its element may be moved, which would lose it. */
  #hadFocus = false;
  #isMarked = false;
  /** The details follow the keyboard: the active row is to be selected as soon as it is here. */
  #follow = false;
  #settle: ReturnType<typeof setTimeout> | undefined;

  /** Gives the focus back to the row that had it. */
  focusActive(): void {
    this.#takeFocus = true;
    this.requestUpdate();
  }

  protected override firstUpdated(): void {
    this.#scroller = this.querySelector<HTMLElement>(".rows");
    if (this.#scroller === null) return;
    this.#sizes = new ResizeObserver(() => this.requestUpdate());
    this.#sizes.observe(this.#scroller);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes?.disconnect();
  }

  /** Height of the list's part in view; the first rows are drawn before it can be asked for. */
  get #view(): number {
    return this.#scroller?.clientHeight ?? window.innerHeight;
  }

  /** Offset within the list of what is at the top. */
  get #top(): number {
    return this.#scroller === null ? 0 : this.#scale.toList(this.#scroller.scrollTop);
  }

  #window(): RowWindow {
    return rowWindow({ top: this.#top, view: this.#view, row: ROW, total: this.#total });
  }

  protected override willUpdate(): void {
    if (this.store === undefined) return;
    this.#hadFocus = document.activeElement?.matches(".rows .row") === true;
    const { total, epoch, jump } = this.store.state();
    const count = total ?? 0;
    const grown = epoch === this.#epoch && this.#total > 0 ? count - this.#total : 0;
    const isFresh = epoch !== this.#epoch && this.#epoch >= 0 && this.#total === 0;
    this.#epoch = epoch;
    this.#total = count;
    this.#scale = scrollScale(count * ROW, this.#view);
    if (grown > 0) this.#keepPlace(grown);
    if (isFresh) this.#active = 0;
    this.#active = Math.max(0, Math.min(this.#active, count - 1));
    if (this.#top < 1) this.#unseen = 0;
    if (jump !== null && total !== null && jump.serial !== this.#jumped) {
      this.#jumped = jump.serial;
      this.#active = Math.max(0, total - 1 - jump.position);
      this.#takeFocus = jump.to === "focus";
      void this.updateComplete.then(() => this.#reveal(this.#active, "center"));
    }
  }

  /** New rows come in above: who reads further down, or stands on a row, stays there. */
  #keepPlace(grown: number): void {
    const top = this.#top;
    const inList = this.contains(document.activeElement) && this.#active > 0;
    if (top < 1 && !inList) return;
    this.#active += grown;
    if (top < 1) return;
    this.#unseen += grown;
    void this.updateComplete.then(() => {
      if (this.#scroller !== null) this.#scroller.scrollTop = this.#scale.toScroll(top + grown * ROW);
    });
  }

  protected override updated(_changed: PropertyValues): void {
    this.#markFirst();
    if (this.#takeFocus || this.#hadFocus) {
      const row = this.querySelector<HTMLElement>(`[data-index="${this.#active}"]`);
      if (row !== null) {
        this.#takeFocus = false;
        if (row !== document.activeElement) row.focus({ preventScroll: true });
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
    const { first, end } = this.#drawn;
    if (end > first)
      this.store.want(Math.max(0, first - ASKED_BEYOND), Math.min(this.#total, end + ASKED_BEYOND) - 1);
  }

  #reveal(index: number, where: "center" | "nearest"): void {
    const scroller = this.#scroller;
    if (scroller === null) return;
    const { scrollTop, clientHeight: view } = scroller;
    scroller.scrollTop = scrollFor(this.#scale, { start: index * ROW, size: ROW, scrollTop, view, where });
  }

  #goTo(index: number): void {
    this.#active = index;
    this.#takeFocus = true;
    this.#reveal(index, "nearest");
    this.requestUpdate();
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.#view / ROW) - 1);
    const to = rowForKey(event.key, { active: this.#active, total: this.#total, page });
    const { selected } = this.store.state();
    if (to !== undefined) {
      event.preventDefault();
      this.#follow = selected !== null;
      this.#goTo(to);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#select(this.#active);
    } else if (event.key === "Escape" && selected !== null) {
      this.store.select(null);
    }
  }

  #select(index: number): void {
    const row = this.store.rowAt(index);
    if (row !== undefined) this.store.select(row.line);
  }

  #click(event: MouseEvent): void {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>(".row") : null;
    const index = Number(row?.dataset.index ?? "-1");
    if (index < 0) return;
    this.#active = index;
    this.#takeFocus = true;
    this.#select(index);
    this.requestUpdate();
  }

  #scrolled(): void {
    const { first, end } = this.#window();
    // Where the list moves faster than its scroll bar, what is drawn must be placed anew at each step.
    const isMoved = first !== this.#drawn.first || end !== this.#drawn.end || this.#scale.ratio !== 1;
    if (isMoved || (this.#unseen > 0 && this.#top < 1)) this.requestUpdate();
  }

  protected override render() {
    const { t, number } = this.words;
    const { total, host } = this.store.state();
    const isReading = host === null || host.reading !== null;
    return html`
      <div
        class="grid"
        role="grid"
        aria-label=${t("recordsTable")}
        aria-rowcount=${isReading ? -1 : (total ?? 0) + 1}
        aria-colcount=${COLUMNS.length}
        aria-busy=${total === null}
        @keydown=${this.#key}
      >
        <div class="row head" role="row" aria-rowindex="1">
          ${COLUMNS.map((name, at) => html`<div class="cell c-${name.toLowerCase()}" role="columnheader" aria-colindex=${at + 1}>${t(`column${name}`)}</div>`)}
        </div>
        <div class="rows" role="rowgroup" tabindex="-1" @scroll=${this.#scrolled} @click=${this.#click}>
          <div class="extent" role="presentation" ${elementStyle({ height: `${this.#scale.height}px` })}>${this.#slice()}</div>
        </div>
      </div>
      ${total === 0 && !isReading ? emptyList(this.store, this.words) : nothing}
      ${this.#unseen > 0 ? html`<button class="pill" @click=${() => this.#goTo(0)}>${icon("up")}${t("newRows", number(this.#unseen))}</button>` : nothing}
    `;
  }

  /** The drawn rows lie one below the other in a block of their own: scrolling moves the block, not each row. */
  #slice() {
    this.#drawn = this.#window();
    const { first, end } = this.#drawn;
    const shift = this.#scroller === null ? 0 : Math.round(this.#scroller.scrollTop - this.#top);
    const indexes = Array.from({ length: end - first }, (_, at) => first + at);
    // The row with the tab stop must exist even when it is out of view.
    const isAway = this.#total > 0 && (this.#active < first || this.#active >= end);
    const shown = isAway ? [this.#active, ...indexes].sort((a, b) => a - b) : indexes;
    const top = first * ROW + shift;
    const nameOf = this.#names.next(this.#drawn);
    return html`<div class="slice" role="presentation" ${elementStyle({ transform: `translateY(${top}px)` })}>${repeat(
      shown,
      // The row with the keyboard keeps its element wherever it goes.
      (index) => (index === this.#active ? "active" : nameOf(index)),
      (index) => this.#row(index, isAway && index === this.#active),
    )}</div>`;
  }

  #row(index: number, isAway: boolean) {
    const row = this.store.rowAt(index);
    const { selected, broken } = this.store.state();
    const brokenLine = broken.size === 0 ? undefined : row?.lines.find((line) => broken.has(line));
    const damage = brokenLine === undefined ? undefined : broken.get(brokenLine);
    const isSelected = row !== undefined && selected !== null && row.lines.includes(selected);
    const state = `${isSelected ? " selected" : ""}${damage === undefined ? "" : " broken"}${isAway ? " away" : ""}`;
    return html`<div
      class="row${state}"
      role="row"
      aria-rowindex=${index + 2}
      aria-selected=${isSelected}
      tabindex=${index === this.#active ? 0 : -1}
      data-index=${index}
      data-decision=${row === undefined ? "loading" : row.decision}
    >${guard([row, damage, this.words], () => rowCells(row, this.words, damage))}</div>`;
  }
}
