import { element } from "#viewer/dom.js";

/** Rows on both sides of what can be seen that are drawn as well. */
const MARGIN = 12;

/**
 * Where each row begins, and behind the last one where all of them end.
 *
 * @param {number} count
 * @param {(index: number) => number} height of a row in pixels
 * @returns {Float64Array} of `count + 1`
 */
export function offsets(count, height) {
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index += 1) tops[index + 1] = tops[index] + height(index);
  return tops;
}

/** @returns {number} the row at a height, of those that `offsets` tells */
export function rowAt(tops, height) {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle] <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Which rows of a long list are in the document: those that can be seen, and some on both sides.
 *
 * @param {{tops: Float64Array, top: number, view: number}} list where rows begin, where the view begins and how high it is
 * @returns {{first: number, end: number}} `end` is not included
 */
export function visibleRows({ tops, top, view }) {
  const count = tops.length - 1;
  if (count === 0) return { first: 0, end: 0 };
  return { first: Math.max(0, rowAt(tops, top) - MARGIN), end: Math.min(count, rowAt(tops, top + view) + 1 + MARGIN) };
}

/**
 * A list of which only what can be seen is in the document, and of which one row is chosen: by a click, or with the arrow keys,
 * Home, End and the page keys; Enter and space act on it.
 */
export class WindowedList {
  /**
   * @param {{label: string, name: string, row: (index: number) => HTMLElement, choose: (index: number, isMeant: boolean) => void,
   *   height?: number}} options `name`: of the rows' ids; `row` makes a row, which becomes an option of the list; `height`: of
   *   the whole list where the page does not tell it yet
   */
  constructor({ label, name, row, choose }) {
    Object.assign(this, { name, row, choose });
    this.tops = new Float64Array(1);
    this.chosen = -1;
    this.shown = { first: 0, end: 0 };
    this.space = element("div", { class: "rows", role: "presentation" });
    this.node = element(
      "div",
      { class: "list", role: "listbox", tabindex: 0, "aria-label": label, on: { scroll: () => this.draw(), keydown: (event) => this.key(event) } },
      this.space,
    );
  }

  get count() {
    return this.tops.length - 1;
  }

  /** Other rows from now on; the view stays where it is, at the end where it was there. */
  setRows(count, height) {
    const wasAtEnd = this.count > 0 && this.node.scrollTop > 0 && this.node.scrollTop + this.node.clientHeight >= this.tops.at(-1) - 4;
    this.tops = offsets(count, height);
    this.space.style.setProperty("height", `${this.tops.at(-1)}px`);
    if (this.chosen >= count) this.chosen = -1;
    if (wasAtEnd) this.node.scrollTop = this.tops.at(-1);
    this.draw(true);
  }

  /** Brings a row into view. */
  reveal(index) {
    const [top, end, view] = [this.tops[index], this.tops[index + 1], this.node.clientHeight];
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    else if (view > 0 && end > this.node.scrollTop + view) this.node.scrollTop = end - view;
  }

  /** Draws what is to be seen; all of it anew where the rows have changed. */
  draw(anew = false) {
    const shown = this.isWhole ? { first: 0, end: this.count } : visibleRows({ tops: this.tops, top: this.node.scrollTop, view: this.node.clientHeight || 800 });
    if (!anew && shown.first === this.shown.first && shown.end === this.shown.end) return;
    this.shown = shown;
    const rows = [];
    for (let index = shown.first; index < shown.end; index += 1) rows.push(this.option(index));
    this.space.replaceChildren(...rows);
  }

  /** All rows are in the document, for as long as it is printed. */
  printed(isWhole) {
    this.isWhole = isWhole;
    this.draw(true);
  }

  option(index) {
    const row = this.row(index);
    row.id = `${this.name}-${index}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(index === this.chosen));
    row.setAttribute("aria-setsize", String(this.count));
    row.setAttribute("aria-posinset", String(index + 1));
    row.style.setProperty("top", `${this.tops[index]}px`);
    row.style.setProperty("height", `${this.tops[index + 1] - this.tops[index]}px`);
    row.addEventListener("click", () => this.select(index, true));
    return row;
  }

  /**
   * Marks a row as chosen, without telling anybody, and brings it into view where it is about something else than before: who
   * has scrolled away from it is not brought back because the list grows.
   *
   * @param {number} index -1 for none
   * @param {string} subject what it is about, whatever its place in the list
   */
  mark(index, subject) {
    this.chosen = index;
    if (index >= 0 && subject !== this.subject) this.reveal(index);
    this.subject = subject;
    this.draw(true);
    if (index >= 0) this.node.setAttribute("aria-activedescendant", `${this.name}-${index}`);
    else this.node.removeAttribute("aria-activedescendant");
  }

  /** @param {boolean} isMeant by a click or Enter, not only on the way to another row */
  select(index, isMeant) {
    this.reveal(index);
    this.mark(index, this.subject);
    this.choose(index, isMeant);
  }

  key(event) {
    if ((event.key === "Enter" || event.key === " ") && this.chosen >= 0) {
      event.preventDefault();
      return this.select(this.chosen, true);
    }
    const page = Math.max(1, this.shown.end - this.shown.first - 2 * MARGIN);
    const target = new Map([
      ["ArrowDown", this.chosen + 1], ["ArrowUp", this.chosen - 1], ["Home", 0], ["End", this.count - 1],
      ["PageDown", this.chosen + page], ["PageUp", this.chosen - page],
    ]).get(event.key);
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (this.count > 0) this.select(Math.min(this.count - 1, Math.max(0, target)), false);
  }
}
