/** The audit panel's page: connects the store to the host and puts the elements up. */
import "./panel.css";
import { AppElement } from "./appElement";
import { ChartElement } from "./chartElement";
import { DetailsElement } from "./detailsElement";
import { GridElement } from "./gridElement";
import { connectHost } from "./host";
import { NoticesElement } from "./noticesElement";
import { createStore } from "./store";
import { ToolbarElement } from "./toolbarElement";

customElements.define("cs-toolbar", ToolbarElement);
customElements.define("cs-notices", NoticesElement);
customElements.define("cs-chart", ChartElement);
customElements.define("cs-grid", GridElement);
customElements.define("cs-details", DetailsElement);
customElements.define("cs-app", AppElement);

const app = document.querySelector("cs-app");
if (app instanceof AppElement) app.connect(createStore(connectHost()));
