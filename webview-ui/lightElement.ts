/** A Lit element that draws into the page itself, so that one style sheet and one accessibility tree hold for all. */
import { LitElement } from "lit";
import type { Words } from "./format";
import type { PanelStore } from "./storeState";

export class LightElement extends LitElement {
  static override properties: Record<string, object> = {
    store: { attribute: false },
    words: { attribute: false },
    tick: { attribute: false },
  };

  declare store: PanelStore;
  declare words: Words;
  /** Changes whenever the store did. */
  declare tick: number;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
