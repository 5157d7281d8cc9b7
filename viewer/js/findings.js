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

/** Of so many values of a finding two that are alike are looked for. */
const MOST = 12;

/**
 * The two values that a finding sets against each other; null where it does not have exactly two that are alike.
 *
 * @param {object} finding
 * @param {(evidence: object) => string} [text] a value as it stands on the screen
 * @returns {[string, string] | null}
 */
export function pair(finding, text = (evidence) => evidence.value) {
  const all = finding.evidence.filter((evidence) => evidence.exchange !== null).map(text).filter((value) => value.length >= 4);
  const values = [...new Set(all)].slice(0, MOST);
  const pairs = values.flatMap((one, index) => values.slice(index + 1).filter((other) => areAlike(one, other)).map((other) => [one, other]));
  return pairs.length === 1 ? pairs[0] : null;
}

/** Two of a kind: what differs is not everything. */
function areAlike(one, other) {
  const { start, end } = difference(one, other);
  return (start.length + end.length) * 2 >= Math.max(one.length, other.length);
}

/** The value of evidence as it stands on the screen: the rules cut secrets, until they are shown. */
function valueOf(evidence, veil) {
  return veil.shows(placeID(evidence)) ? (evidence.full ?? evidence.value) : evidence.value;
}

/**
 * @param {object} head of the flow
 * @param {object[]} findings
 * @param {object} options
 * @param {(exchange: number, evidence: object) => void} options.go
 * @param {import("#viewer/veil.js").Veil} options.veil
 * @param {() => void} options.redraw
 * @param {{words: string, flow: string, exchange: number} | null} [options.later] the login that went well, where its user tried again
 * @param {(flow: string, exchange: number) => void} [options.visit] that login is to be looked at
 * @returns {HTMLElement}
 */
export function findingsPanel(head, findings, options) {
  if (!head.settled) return element("p", { class: "nothing" }, head.lead ? sentence(head.lead) : "It still goes on: what is wrong is told when it is certain.");
  if (findings.length === 0 && head.outcome === "success") return element("p", { class: "good" }, "Nothing wrong found: the login succeeded.");
  const lead = head.lead ? element("p", {}, sentence(head.lead)) : null;
  const later = options.later ? laterLogin(options.later, options.visit) : null;
  if (findings.length === 0) return later ? element("div", {}, lead, later) : lead;
  const list = element(
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
  return lead || later ? element("div", {}, lead, list, later) : list;
}

function laterLogin({ words, flow, exchange }, visit) {
  const place = element("button", { class: "place", type: "button", on: { click: () => visit(flow, exchange) } }, `[${exchange}]`);
  return element("p", { class: "later" }, `${words}: ${flow}, at `, place, ".");
}

/** What a terminal says in lower case, without a full stop. */
export function sentence(words) {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${words.endsWith(":") ? "" : "."}`;
}

function body(finding, options) {
  const two = pair(finding, (evidence) => valueOf(evidence, options.veil));
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
      evidence.full ?? evidence.value,
      {
        isSecret: Boolean(evidence.secret) && (veil.isPresenting || !evidence.shortened || Boolean(evidence.full)),
        place: placeID(evidence), name: evidence.name, veil, redraw, cover: evidence.shortened ? evidence.value : null,
      },
      () => written(valueOf(evidence, veil), two),
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
function written(value, two) {
  if (!two?.includes(value)) return [value];
  const { start, one, other, end } = difference(two[0], two[1]);
  const own = value === two[0] ? one : other;
  return [start, element("mark", {}, own === "" ? "∅" : own), end];
}
