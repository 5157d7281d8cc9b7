import { element } from "#viewer/dom.js";
import { matches } from "#viewer/filter.js";
import { offset } from "#viewer/words.js";
import { WindowedList } from "#viewer/windowed.js";

/** Height of a row in pixels. */
const HEIGHT = 50;

/** What a row says where it is read aloud. */
export function spoken(row) {
  const kind = row.kinds.length > 0 ? `, ${row.kinds.join(" and ")}` : "";
  const finding = row.rules.length > 0 ? `, finding ${row.rules.join(" and ")}` : "";
  return `[${row.exchange}] ${row.method} ${row.host}${row.path}, ${answer(row)}${kind}${finding}`;
}

/** @returns {string} what came back, in a word or two */
export function answer({ status, broken }) {
  if (status === null) return "no answer";
  return broken ? `${status} broken off` : String(status);
}

/** All exchanges of a capture, in the order of the file. */
export class ExchangeList {
  /** @param {(row: object, isMeant: boolean) => void} choose */
  constructor(choose) {
    this.rows = [];
    this.list = new WindowedList({
      label: "Exchanges", name: "exchange",
      row: (index) => this.row(this.rows[index]),
      choose: (index, isMeant) => choose(this.rows[index], isMeant),
    });
    this.node = element("div", { class: "exchanges" }, this.list.node);
  }

  /**
   * @param {object[]} rows
   * @param {{capture: number, filter: object, exchange: number | null}} options
   */
  show(rows, { capture, filter, exchange }) {
    if (this.capture !== capture) this.list.node.scrollTop = 0;
    this.capture = capture;
    this.node.hidden = rows.length === 0;
    this.rows = rows.filter((row) => matches(row, filter));
    this.list.setRows(this.rows.length, () => HEIGHT);
    this.list.mark(exchange === null ? -1 : this.rows.findIndex((row) => row.exchange === exchange), JSON.stringify([capture, exchange, filter]));
  }

  row(row) {
    const failed = row.status === null || row.broken || row.status >= 400;
    return element(
      "div",
      { class: `row exchange${failed ? " failure" : ""}`, "aria-label": spoken(row) },
      element("span", { class: "number" }, `[${row.exchange}]`),
      element("span", { class: "at" }, offset(row.at)),
      element("span", { class: "method" }, row.method),
      element("span", { class: "address" }, `${row.host}${row.path}`),
      element("span", { class: "status" }, answer(row)),
      element("span", { class: "kinds" }, row.kinds.join(", ")),
      element("span", { class: "rules" }, row.rules.join(", ")),
    );
  }
}
