import { element } from "#viewer/dom.js";

/**
 * Which cookies a request carried and which it left out, each with the reason.
 *
 * @param {{name: string, sent: boolean, set: number | null, attributes: string, why: string}[]} cookies
 * @param {{go: (exchange: number) => void}} options
 * @returns {HTMLElement | null}
 */
export function cookiesPanel(cookies, { go }) {
  if (cookies.length === 0) return null;
  return element(
    "section",
    { class: "cookies" },
    element("h3", {}, "Cookies"),
    element(
      "ul",
      {},
      ...cookies.map((cookie) =>
        element(
          "li",
          { class: cookie.sent ? "sent" : "withheld" },
          element("b", {}, cookie.sent ? "sent " : "withheld "),
          element("code", {}, cookie.name),
          ` ${cookie.why} `,
          cookie.set === null ? null : element("button", { type: "button", "aria-label": `Where ${cookie.name} was set`, on: { click: () => go(cookie.set) } }, `[${cookie.set}]`),
          cookie.attributes ? element("span", { class: "raw" }, cookie.attributes) : null,
        ),
      ),
    ),
  );
}
