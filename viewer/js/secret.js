import { element } from "#viewer/dom.js";
import { mask } from "#viewer/mask.js";

/**
 * A value on the screen: masked where it is secret, and then a button that shows this one.
 *
 * @param {string} value
 * @param {{isSecret: boolean, place: string, name: string, veil: import("#viewer/veil.js").Veil, redraw: () => void, cover?: string | null}}
 *   options `place`: unique in what is looked at; `name`: of the value, for those who hear it; `cover`: what stands on the button
 *   in the place of a mask
 * @param {() => (Node | string)[]} written what stands there where it is shown
 * @returns {HTMLElement}
 */
export function valueOnScreen(value, { isSecret, place, name, veil, redraw, cover = null }, written = () => [value]) {
  if (!isSecret || veil.shows(place)) return element("code", {}, ...edged(written()));
  if (veil.isPresenting) return element("code", { class: "masked" }, mask(value));
  return element(
    "button",
    {
      type: "button", class: "masked", "aria-label": `Show ${name}`, title: `Show these ${[...value].length} characters`,
      on: {
        click: () => {
          veil.lift(place);
          redraw();
        },
      },
    },
    cover ?? mask(value),
  );
}

/** Blanks at the ends of a value, which nobody would see. */
export function edged(parts) {
  const [only] = parts;
  if (parts.length > 1 || typeof only !== "string") return parts;
  return [only.replace(/^ +| +$/g, (blanks) => "\\u{20}".repeat(blanks.length))];
}
