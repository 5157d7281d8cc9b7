import { element, prose, specification } from "#viewer/dom.js";
import { difference } from "#viewer/mask.js";
import { placeID } from "#viewer/report.js";
import { valueOnScreen } from "#viewer/secret.js";

/**
 * Findings with their effects below them, as they are listed: causes first.
 *
 * @param {object[]} findings
 * @returns {{finding: object, effects: object[]}[]}
 */
export function grouped(findings) {
  const rules = new Set(findings.map((finding) => finding.rule));
  const isEffect = (finding) => finding.effect_of && !finding.effect_of_flow && rules.has(finding.effect_of);
  const causes = findings.filter((finding) => !isEffect(finding));
  return causes.map((finding) => ({ finding, effects: findings.filter((other) => isEffect(other) && other.effect_of === finding.rule && other !== finding) }));
}

/**
 * The two values that a finding sets against each other; null where it does not have exactly two that are alike.
 *
 * @returns {[object, object] | null}
 */
export function pair(finding) {
  const values = finding.evidence.filter((evidence) => evidence.exchange !== null && evidence.value.length >= 4);
  if (values.length !== 2 || values[0].value === values[1].value) return null;
  const { start, end } = difference(values[0].value, values[1].value);
  // Two of a kind, or what differs is everything.
  const longest = Math.max(values[0].value.length, values[1].value.length);
  return (start.length + end.length) * 2 >= longest ? [values[0], values[1]] : null;
}

/**
 * @param {object} head of the flow
 * @param {object[]} findings
 * @param {{go: (exchange: number, evidence: object) => void, veil: import("#viewer/veil.js").Veil, redraw: () => void}} options
 * @returns {HTMLElement}
 */
export function findingsPanel(head, findings, options) {
  if (!head.settled) return element("p", { class: "nothing" }, "It still goes on: what is wrong is told when it is certain.");
  if (findings.length === 0) {
    return head.outcome === "success"
      ? element("p", { class: "good" }, "Nothing wrong found: the login succeeded.")
      : element("p", {}, "Nothing wrong found in what was recorded, but the login did not finish.");
  }
  return element(
    "ol",
    { class: "findings" },
    ...grouped(findings).map(({ finding, effects }) =>
      element(
        "li",
        { class: finding.severity },
        ...body(finding, options),
        effects.length > 0
          ? element(
              "details",
              {},
              element("summary", {}, effects.length === 1 ? "1 effect of it" : `${effects.length} effects of it`),
              ...effects.map((effect) => element("div", { class: `effect ${effect.severity}` }, ...body(effect, options))),
            )
          : null,
      ),
    ),
  );
}

function body(finding, options) {
  const two = pair(finding);
  return [
    element("h3", {}, element("span", { class: "severity" }, finding.primary ? "root cause" : finding.severity), " ", ...prose(finding.title)),
    element("p", { class: "rule" }, finding.variant ? `${finding.rule} · ${finding.variant}` : finding.rule),
    finding.effect_of_flow ? element("p", { class: "rule" }, `effect of ${finding.effect_of} of ${finding.effect_of_flow}`) : null,
    element("p", {}, ...prose(finding.explanation)),
    element("ul", { class: "evidence" }, ...finding.evidence.map((evidence) => evidenceItem(evidence, two, options))),
    element("p", { class: "fix" }, element("b", {}, "Fix: "), ...prose(finding.fix)),
    element("p", { class: "sources" }, ...finding.sources.flatMap((source, index) => (index > 0 ? [", ", specification(source)] : [specification(source)]))),
  ];
}

function evidenceItem(evidence, two, { go, veil, redraw }) {
  const place = evidence.exchange === null ? evidence.name : `${evidence.where} ${evidence.name}`;
  return element(
    "li",
    {},
    evidence.exchange === null
      ? element("span", { class: "place" }, `computed: ${place}`)
      : element("button", { class: "place", type: "button", on: { click: () => go(evidence.exchange, evidence) } }, `[${evidence.exchange}] ${place}`),
    valueOnScreen(
      evidence.value,
      { isSecret: Boolean(evidence.secret) && (veil.isPresenting || !evidence.shortened), place: placeID(evidence), name: evidence.name, veil, redraw },
      () => written(evidence, two),
    ),
    evidence.note ? element("span", { class: "note" }, note(evidence, veil.shows(placeID(evidence)))) : null,
  );
}

/**
 * What is said of a value: without what is quoted of it while it is masked.
 *
 * @param {{note: string, fullNote?: string}} item
 * @param {boolean} isShown whether the value stands there
 */
export function note(item, isShown) {
  return isShown ? (item.fullNote ?? item.note) : item.note;
}

/** The value, with the characters marked in which the two of them differ. */
function written(evidence, two) {
  if (!two || !two.includes(evidence)) return [evidence.value];
  const { start, one, other, end } = difference(two[0].value, two[1].value);
  const own = evidence === two[0] ? one : other;
  return [start, element("mark", {}, own === "" ? "∅" : own), end];
}
