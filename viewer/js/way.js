import { element, headed } from "#viewer/dom.js";
import { difference } from "#viewer/mask.js";
import { placeID, samePlace } from "#viewer/report.js";
import { valueOnScreen } from "#viewer/secret.js";

/** How a value looks on its way, in words. */
const TRANSFORMS = {
  equal: "as it was made", percent: "percent-encoded once more", base64url: "in base64url", s256: "as BASE64URL(SHA-256(…))",
  at_hash: "as the left half of its hash", c_hash: "as the left half of its hash", part: "as a part of a longer value",
  malformed_challenge: "as a hash that is made wrongly",
};

/** Those by which it is not any more what it was. */
const CHANGES = new Set(["malformed_challenge", "percent"]);

/**
 * What became of a value at one of the places it travelled to.
 *
 * @param {object} link
 * @param {object} use one of its places
 * @returns {{words: string, isChanged: boolean}}
 */
export function becoming(link, use) {
  if (use === link.origin) return { words: "made here", isChanged: false };
  const transform = use.transform ?? link.transform;
  if (transform !== "equal") return { words: TRANSFORMS[transform] ?? transform, isChanged: CHANGES.has(transform) };
  if (use.value !== link.origin.value) return { words: "changed on its way", isChanged: true };
  return { words: use.raw ? `the same, sent as ${use.raw}` : "the same", isChanged: false };
}

/**
 * The way of a value: each place with what stands there, and the findings that speak of one of them.
 *
 * @param {object} link
 * @param {object[]} findings of its flow
 * @param {{go: (exchange: number, place: object) => void, leave: () => void, veil: import("#viewer/veil.js").Veil, redraw: () => void}} options
 * @returns {HTMLElement}
 */
export function wayPanel(link, findings, { go, leave, veil, redraw }) {
  const places = [link.origin, ...link.uses];
  const concerned = findings.filter((finding) => finding.evidence.some((evidence) => places.some((place) => samePlace(place, evidence))));
  return element(
    "section",
    { class: "way-panel", "aria-label": `The way of ${link.name}` },
    headed(`The way of ${link.name}`, element("button", { type: "button", on: { click: leave } }, "Stop following (Esc)")),
    element(
      "ol",
      {},
      ...places.map((place) => {
        const { words, isChanged } = becoming(link, place);
        const told = place !== link.origin && place.raw && place.secret && !veil.shows(placeID(place)) ? "the same, sent in another encoding" : words;
        return element(
          "li",
          { class: isChanged ? "changed" : null },
          place.exchange === null
            ? element("span", { class: "place" }, `${place.where} ${place.name}`)
            : element("button", { type: "button", class: "place", on: { click: () => go(place.exchange, place) } }, `[${place.exchange}] ${place.where} ${place.name}`),
          " ",
          element("span", { class: "note" }, told),
          valueOnScreen(place.value, { isSecret: Boolean(place.secret), place: placeID(place), name: place.name, veil, redraw }, () => compared(link, place)),
        );
      }),
    ),
    ...concerned.map((finding) => element("p", { class: `concerned ${finding.severity}` }, `${finding.primary ? "Root cause" : "Finding"} about it: ${finding.title}`)),
  );
}

function compared(link, place) {
  if (place === link.origin || (place.transform ?? link.transform) !== "equal" || place.value === link.origin.value) return [place.value];
  const { start, other, end } = difference(link.origin.value, place.value);
  return [start, element("mark", {}, other === "" ? "∅" : other), end];
}
