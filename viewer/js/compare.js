import { element } from "#viewer/dom.js";
import { note } from "#viewer/findings.js";
import { difference } from "#viewer/mask.js";
import { valueOnScreen } from "#viewer/secret.js";
import { shortNames } from "#viewer/words.js";

/** What the two sides are called, above their columns or before each value. */
const SIDES = ["How it ought to be", "Compared with it"];

/** Of a longer comparison only the beginning is drawn. */
const MOST = 500;

/** Of more flows nobody chooses from a list; the address takes any. */
const MOST_CHOICES = 500;

/** @returns {string} a side as it stands in an address: `0/flow-1` */
export function sideText(side) {
  return `${side.capture}/${side.flow}`;
}

/**
 * The flows that can be compared, with their names.
 *
 * @param {object[]} captures
 * @returns {{text: string, name: string}[]}
 */
export function sides(captures) {
  const names = shortNames(captures.map(({ name }) => name));
  return captures
    .flatMap((capture, index) => capture.flows.map((flow) => ({ text: `${index}/${flow.id}`, name: `${captures.length > 1 ? `${names[index]} ` : ""}${flow.id} · ${flow.outcome}` })))
    .slice(0, MOST_CHOICES);
}

/**
 * What is compared where nothing is chosen: the flow that is looked at with one that worked, else with its neighbour.
 *
 * @param {object[]} captures
 * @param {{capture: number, flow: string}} looked
 * @returns {[string, string] | null} the one that is expected, and the other
 */
export function proposal(captures, looked) {
  const all = captures.flatMap((capture, index) => capture.flows.map((flow) => ({ text: `${index}/${flow.id}`, flow })));
  const own = all.find((item) => item.text === sideText(looked)) ?? all.at(-1);
  const others = all.filter((item) => item !== own);
  if (!own || others.length === 0) return null;
  const isLike = (item) => item.flow.client_id === own.flow.client_id;
  const worked = others.filter((item) => item.flow.outcome === "success");
  const other = worked.find(isLike) ?? others.find(isLike) ?? worked[0] ?? others[0];
  // What worked, and what came first, is how it ought to be.
  const isFirst = own.flow.outcome === "success" && other.flow.outcome !== "success" ? true : other.flow.outcome === own.flow.outcome && all.indexOf(own) < all.indexOf(other);
  return isFirst ? [own.text, other.text] : [other.text, own.text];
}

/**
 * Of the only pairs that can be compared the one that is proposed, else one with the login that is looked at.
 *
 * @param {{expected: object, seen: object}[] | null} pairs null where all can be
 * @param {[string, string] | null} proposed
 * @param {{capture: number, flow: string}} looked
 * @returns {[string, string] | null}
 */
export function possible(pairs, proposed, looked) {
  const texts = (pairs ?? []).map(({ expected, seen }) => [sideText(expected), sideText(seen)]);
  const isProposed = ([a, b]) => a === proposed?.[0] && b === proposed[1];
  return texts.find(isProposed) ?? texts.find((pair) => pair.includes(sideText(looked))) ?? proposed;
}

/** @returns {string} what a pair of steps is: in both and the same, in both and not, in one only */
export function state(step) {
  const [expected, seen] = step.exchanges;
  if (seen === null) return "missing";
  if (expected === null) return "added";
  return step.same ? "same" : "differs";
}

/**
 * @param {number} logins
 * @returns {string} why nothing can be compared
 */
export function lack(logins) {
  return `There is ${logins === 0 ? "no login here" : "only one login here"}. authreel view ONE.har OTHER.har shows two captures side by side.`;
}

const SIGNS = { same: "=", differs: "≠", missing: "−", added: "+" };

/**
 * @param {object[]} captures
 * @param {{a: string | null, b: string | null, pairs: object[] | null}} chosen `pairs`: the only ones that can be compared
 * @param {object | null} comparison
 * @param {{choose: (a: string, b: string) => void, go: (capture: number, flow: string, exchange: number) => void,
 *   veil: import("#viewer/veil.js").Veil, redraw: () => void}} options
 * @returns {HTMLElement}
 */
export function comparePanel(captures, { a, b, pairs }, comparison, options) {
  const known = sides(captures);
  const select = (label, value, change) =>
    element(
      "label",
      {},
      element("span", {}, label),
      element("select", { on: { change: (event) => change(event.target.value) } }, ...known.map(({ text, name }) => element("option", { value: text, selected: text === value }, name))),
    );
  const isPossible = known.length > 1;
  return element(
    "div",
    { class: "compare" },
    element("h2", {}, "Two logins side by side"),
    isPossible
      ? element(
          "form",
          { class: "filters", "aria-label": "What is compared", on: { submit: (event) => event.preventDefault() } },
          select(SIDES[0], a, (value) => options.choose(value, b)),
          select(SIDES[1], b, (value) => options.choose(a, value)),
          element("button", { type: "button", on: { click: () => options.choose(b, a) } }, "Swap"),
        )
      : element("p", { class: "nothing" }, lack(known.length)),
    comparison && isOfTwoClients(captures, comparison) ? element("p", {}, "The two are of different clients or providers: much of what differs is to be expected.") : null,
    comparison ? result(comparison, options) : isPossible ? element("p", { class: "nothing" }, missing(pairs)) : null,
  );
}

function isOfTwoClients(captures, { expected, seen }) {
  const [one, other] = [expected, seen].map((side) => captures[side.capture]?.flows.find((flow) => flow.id === side.flow));
  const differ = (name) => Boolean(one?.[name] && other?.[name] && one[name] !== other[name]);
  return differ("client_id") || differ("issuer");
}

function missing(pairs) {
  return pairs === null
    ? "Choose two different logins."
    : `This page holds ${pairs.length} comparison${pairs.length === 1 ? "" : "s"}, and this is none of them: authreel view compares any two.`;
}

function result(comparison, options) {
  const steps = comparison.steps.slice(0, MOST);
  return element(
    "div",
    {},
    element("p", { class: comparison.same ? "good" : "headline" }, comparison.same ? "The two are the same; what every login has anew is left aside." : comparison.headline),
    element(
      "table",
      { class: "steps" },
      element("thead", {}, element("tr", {}, ...["", "Step", ...SIDES].map((title) => element("th", { scope: "col" }, title || element("span", { class: "unseen" }, "Same or not"))))),
      element("tbody", {}, ...steps.flatMap((step) => rows(step, comparison, options))),
    ),
    comparison.steps.length > MOST ? element("p", { class: "nothing" }, `Only the first ${MOST} steps are shown.`) : null,
    comparison.overall.length > 0
      ? element("section", {}, element("h3", {}, "The logins as a whole"), element("ul", {}, ...comparison.overall.map((item) => element("li", { class: item.weight }, ...words(item, `overall/${comparison.overall.indexOf(item)}`, options)))))
      : null,
  );
}

function rows(step, comparison, options) {
  const { go } = options;
  const mark = state(step);
  const cell = (index, side) => {
    const exchange = step.exchanges[index];
    const attributes = { "data-side": SIDES[index] };
    if (exchange === null) return element("td", { ...attributes, class: "nothing" }, "not there");
    return element(
      "td",
      attributes,
      element("button", { type: "button", on: { click: () => go(side.capture, side.flow, exchange) } }, `[${exchange}] ${step.statuses[index] ?? "no answer"}`),
    );
  };
  return [
    element(
      "tr",
      { class: mark },
      element("td", { class: "sign" }, element("span", { "aria-hidden": "true" }, SIGNS[mark]), element("span", { class: "unseen" }, mark)),
      element("th", { scope: "row" }, step.words),
      cell(0, comparison.expected),
      cell(1, comparison.seen),
    ),
    ...step.differences.map((item, index) =>
      element(
        "tr",
        { class: `detail ${item.weight}` },
        element("td", {}),
        element("th", { scope: "row" }, label(item), element("span", { class: "note" }, told(item, rowPlace(step, index), options))),
        ...values(item, rowPlace(step, index), options).map((value, side) => element("td", { "data-side": SIDES[side] }, value)),
      ),
    ),
  ];
}

/** @returns {string} what of a step, or of the logins as a whole, differs */
export function label(item) {
  if (item.aspect === "step") return "the step";
  const name = [item.place?.token, item.name].filter(Boolean).join(" ");
  if (item.aspect) return name ? `${name} (${item.aspect})` : item.aspect;
  return name || (item.place?.where === "request.url" ? "the address" : "the answer");
}

function rowPlace(step, index) {
  return `${step.exchanges.join("-")}/${index}`;
}

function valuePlace(place, index) {
  return `compare/${place}/${index}`;
}

/** The note of both values: whole where both stand there. */
function told(item, place, { veil }) {
  return note(item, [item.expected, item.seen].every((value, index) => value === null || veil.shows(valuePlace(place, index))));
}

/** Both values, with the characters marked in which they differ; masked where they are secret. */
function values(item, place, { veil, redraw }) {
  const both = [item.expected, item.seen];
  const { start, one, other, end } = difference(item.expected ?? "", item.seen ?? "");
  const isAlike = start.length + end.length >= 4;
  return both.map((value, index) => {
    if (value === null) return element("span", { class: "nothing" }, "–");
    const own = [one, other][index];
    const options = { isSecret: Boolean(item.secret), place: valuePlace(place, index), name: item.name, veil, redraw };
    return valueOnScreen(value, options, () => (isAlike ? [start, element("mark", {}, own === "" ? "∅" : own), end] : [value]));
  });
}

function words(item, place, options) {
  return [`${label(item)}: ${told(item, place, options)} `, ...values(item, place, options).flatMap((value, index) => (index > 0 ? [" → ", value] : [value]))];
}
