import { element } from "#viewer/dom.js";

/** What exchanges are filtered by: the name of the filter, what it is called, and what of an exchange it looks at. */
const FILTERS = [
  ["who", "Participant", (row) => row.who],
  ["kind", "Kind", (row) => (row.kinds.length > 0 ? row.kinds : ["other"])],
  ["host", "Host", (row) => [row.host]],
  ["rule", "Finding", (row) => row.rules],
];

/** Nothing is left out. */
export const NONE = Object.fromEntries(FILTERS.map(([name]) => [name, null]));

/** Lists of choices are cut: nobody scrolls through more, and a page of advertising has hundreds of hosts. */
const MOST = 200;

/**
 * @typedef {{who?: string, kind?: string, host?: string, rule?: string}} Filter
 */

/**
 * @param {object} row of an exchange
 * @param {Filter} filter
 * @returns {boolean}
 */
export function matches(row, filter) {
  return FILTERS.every(([name, , values]) => !filter[name] || values(row).includes(filter[name]));
}

/** @returns {boolean} whether anything is left out */
export function isActive(filter) {
  return FILTERS.some(([name]) => Boolean(filter[name]));
}

/**
 * What can be chosen, each with how many exchanges have it, the most frequent first; what is chosen already is among them, with
 * none as well.
 *
 * @param {object[]} rows
 * @param {Filter} [filter]
 * @returns {Map<string, [string, number][]>} by filter
 */
export function choices(rows, filter = NONE) {
  return new Map(
    FILTERS.map(([name, , values]) => {
      const counts = new Map();
      for (const row of rows) {
        for (const value of new Set(values(row))) counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      const listed = [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).slice(0, MOST);
      const chosen = filter[name];
      if (chosen && !listed.some(([value]) => value === chosen)) listed.push([chosen, counts.get(chosen) ?? 0]);
      return [name, listed];
    }),
  );
}

/**
 * A choice for each filter, folded away; one with nothing to choose from is left out.
 *
 * @param {object[]} rows
 * @param {Filter} filter
 * @param {(filter: Filter) => void} change
 * @returns {HTMLElement[]} what stands in a tool bar
 */
export function filterBar(rows, filter, change) {
  const known = choices(rows, filter);
  const shown = rows.filter((row) => matches(row, filter)).length;
  const offered = FILTERS.filter(([name]) => known.get(name).length > (name === "rule" ? 0 : 1) || filter[name]);
  if (offered.length === 0) return [];
  return [
    element(
      "details",
      { class: "filters" },
      element("summary", {}, "Filter"),
      ...offered.map(([name, title]) =>
        element(
          "label",
          {},
          element("span", {}, title),
          element(
            "select",
            { on: { change: (event) => change({ ...filter, [name]: event.target.value || null }) } },
            element("option", { value: "" }, "all"),
            ...known.get(name).map(([value, count]) => element("option", { value, selected: filter[name] === value }, `${value} (${count})`)),
          ),
        ),
      ),
    ),
    ...(isActive(filter)
      ? [
          element("span", { class: "count" }, `${shown} of ${rows.length} shown`),
          element("button", { type: "button", on: { click: () => change(NONE) } }, "Show all"),
        ]
      : []),
  ];
}
