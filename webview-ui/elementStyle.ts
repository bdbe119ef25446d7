/** Sets styles through the object model: the page's policy forbids style attributes, which lit's own directive writes at first. */
import { nothing } from "lit";
import { Directive, directive, type ElementPart } from "lit/directive.js";

class ElementStyle extends Directive {
  render(_styles: Readonly<Record<string, string>>) {
    return nothing;
  }

  override update({ element }: ElementPart, [styles]: [Readonly<Record<string, string>>]) {
    if (element instanceof HTMLElement) {
      for (const [name, value] of Object.entries(styles)) {
        if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
      }
    }
    return nothing;
  }
}

/** `<div ${elementStyle({ height: "3px" })}>` */
export const elementStyle = directive(ElementStyle);
