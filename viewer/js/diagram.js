import { element } from "#viewer/dom.js";
import { duration } from "#viewer/words.js";
import { WindowedList } from "#viewer/windowed.js";
import { Report } from "#viewer/report.js";

/** Height of a row in pixels. */
const HEIGHT = 40;

/** What a row is called where it is read aloud. */
export function spoken(row, lanes) {
  if (row.type === "folded") return folded(row);
  if (row.type === "finding") return `${row.primary ? "root cause" : "also"}: ${row.title}`;
  const end = row.failure ? ", failed" : "";
  return `${title(lanes[row.from])} to ${title(lanes[row.to])}: ${row.words}${end}`;
}

/** @returns {string} a lane by its role and its name */
export function title(lane) {
  return lane.name === lane.role ? lane.role : `${lane.role} (${lane.name})`;
}

function folded(row) {
  return row.exchanges.length === 1 ? "1 more request" : `${row.exchanges.length} more requests`;
}

/**
 * Of the places on a value's way the words that stand beside a row.
 *
 * @returns {string | null} where the value was made, or where it came by
 */
export function mark(row, link) {
  if (!link || row.type !== "message") return null;
  const isRequest = row.form === "request";
  const places = Report.placesByExchange(link).get(row.exchange) ?? [];
  const here = places.filter((place) => place.where.startsWith("request") === isRequest);
  if (here.length === 0) return null;
  if (here.includes(link.origin)) return `${link.name} is made`;
  return link.transform === "equal" ? `${here[0].name}` : `${here[0].name} (${link.transform})`;
}

/**
 * The messages of a flow as arrows between those who take part, time running down.
 */
export class Diagram {
  /**
   * @param {object} flow
   * @param {(exchange: number) => void} choose a message was chosen
   */
  constructor(flow, choose) {
    this.flow = flow;
    this.link = null;
    const { lanes, rows } = flow.diagram;
    this.list = new WindowedList({
      label: `Messages of ${flow.id}`, height: HEIGHT, count: rows.length,
      row: (index) => this.row(rows[index]),
      choose: (index) => {
        const row = rows[index];
        const exchange = row.type === "message" ? row.exchange : row.type === "folded" ? row.exchanges[0] : null;
        if (exchange !== null) choose(exchange);
      },
    });
    const heads = lanes.map((lane, index) =>
      element(
        "div",
        { class: `lane ${lane.role}`, style: { "--lane": index } },
        element("b", {}, title(lane)),
        lane.host ? element("span", { class: "host" }, lane.host) : null,
      ),
    );
    const lines = lanes.map((_, index) => element("div", { class: "line", style: { "--lane": index } }));
    this.node = element(
      "div",
      { class: "diagram", style: { "--lanes": lanes.length } },
      element("div", { class: "lanes", "aria-hidden": "true" }, ...heads),
      element("div", { class: "lines", "aria-hidden": "true" }, ...lines),
      this.list.node,
    );
  }

  row(row) {
    const { lanes } = this.flow.diagram;
    const words = spoken(row, lanes);
    if (row.type === "folded") return element("div", { class: "row folded", "aria-label": words }, element("span", {}, words));
    const [left, right] = [Math.min(row.from, row.to), Math.max(row.from, row.to)];
    const style = { "--left": left, "--right": right };
    if (row.type === "finding") {
      return element(
        "div",
        { class: `row finding${row.primary ? " primary" : ""}`, "aria-label": words, style },
        element("span", { class: "note" }, words),
      );
    }
    const passing = mark(row, this.link);
    const classes = ["row", "message", row.form, row.from < row.to ? "rightward" : row.from > row.to ? "leftward" : "self"];
    if (row.failure) classes.push("failure");
    if (passing) classes.push("way");
    return element(
      "div",
      { class: classes.join(" "), "aria-label": passing ? `${words}; ${passing}` : words, style },
      element("span", { class: "at" }, `+${duration(row.at / 1000)}`),
      element("span", { class: "words" }, row.words, passing ? element("mark", {}, passing) : null),
      element("span", { class: "arrow", "aria-hidden": "true" }),
    );
  }

  /** Marks the first row of an exchange. */
  show(exchange) {
    const { rows } = this.flow.diagram;
    const holds = (row) => (row.type === "message" ? row.exchange === exchange : row.type === "folded" && row.exchanges.includes(exchange));
    const chosen = rows[this.list.chosen];
    // An answer that was chosen stays it.
    this.list.mark(chosen && holds(chosen) ? this.list.chosen : rows.findIndex(holds));
  }

  /** Lights up a value's way, or none. */
  follow(link) {
    this.link = link;
    this.list.draw(true);
  }
}
