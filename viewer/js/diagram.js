import { drawnRows, heightOf, indexOf } from "#viewer/arrows.js";
import { element, prose } from "#viewer/dom.js";
import { answer } from "#viewer/exchanges.js";
import { Report } from "#viewer/report.js";
import { duration, offset } from "#viewer/words.js";
import { WindowedList } from "#viewer/windowed.js";

/** How wide a character of a message's words is, as a part of the height of the letters. */
const CHARACTER = 0.547;
/** From here on a time is longer than the room that words leave it, in milliseconds. */
const LATE = 600_000;
/** How wide a character of a time is, and what stands beside it, as parts of the height of the letters. */
const [DIGIT, MARGIN] = [0.44, 0.8];

/** What a row is called where it is read aloud. */
export function spoken(row, lanes) {
  if (row.type === "folded") return `${folded(row)}, ${row.isOpen ? "shown" : "folded"}`;
  if (row.type === "finding") return `${row.primary ? "root cause" : "also"}: ${row.title}`;
  const end = row.failure ? ", failed" : "";
  const wait = row.gap > 0 ? `after ${duration(row.wait / 1000)}: ` : "";
  const [from, to] = [row.from, row.to].map((index) => (isAlone(lanes[index], lanes) ? title(lanes[index]) : whole(lanes[index])));
  return `${wait}${from} to ${to}: ${row.words}${end}`;
}

/** Whether no other lane has the same title: a provider may have several hosts. */
function isAlone(lane, lanes) {
  return lanes.every((other) => other === lane || title(other) !== title(lane));
}

/** @returns {string} a lane by its title and its host, of which its head may have room for a part */
export function whole(lane) {
  return lane.host ? `${title(lane)} at ${lane.host}` : title(lane);
}

/** @returns {string} a lane by its role and its name */
export function title(lane) {
  return lane.name === lane.role ? lane.role : `${lane.role} (${lane.name})`;
}

/**
 * How far the lanes stand aside so that the longest time has room beside the first of them.
 *
 * @param {{width: number, lanes: number, length: number, letters: number}} drawing how wide it is and how high its letters are,
 *   in pixels; `length` of the longest time in characters
 * @returns {number} in pixels
 */
export function indent({ width, lanes, length, letters }) {
  if (width === 0 || lanes === 0) return 0;
  // Half of a lane is there already; what is given to the margin is taken from all lanes.
  const half = 1 / (2 * lanes);
  return Math.max(0, Math.ceil(((length * DIGIT + MARGIN) * letters - width * half) / (1 - half)));
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
  const transform = here[0].transform ?? link.transform;
  return transform === "equal" ? here[0].name : `${here[0].name} (${transform === "malformed_challenge" ? "made wrongly" : transform})`;
}

/**
 * The messages of a flow as arrows between those who take part, time running down.
 */
export class Diagram {
  /**
   * @param {(exchange: number, isMeant: boolean) => void} choose a message was chosen, or passed on the way through the list
   */
  constructor(choose) {
    this.choose = choose;
    this.unfolded = new Set();
    this.rows = [];
    this.list = new WindowedList({
      label: "Messages", name: "row",
      row: (index) => this.row(this.rows[index]),
      choose: (index, isMeant) => this.chosen(this.rows[index], isMeant),
    });
    this.heads = element("div", { class: "lanes", "aria-hidden": "true" });
    this.lines = element("div", { class: "lines", "aria-hidden": "true" });
    const scrolled = () => this.node.style.setProperty("--scrolled", `${this.node.scrollLeft}px`);
    this.node = element("div", { class: "diagram", on: { scroll: scrolled } }, this.heads, this.lines, this.list.node);
  }

  /**
   * @param {object} flow
   * @param {{capture: number, exchanges: object[], filter: object, isScaled: boolean, link: object | null, exchange: number | null}}
   *   options `capture`: where the flow is from, as each has a `flow-1`
   */
  show(flow, options) {
    const isNew = this.flow?.id !== flow.id || this.options.capture !== options.capture;
    if (isNew) {
      this.unfolded.clear();
      this.rowsBefore = undefined;
      this.list.node.scrollTop = 0;
    }
    this.flow = flow;
    this.options = options;
    const { lanes } = flow.diagram;
    this.list.node.setAttribute("aria-label", `Messages of ${flow.id}`);
    this.node.style.setProperty("--lanes", lanes.length);
    this.heads.replaceChildren(
      ...lanes.map((lane, index) =>
        element(
          "div",
          { class: `lane ${lane.role}${lane.inner ? " inner" : ""}`, title: whole(lane), style: { "--lane": index } },
          element("b", {}, lane.inner ? `upstream ${lane.role}` : lane.broker ? "broker" : lane.role),
          lane.broker || lane.name !== lane.role ? element("span", { class: "name" }, ` (${lane.name})`) : null,
          lane.host ? element("span", { class: "host" }, lane.host) : null,
        ),
      ),
    );
    this.lines.replaceChildren(...lanes.map((lane, index) => element("div", { class: lane.inner ? "line inner" : "line", style: { "--lane": index } })));
    this.compose(isNew);
  }

  compose(isNew = false) {
    const { exchanges, filter, isScaled, exchange } = this.options;
    this.rows = drawnRows(this.flow.diagram.rows, { exchanges, filter, isScaled, unfolded: this.unfolded });
    const chosen = this.list.chosen;
    const passed = this.rowsBefore?.[chosen];
    const [width, lanes] = [this.list.node.clientWidth, this.flow.diagram.lanes.length];
    const length = this.rows.reduce((most, { at }) => (at === undefined ? most : Math.max(most, offset(at).length)), 0);
    this.letters = parseFloat(getComputedStyle(this.node).fontSize);
    const aside = indent({ width, lanes, length, letters: this.letters });
    this.node.style.setProperty("--indent", `${aside}px`);
    this.width = (width - aside) / lanes;
    this.list.setRows(this.rows.length, (index) => heightOf(this.rows[index]));
    // Lanes and rows are as wide as each other beside the list's own scroll bar.
    this.node.style.setProperty("--bar", `${this.list.node.offsetWidth - this.list.node.clientWidth}px`);
    // An answer that was chosen stays it, and so does what is no message.
    const isPassed = passed !== undefined && passed.exchange === undefined && this.rows[chosen]?.type === passed.type;
    const stays = isPassed || (exchange !== null && this.rows[chosen]?.exchange === exchange);
    this.list.mark(stays ? chosen : exchange === null ? -1 : indexOf(this.rows, exchange), JSON.stringify([this.flow.id, this.options.capture, exchange, filter, isScaled]));
    this.rowsBefore = this.rows;
    // What is wrong is seen without being looked for.
    const cause = this.rows.findIndex((row) => row.type === "finding" && row.primary);
    if (isNew && exchange === null && cause >= 0) this.list.reveal(cause);
  }

  /** On the way through the rows only messages are shown; what is meant is done. */
  chosen(row, isMeant) {
    if (!isMeant && row.exchange === undefined) return undefined;
    if (row.type === "folded") {
      const [first] = row.exchanges;
      if (!this.unfolded.delete(first)) this.unfolded.add(first);
      return this.compose();
    }
    if (row.exchange !== undefined) return this.choose(row.exchange, isMeant);
    // A finding leads to its message.
    const index = this.rows.indexOf(row);
    const message = this.rows.slice(0, index).findLast((other) => other.type === "message");
    return message ? this.choose(message.exchange, isMeant) : undefined;
  }

  row(row) {
    const { lanes } = this.flow.diagram;
    if (row.type === "background") return this.background(row);
    const words = spoken(row, lanes);
    if (row.type === "folded") {
      return element("div", { class: "row folded", "aria-label": words }, element("span", { "aria-hidden": "true" }, `${row.isOpen ? "▾" : "▸"} ${folded(row)}`));
    }
    const [left, right] = [Math.min(row.from, row.to), Math.max(row.from, row.to)];
    const style = { "--left": left, "--right": right };
    if (row.type === "finding") {
      const severity = this.flow.findings.find((finding) => finding.rule === row.rule)?.severity;
      return element("div", { class: `row finding ${severity === "error" ? "error" : ""}`, "aria-label": words.replaceAll("`", ""), style }, element("span", { class: "note" }, ...prose(words)));
    }
    const passing = mark(row, this.options.link);
    const classes = ["row", "message", row.form, row.from < row.to ? "rightward" : row.from > row.to ? "leftward" : "self"];
    if (row.failure) classes.push("failure");
    if (passing) classes.push("way");
    const room = this.roomFor(row, [left, right], lanes.length, passing);
    if (room) classes.push(room);
    if (row.isContinued) classes.push("continued");
    if (row.at >= LATE) classes.push("late");
    return element(
      "div",
      { class: classes.join(" "), "aria-label": passing ? `${words}; ${passing}` : words, style: { ...style, "--gap": `${row.gap ?? 0}px`, "--reach": `${row.reach ?? 0}px`, "--from": row.from } },
      row.gap > 0 ? element("span", { class: "wait" }, duration(row.wait / 1000)) : null,
      element("span", { class: "at" }, offset(row.at)),
      row.isContinued ? element("span", { class: "turn", "aria-hidden": "true" }) : null,
      element("span", { class: "words" }, passing ? element("mark", {}, passing) : null, row.words),
      element("span", { class: "arrow", "aria-hidden": "true" }),
    );
  }

  /** Where words that are longer than their arrow go on: beyond it, to the side where there is nothing. */
  roomFor(row, [left, right], lanes, passing) {
    const length = row.words.length + (passing ? passing.length + 2 : 0);
    if (length * CHARACTER * this.letters + 24 <= (right - left) * this.width) return null;
    if (left === 0 && right < lanes - 1) return "wide-right";
    return left > 0 ? "wide-left" : null;
  }

  background(row) {
    const exchange = this.options.exchanges[row.exchange];
    const words = `${exchange.method} ${exchange.host}${exchange.path} ${answer(exchange)}`;
    return element("div", { class: "row background", "aria-label": words }, element("span", {}, words));
  }
}
