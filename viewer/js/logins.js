import { element } from "#viewer/dom.js";
import { isWrong } from "#viewer/report.js";

/** How a login ended, as the address has it, and what it is called in the list of choices. */
const ENDS = [["failure", "failed"], ["incomplete", "not finished"], ["cancelled", "cancelled"], ["success", "succeeded"], ["open", "still going on"]];

/** Stands before a rule's name, which could be that of an end else. */
const RULE = "rule:";

/** Lists of choices are cut: nobody scrolls through more. */
const MOST = 200;

function endOf(flow) {
  return flow.settled ? flow.outcome : "open";
}

/**
 * Whether a login is one of those that are asked for.
 *
 * @param {object} flow its line
 * @param {string | null} only `failure` and the other ends, `wrong` for a failure or more than a note, `rule:` with the name of
 *   its first finding; null for all
 * @returns {boolean}
 */
export function isListed(flow, only) {
  if (!only) return true;
  if (only === "wrong") return isWrong(flow);
  return only.startsWith(RULE) ? flow.first?.rule === only.slice(RULE.length) : endOf(flow) === only;
}

/**
 * What there is to choose from, each with how many logins it has; findings, the most frequent first.
 *
 * @param {object[]} flows
 * @returns {{ends: [string, string, number][], rules: [string, string, number][]}} as the address has it, its words, its count
 */
export function choices(flows) {
  const counted = (only) => flows.filter((flow) => isListed(flow, only)).length;
  const ends = ENDS.map(([end, words]) => [end, words, counted(end)]).filter(([, , count]) => count > 0);
  const [failed, wrong] = [counted("failure"), counted("wrong")];
  if (wrong > failed && wrong < flows.length) ends.unshift(["wrong", "with something wrong", wrong]);
  const counts = new Map();
  for (const { first } of flows) if (first) counts.set(first.rule, (counts.get(first.rule) ?? 0) + 1);
  const rules = [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).slice(0, MOST);
  return { ends, rules: rules.map(([rule, count]) => [RULE + rule, rule, count]) };
}

/**
 * Which logins are listed, to choose; nothing where all of them are alike.
 *
 * @param {object[]} flows
 * @param {string | null} only
 * @param {(only: string | null) => void} change
 * @returns {HTMLElement[]}
 */
export function loginFilter(flows, only, change) {
  const { ends, rules } = choices(flows);
  if (!only && [...ends, ...rules].every(([, , count]) => count === flows.length)) return [];
  const option = ([value, words, count]) => element("option", { value, selected: value === only }, `${words} (${count})`);
  const group = (label, known) => (known.length > 0 ? element("optgroup", { label }, ...known.map(option)) : null);
  // A link, or a recording that goes on, may ask for what is not there.
  const isKnown = !only || [...ends, ...rules].some(([value]) => value === only);
  return [
    element(
      "select",
      { "aria-label": "Logins that are listed", title: "F: only those that failed", on: { change: (event) => change(event.target.value || null) } },
      element("option", { value: "" }, `all logins (${flows.length})`),
      isKnown ? null : option([only, only.replace(RULE, ""), 0]),
      group("How they ended", ends),
      group("First finding", rules),
    ),
  ];
}
