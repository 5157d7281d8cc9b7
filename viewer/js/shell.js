import { fileWord } from "#viewer/copy.js";
import { element, printable } from "#viewer/dom.js";
import { redaction, shortNames } from "#viewer/words.js";

const VIEWS = [["flow", "Login", "view-flow"], ["exchanges", "All exchanges", "view-exchanges"], ["compare", "Compare", "view-compare"]];

/** How long a message about what was done stands on the page, in milliseconds. */
const TOLD = 6000;

/** A message that begins further down in the window, as a part of its height, is not seen. */
const LOWEST = 0.6;

/** What has the focus first in a dialog. */
const CONTROLS = "button, input, select, textarea, summary, a[href]";

/**
 * What stands around the panels: title, search, buttons, dialog; and where the panels are.
 */
export class Shell {
  /**
   * @param {import("#viewer/report.js").Report} report
   * @param {HTMLElement} overview
   * @param {(name: string, value?: unknown) => void} act a button was pressed
   */
  constructor(report, overview, act) {
    const button = (name, words, title, properties = {}) => element("button", { type: "button", title, ...properties, on: { click: () => act(name) } }, words);
    this.title = element("h1", {});
    this.redacted = element("span", { class: "badge", hidden: true });
    this.state = element("span", { class: "badge live", role: "status", hidden: true });
    this.names = shortNames(report.captures.map(({ name }) => name));
    this.captures = element(
      "select",
      { "aria-label": "Capture", on: { change: (event) => act("capture", Number(event.target.value)) } },
      ...this.names.map((name, index) => element("option", { value: index }, name)),
    );
    this.captures.hidden = report.captures.length < 2;
    // What is chosen there is the title as well.
    this.title.className = report.captures.length < 2 ? "" : "unseen";
    this.views = VIEWS.map(([view, words, name]) => [view, button(name, words, null)]);
    this.query = element("input", { type: "search", "aria-label": "Search in everything", placeholder: "Search ( / )", autocomplete: "off", spellcheck: "false" });
    this.secrets = button("secrets", "Show secrets", "s");
    this.present = button("present", "Present", "P: no secret on the screen", { "aria-pressed": "false" });
    this.notice = element("p", { class: "notice", role: "status" });
    this.header = element(
      "header",
      {},
      element("div", { class: "top" }, this.title, this.captures, this.redacted, this.state),
      element("nav", { class: "views", "aria-label": "Views" }, ...this.views.map(([, node]) => node)),
      element(
        "form",
        {
          role: "search",
          on: {
            submit: (event) => {
              event.preventDefault();
              act("find", this.query.value.trim());
            },
          },
        },
        this.query,
        element("button", { type: "submit" }, "Search"),
      ),
      element("div", { class: "actions" }, this.secrets, this.present, button("share", "Share…", "x: the capture without its secrets"), button("help", "Keys", "?")),
    );
    this.query.addEventListener("search", () => this.query.value === "" && act("find", ""));
    this.tools = element("div", { class: "tools", role: "toolbar", "aria-label": "Of the drawing" });
    this.drawing = element("section", { class: "part drawing", "aria-label": "Diagram", tabindex: -1 });
    /** The way of a value, below the diagram. */
    this.way = element("div", { class: "followed" });
    this.findings = element("section", { class: "part what-is-wrong", "aria-label": "Findings", tabindex: -1 });
    this.message = element("section", { class: "part one-message", "aria-label": "Message", tabindex: -1 });
    this.frame = element("main", {}, element("div", { class: "part logins" }, overview), this.drawing, this.findings, this.message);
    /** What is folded but on paper. */
    this.folds = [];
    /** By panel what it is drawn of. */
    this.drawnOf = new Map();
    this.dialogTitle = element("h2", { id: "dialog-title" });
    this.dialogBody = element("div", {});
    this.dialog = element("dialog", { "aria-labelledby": "dialog-title" }, this.dialogTitle, this.dialogBody, element("button", { type: "button", on: { click: () => this.dialog.close() } }, "Close"));
    document.body.append(this.header, this.notice, this.frame, this.dialog);
  }

  get isOpen() {
    return this.dialog.open;
  }

  /** Brings title and buttons up to date. */
  show({ at, view, capture, veil, hasMessage }) {
    const name = this.names[at.capture];
    document.title = printable(`${name} · authreel`);
    this.title.textContent = printable(name);
    this.title.title = printable(capture.name);
    this.captures.title = printable(capture.name);
    this.frame.dataset.message = hasMessage ? "some" : "none";
    this.captures.value = String(at.capture);
    this.redacted.hidden = !capture.redacted;
    this.redacted.textContent = redaction(capture.redacted);
    for (const [name, node] of this.views) node.setAttribute("aria-current", String(name === view));
    if (document.activeElement !== this.query) this.query.value = at.q ?? "";
    this.secrets.textContent = veil.isLifted ? "Hide secrets" : "Show secrets";
    // Its words tell what it does next: heard as pressed as well, it would tell the contrary.
    this.secrets.classList.toggle("on", veil.isLifted);
    this.secrets.disabled = veil.isPresenting;
    this.present.setAttribute("aria-pressed", String(at.present));
    document.body.classList.toggle("presenting", at.present);
  }

  /** Which of the views there is room for. */
  main(view) {
    this.frame.dataset.view = view;
    this.drawing.setAttribute("aria-label", { flow: "Diagram", exchanges: "Exchanges", compare: "Comparison" }[view]);
    if (view !== "compare") this.placeFindings();
  }

  /** The findings come by Tab where they stand in the window: above the drawing, beside it or below the message. */
  placeFindings() {
    const here = this.findings.getBoundingClientRect();
    const isBehind = ({ top, left }) => top > here.top || (top === here.top && left > here.left);
    const next = [this.drawing, this.message].find((panel) => isBehind(panel.getBoundingClientRect())) ?? null;
    if (this.findings.nextElementSibling === next) return;
    const [focused, { scrollTop }] = [document.activeElement, this.findings];
    this.frame.insertBefore(this.findings, next);
    this.findings.scrollTop = scrollTop;
    if (this.findings.contains(focused)) focused.focus({ preventScroll: true });
  }

  /** Tools above a drawing that stays the same node, so that its focus and its place stay as well; `rest`: what stands below it. */
  draw(tools, drawing, ...rest) {
    this.keepingFocus(this.tools, tools);
    if (this.drawing.children[1] !== drawing) this.drawing.replaceChildren(this.tools, drawing, ...rest);
  }

  /** Where drawing takes away what had the focus, the panel has it in which that stood, or what stands in its place. */
  holdingFocus(draw) {
    const panel = document.activeElement?.closest(".part[tabindex]");
    draw();
    const isThere = panel?.checkVisibility();
    if (panel && (document.activeElement === document.body || !isThere)) (isThere ? panel : this.drawing).focus({ preventScroll: true });
  }

  /**
   * Draws a panel anew where something that it is drawn of is another one; else what is read, selected or typed in it stays.
   *
   * @param {HTMLElement} panel
   * @param {unknown[]} parts what it is drawn of
   * @param {() => (Node | null)[]} make
   */
  drawPanel(panel, parts, make) {
    const before = this.drawnOf.get(panel);
    if (before && parts.every((part, index) => part === before[index])) return;
    this.drawnOf.set(panel, parts);
    this.keepingFocus(panel, make());
  }

  /** Other content for a panel; the focus goes to the control at the place where it was, what was unfolded stays so. */
  keepingFocus(panel, children) {
    const controls = () => [...panel.querySelectorAll("button, summary, input, select, a")];
    const focused = controls().indexOf(document.activeElement);
    const open = new Set([...panel.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
    panel.replaceChildren(...children.filter(Boolean));
    for (const details of panel.querySelectorAll("details")) details.open ||= open.has(details.querySelector("summary").textContent);
    if (focused >= 0) controls()[Math.min(focused, controls().length - 1)]?.focus();
  }

  /** On paper nobody unfolds the effects of a finding: they stand there for as long as it is printed. */
  printed(isWhole) {
    if (isWhole) this.folds.push(...this.findings.querySelectorAll("details:not([open])"));
    for (const fold of this.folds) fold.open = isWhole;
    if (!isWhole) this.folds = [];
  }

  /** Brings the message into view, and what is marked in it: the words themselves where they are. */
  revealMessage() {
    const { top } = this.message.getBoundingClientRect();
    // In a narrow or low window the panels stand below each other.
    if (top < 0 || top > innerHeight * LOWEST) this.message.scrollIntoView({ block: "start" });
    const chosen = this.message.querySelector("pre .chosen") ?? this.message.querySelector(".chosen");
    const fold = chosen?.closest("details");
    if (fold) fold.open = true;
    chosen?.scrollIntoView({ block: "nearest" });
  }

  /** Says what was done. */
  tell(words) {
    this.notice.textContent = printable(words);
    clearTimeout(this.forgetting);
    this.forgetting = setTimeout(() => (this.notice.textContent = ""), TOLD);
  }

  /** Says what is waited for, until something else is said. */
  wait(words) {
    if (!words && this.notice.textContent !== this.awaited) return;
    clearTimeout(this.forgetting);
    this.awaited = words;
    this.notice.textContent = words;
  }

  /**
   * @param {"live" | "still" | "over" | "gone"} state of a recording
   * @param {{name: string}[]} captures
   */
  live(state, captures) {
    // What came by standard input has to come so again.
    const words = captures.map(({ name }) => (name === "standard input" ? "-" : fileWord(name)));
    const command = ["authreel view", ...words].join(" ");
    const told = { live: "live", still: "", over: `the recording is over; ${command} shows it again`, gone: `authreel does not answer; ${command} shows it again` }[state];
    this.state.hidden = state === "still";
    this.state.dataset.state = state;
    if (this.state.textContent !== printable(told)) this.state.textContent = printable(told);
  }

  open(title, content) {
    this.dialogTitle.textContent = title;
    this.dialogBody.replaceChildren(content);
    this.dialogTitle.removeAttribute("tabindex");
    if (!this.dialog.open) this.dialog.showModal();
    // Behind a text that is longer than the window the button below it would have the focus, and the text be scrolled away.
    if (content.matches(CONTROLS) || content.querySelector(CONTROLS)) return;
    this.dialogTitle.setAttribute("tabindex", "-1");
    this.dialogTitle.focus();
  }
}
