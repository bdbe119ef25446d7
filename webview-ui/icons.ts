/** The page's pictures, drawn in the colour of the text around them. */
import { html, type SVGTemplateResult, svg } from "lit";

const PATHS: Readonly<Record<string, SVGTemplateResult>> = {
  allow: svg`<path d="M3 8.6 6.4 12 13 4.6" />`,
  rewrite: svg`<path d="M2.5 12.8 3.2 10 10.6 2.6a1.2 1.2 0 0 1 1.7 0l1.1 1.1a1.2 1.2 0 0 1 0 1.7L6 12.8l-3.5.7zM9.4 3.9l2.7 2.7" />`,
  denied: svg`<circle cx="8" cy="8" r="5.7" /><path d="M4 12 12 4" />`,
  asks_user: svg`<path d="M5.2 5.9a2.8 2.8 0 1 1 4.3 2.4C8.5 9 8 9.5 8 10.6" /><path d="M8 13.200v.1" />`,
  log_only: svg`<path d="M1.5 8S4 3.7 8 3.7 14.5 8 14.5 8 12 12.3 8 12.3 1.5 8 1.5 8z" /><circle cx="8" cy="8" r="1.8" />`,
  unseen: svg`<path d="M1.5 8S4 3.7 8 3.7 14.5 8 14.5 8 12 12.3 8 12.3 1.5 8 1.5 8zM2.500 13.500l11-11" />`,
  error: svg`<path d="M8 2 14.6 13.600H1.400z" /><path d="M8 6.400v3.400M8 11.700v.1" />`,
  damaged: svg`<path d="M6.5 4.5 5 3a2.5 2.5 0 0 0-3.5 3.500L3 8M9.5 11.5 11 13a2.5 2.5 0 0 0 3.5-3.500L13 8M10.5 2v2.500M14 5.500h-2.500M5.5 14v-2.500M2 10.500h2.5" />`,
  event: svg`<circle cx="8" cy="8" r="1.5" />`,
  person: svg`<circle cx="8" cy="5.2" r="2.6" /><path d="M2.8 14c.4-3 2.4-4.6 5.2-4.600s4.8 1.6 5.2 4.6" />`,
  search: svg`<circle cx="7" cy="7" r="4.5" /><path d="m10.5 10.5 3.5 3.5" />`,
  close: svg`<path d="m4 4 8 8M12 4l-8 8" />`,
  seal: svg`<path d="M8 1.5 13.5 3.600v4c0 3.4-2.2 5.7-5.5 6.900C4.7 13.3 2.5 11 2.5 7.600v-4z" /><path d="m5.4 7.9 1.9 1.9 3.4-3.7" />`,
  output: svg`<path d="M2.5 3.500h11v9h-11zM5 6.300l1.8 1.700L5 9.700M8.5 10H11" />`,
  filter: svg`<path d="M2 4h12M4.500 8h7M7 12h2" />`,
  export: svg`<path d="M8 10V2.500M5 5.200l3-3 3 3M3 9.500v4h10v-4" />`,
  up: svg`<path d="M8 13V3.500M4 7.300l4-4 4 4" />`,
  copy: svg`<path d="M5.5 5.500h8v8h-8zM10.5 5.500v-3h-8v8h3" />`,
  warning: svg`<path d="M8 2 14.6 13.600H1.400z" /><path d="M8 6.400v3.400M8 11.700v.1" />`,
  info: svg`<circle cx="8" cy="8" r="5.9" /><path d="M8 7.300v3.900M8 4.800v.1" />`,
};

/** A picture of 16 by 16; it says nothing to a screen reader, the word beside it does. */
export function icon(name: string) {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">${
    PATHS[name] ?? PATHS.event
  }</svg>`;
}
