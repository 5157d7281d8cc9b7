import { element } from "#viewer/dom.js";

/**
 * Which rows of a long list are in the document: those that can be seen, and some on both sides.
 *
 * @param {{count: number, height: number, top: number, view: number}} list rows, the height of one, where the view begins
 *   and how high it is, in pixels
 * @returns {{first: number, end: number}} `end` is not included
 */
export function visibleRows({ count, height, top, view }) {
  const margin = 12;
  const first = Math.max(0, Math.floor(top / height) - margin);
  const end = Math.min(count, Math.ceil((top + view) / height) + margin);
  return { first: Math.min(first, end), end };
}

/**
 * A list of rows of one height, of which one is chosen: by a click, or with the arrow keys, Home, End and the page keys.
 */
export class WindowedList {
  /**
   * @param {{label: string, height: number, count: number, row: (index: number) => HTMLElement, choose: (index: number) => void}} options
   *   `row` makes a row; it becomes an option of the list
   */
  constructor({ label, height, count, row, choose }) {
    Object.assign(this, { height, count, row, choose });
    this.chosen = -1;
    this.shown = { first: 0, end: 0 };
    this.space = element("div", { class: "rows", role: "presentation", style: { "--count": count, "--height": `${height}px` } });
    this.node = element(
      "div",
      {
        class: "list", role: "listbox", tabindex: 0, "aria-label": label,
        on: { scroll: () => this.draw(), keydown: (event) => this.key(event) },
      },
      this.space,
    );
  }

  /** Draws what is to be seen; all of it anew where the rows have changed. */
  draw(anew = false) {
    const shown = visibleRows({ count: this.count, height: this.height, top: this.node.scrollTop, view: this.node.clientHeight || 800 });
    if (!anew && shown.first === this.shown.first && shown.end === this.shown.end) return;
    this.shown = shown;
    const rows = [];
    for (let index = shown.first; index < shown.end; index += 1) rows.push(this.option(index));
    this.space.replaceChildren(...rows);
  }

  option(index) {
    const row = this.row(index);
    row.id = `row-${index}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(index === this.chosen));
    row.setAttribute("aria-setsize", String(this.count));
    row.setAttribute("aria-posinset", String(index + 1));
    row.style.setProperty("--index", String(index));
    row.addEventListener("click", () => this.select(index));
    return row;
  }

  /** Marks a row as chosen and brings it into view, without telling anybody. */
  mark(index) {
    this.chosen = index;
    if (index >= 0) {
      const [top, view] = [index * this.height, this.node.clientHeight];
      if (top < this.node.scrollTop) this.node.scrollTop = top;
      else if (view > 0 && top + this.height > this.node.scrollTop + view) this.node.scrollTop = top + this.height - view;
      this.node.setAttribute("aria-activedescendant", `row-${index}`);
    } else {
      this.node.removeAttribute("aria-activedescendant");
    }
    this.draw(true);
  }

  select(index) {
    this.mark(index);
    this.choose(index);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.node.clientHeight / this.height) - 1);
    const target = new Map([
      ["ArrowDown", this.chosen + 1], ["ArrowUp", this.chosen - 1], ["Home", 0], ["End", this.count - 1],
      ["PageDown", this.chosen + page], ["PageUp", this.chosen - page],
    ]).get(event.key);
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (this.count > 0) this.select(Math.min(this.count - 1, Math.max(0, target)));
  }
}
