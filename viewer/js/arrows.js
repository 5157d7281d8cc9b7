/**
 * The rows of a diagram as they are drawn: some are left out, folded requests are unfolded, waits have their length.
 */
import { matches } from "#viewer/filter.js";

/** Height of a row in pixels. */
export const HEIGHT = 40;

/** All waits of a diagram together take no more than this, in pixels. */
const MOST_WAITING = 3000;

/** A wait of one second takes no more than this. */
const MOST_PER_SECOND = 60;

/** A wait that would be lower than this is not drawn. */
const LEAST_WAIT = 14;

/**
 * @param {object[]} rows of the document
 * @param {{exchanges: object[], filter: object, unfolded: Set<number>, isScaled: boolean}} options `exchanges`: the capture's
 *   rows by their number; `unfolded`: the first exchanges of the folded rows that are unfolded
 * @returns {object[]} rows, each with `wait` in milliseconds and `gap` in pixels before it, and `isContinued` where the
 *   redirect just before it led to it, with `reach` in pixels over what stands between the two
 */
export function drawnRows(rows, { exchanges, filter, unfolded, isScaled }) {
  const isShown = (exchange) => !exchanges[exchange] || matches(exchanges[exchange], filter);
  const drawn = [];
  let isKept = true;
  for (const row of rows) {
    if (row.type === "folded") {
      const kept = row.exchanges.filter(isShown);
      if (kept.length === 0) continue;
      drawn.push({ ...row, exchanges: kept, isOpen: unfolded.has(kept[0]) });
      if (unfolded.has(kept[0])) drawn.push(...kept.map((exchange) => ({ type: "background", exchange })));
    } else if (row.type === "finding") {
      // It stands below its message, or nowhere.
      if (isKept) drawn.push({ ...row });
    } else {
      isKept = isShown(row.exchange);
      if (isKept) drawn.push({ ...row });
    }
  }
  let [before, between] = [null, 0];
  for (const row of drawn) {
    if (row.type === "finding") {
      between += 1;
    } else {
      row.isContinued = row.type === "message" && row.form === "request" && before !== null && before.next === row.exchange;
      row.reach = between * HEIGHT;
      [before, between] = [row.type === "message" ? row : null, 0];
    }
  }
  return isScaled ? withWaits(drawn) : drawn;
}

function withWaits(rows) {
  let last = null;
  for (const row of rows) {
    if (row.type !== "message") continue;
    row.wait = last === null ? 0 : Math.max(0, row.at - last);
    last = Math.max(row.at, last ?? row.at);
  }
  const total = rows.reduce((sum, row) => sum + (row.wait ?? 0), 0) / 1000;
  const perSecond = total > 0 ? Math.min(MOST_PER_SECOND, MOST_WAITING / total) : 0;
  for (const row of rows) {
    const gap = ((row.wait ?? 0) / 1000) * perSecond;
    row.gap = gap < LEAST_WAIT ? 0 : gap;
  }
  return rows;
}

/** @returns {number} in pixels */
export function heightOf(row) {
  return HEIGHT + (row.gap ?? 0);
}

/** @returns {number} index of the first row that shows an exchange; -1 where none does */
export function indexOf(rows, exchange) {
  return rows.findIndex((row) => (row.type === "folded" ? !row.isOpen && row.exchanges.includes(exchange) : row.exchange === exchange));
}
