import { comparePanel, possible, proposal, sideText } from "#viewer/compare.js";
import { curl, markdown } from "#viewer/copy.js";
import { Diagram } from "#viewer/diagram.js";
import { element, headed, printable } from "#viewer/dom.js";
import { ExchangeList } from "#viewer/exchanges.js";
import { filterBar, NONE } from "#viewer/filter.js";
import { findingsPanel } from "#viewer/findings.js";
import { command, KEYS } from "#viewer/keyboard.js";
import { kept } from "#viewer/kept.js";
import { follow } from "#viewer/live.js";
import * as place from "#viewer/location.js";
import { isListed } from "#viewer/logins.js";
import { messagePanel } from "#viewer/message.js";
import { advice, Overview } from "#viewer/overview.js";
import { proofsOf } from "#viewer/pkce.js";
import { Report, wayID } from "#viewer/report.js";
import { sameID, searchResults, secretOf } from "#viewer/search.js";
import { sharePanel } from "#viewer/share.js";
import { Shell } from "#viewer/shell.js";
import { sourceOfPage, Unanswered } from "#viewer/source.js";
import { Veil } from "#viewer/veil.js";
import { waited } from "#viewer/waiting.js";
import { wayPanel } from "#viewer/way.js";

/** The page: what is looked at, and what is drawn of it. */
class Viewer {
  constructor(source, report) {
    Object.assign(this, { source, report });
    this.at = place.parse(location.hash, report.captures.length);
    if (report.compares && !location.hash) this.at.view = "compare";
    this.veil = new Veil();
    /** The place of a value in the message that is marked. */
    this.chosen = null;
    /** Whether authreel did not answer when something was asked for. */
    this.isAlone = false;
    /** Counts what was asked for; an answer to an older question is not drawn. */
    this.asked = 0;
    this.overview = new Overview((flow) => this.go({ flow, exchange: null, value: null, view: "flow" }), (only) => this.limit(only));
    this.diagram = new Diagram((exchange, isMeant) => this.show(exchange, null, { isMeant }));
    this.list = new ExchangeList((row, isMeant) => this.show(row.exchange, null, { isMeant, ...(row.flow ? { flow: row.flow } : {}) }));
    this.shell = new Shell(report, this.overview.node, (name, value) => this.do(name, value));
    addEventListener("hashchange", async () => {
      const before = this.at;
      this.at = place.parse(location.hash, report.captures.length);
      // Another message may have a place of the same name, which nobody chose.
      const isSame = place.isSameMessage(before, this.at);
      if (!isSame) this.chosen = null;
      await this.draw();
      if (!isSame) this.revealLinked();
    });
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.seen && this.redraw());
    for (const [event, isWhole] of [["beforeprint", true], ["afterprint", false]]) {
      addEventListener(event, () => [...this.lists, this.shell].forEach((part) => part.printed(isWhole)));
    }
  }

  get lists() {
    return [this.overview.list, this.diagram.list, this.list.list];
  }

  get capture() {
    return this.report.captures[this.at.capture];
  }

  /** The line of the flow that is looked at. */
  get head() {
    return Report.head(this.capture, this.at);
  }

  /** Without a login there are exchanges all the same. */
  get view() {
    return this.at.view === "flow" && !this.head ? "exchanges" : this.at.view;
  }

  go(change) {
    const here = () => [this.at.capture, this.at.view, this.head?.id].join();
    const before = here();
    // Which logins and messages of one capture are listed says nothing of another.
    const isOther = (change.capture ?? this.at.capture) !== this.at.capture;
    this.at = { ...this.at, ...(isOther ? { only: null, ...NONE } : {}), ...change };
    // Back leads to the login or view before, not through every message on the way.
    const isFar = here() !== before;
    history[isFar ? "pushState" : "replaceState"](null, "", `#${place.format(this.at)}`);
    this.drawn = this.draw();
    return this.drawn;
  }

  /** Draws what is looked at, as soon as it is there. */
  async draw() {
    this.asked += 1;
    const asked = this.asked;
    document.documentElement.dataset.state = "busy";
    this.veil.isPresenting === this.at.present || this.veil.present(this.at.present);
    this.veil.look(this.at.capture);
    const { head, at } = this;
    try {
      const [flow, message, comparison, found] = await Promise.all([
        head ? this.source.flow(at.capture, head.id) : null,
        at.exchange === null || at.exchange >= this.capture.exchanges.length ? null : this.source.message(at.capture, at.exchange),
        at.view === "compare" ? waited(this.comparison(), (isWaiting) => this.shell.wait(isWaiting ? "Comparing…" : "")) : null,
        at.q || at.same ? waited(this.search(at.same, at.q), (isWaiting) => this.shell.wait(isWaiting ? "Searching…" : "")) : null,
      ]);
      const proofs = await proofsOf(head?.exchanges.includes(at.exchange) ? flow : null, message);
      if (asked !== this.asked) return;
      this.seen = { flow, message, proofs, comparison, found };
      this.answered(true);
      this.redraw();
    } catch (error) {
      if (asked !== this.asked) return;
      this.answered(!(error instanceof Unanswered));
      this.shell.tell(`This could not be fetched: ${error.message}.`);
    } finally {
      if (asked === this.asked) document.documentElement.dataset.state = "ready";
    }
  }

  /** Says that authreel has ended, where a page that asks for nothing by itself would not notice. */
  answered(isThere) {
    if (isThere !== this.isAlone || this.source.isLive) return;
    this.isAlone = !isThere;
    this.shell.live(isThere ? "still" : "gone", this.report.captures);
  }

  /** What is found stays until something else is searched for. */
  async search(same, query) {
    const key = JSON.stringify([same, query, this.report.revision]);
    if (this.searched?.key !== key) {
      const text = same === null ? query : await secretOf(same, this.report.captures, this.source);
      this.searched = { key, result: text ? await this.source.search(text) : { hits: [], more: false } };
    }
    return this.searched.result;
  }

  /** The two sides of the address, else two that suggest themselves. */
  sides() {
    const looked = { capture: this.at.capture, flow: this.head?.id ?? "" };
    const { comparisons } = this.report;
    if (this.at.a && this.at.b) return [this.at.a, this.at.b];
    const [only] = comparisons ?? [];
    if (this.report.compares && only) return [only.expected, only.seen].map(sideText);
    return possible(comparisons, proposal(this.report.captures, looked), looked) ?? [null, null];
  }

  comparison() {
    const [a, b] = this.sides().map(place.side);
    return a && b ? this.source.comparison(a, b) : null;
  }

  /** Draws what is there, without asking for anything. */
  redraw() {
    this.shell.holdingFocus(() => this.drawSeen());
  }

  drawSeen() {
    const { at, capture, head, shell, veil } = this;
    const { flow, message, proofs, comparison, found } = this.seen;
    const redraw = () => this.redraw();
    const go = (exchange, evidence = null) => this.show(exchange, evidence);
    const visit = (other, exchange) => this.show(exchange, null, { flow: other, value: null });
    const link = flow && at.value ? Report.way(flow, at.value) : null;
    const { view } = this;
    shell.show({ at, view, capture, veil, hasMessage: Boolean(message) });
    this.overview.show(capture, { chosen: head?.id ?? null, only: at.only, isLarge: at.present, isRecorded: this.report.isRecorded });
    const filter = { who: at.who, kind: at.kind, host: at.host, rule: at.rule };
    shell.main(view);
    if (view === "compare") {
      const [a, b] = this.sides();
      const options = {
        veil, redraw,
        choose: (one, other) => this.go({ a: one, b: other }),
        go: (capture, id, exchange) => this.read(exchange, null, { capture, flow: id, value: null, view: "flow" }),
      };
      shell.keepingFocus(shell.drawing, [comparePanel(this.report.captures, { a, b, pairs: this.report.comparisons }, comparison, options)]);
    } else if (view === "exchanges") {
      const words = advice(capture, this.report.isRecorded);
      const tools = [words ? element("p", { class: "advice" }, printable(words)) : null, ...filterBar(capture.exchanges, filter, (wanted) => this.go(wanted))];
      shell.draw(tools, this.list.node);
      this.list.show(capture.exchanges, { capture: at.capture, filter, exchange: at.exchange });
    } else {
      const rows = head.exchanges.map((exchange) => capture.exchanges[exchange]).filter(Boolean);
      const tools = [
        tool("Waits to scale", "w", () => this.do("scale"), at.scale),
        tool("Copy as Mermaid", "M: the diagram for a ticket or wiki", () => this.do("copy-mermaid")),
        ...filterBar(rows, filter, (wanted) => this.go(wanted)),
      ];
      shell.draw(tools, this.diagram.node, shell.way);
      shell.drawPanel(shell.way, [JSON.stringify([link, flow.findings]), veil.revision], () => [
        link ? wayPanel(link, flow.findings, { go, leave: () => this.go({ value: null }), veil, redraw }) : null,
      ]);
      if (this.followed !== at.value) shell.way.scrollTop = 0;
      this.followed = at.value;
      this.diagram.show(flow, { capture: at.capture, exchanges: capture.exchanges, filter, isScaled: at.scale, link, exchange: at.exchange });
    }
    const findings = flow?.findings ?? null;
    shell.drawPanel(shell.findings, [found, at.q, at.same, JSON.stringify([findings, flow?.later, head?.settled, head?.outcome]), veil.revision], () => [
      found ? searchResults({ query: at.q, same: at.same }, found, { veil, captures: this.report.captures, go: (hit) => this.found(hit), leave: () => this.do("find", null) }) : null,
      ...(findings ? [headed("Findings", tool("Copy as Markdown", "C: the diagnosis for a ticket", () => this.do("copy-markdown"))), findingsPanel(head, findings, { go, veil, redraw, later: flow.later, visit })] : []),
    ]);
    const isOfFlow = head?.exchanges.includes(at.exchange) ?? false;
    shell.drawPanel(shell.message, [message, at.exchange, this.chosen, isOfFlow, JSON.stringify(proofs), veil.revision], () => [
      message
        ? messagePanel(message, {
            veil, redraw, proofs, isOfFlow, chosen: this.chosen,
            follow: (value) => this.follow(value), go: (exchange) => go(exchange), copy: () => this.do("copy-curl"),
          })
        : element("p", { class: "nothing" }, this.unchosen),
    ]);
    // Another message is read from its beginning.
    const begun = `${at.capture}/${at.exchange}`;
    if (this.begun !== begun) shell.message.scrollTop = 0;
    this.begun = begun;
  }

  /** What stands where a message would. */
  get unchosen() {
    const { exchange } = this.at;
    if (exchange !== null) return `There is no exchange ${exchange} in this capture.`;
    return this.capture.exchanges.length === 0 ? "" : "Choose a message to see what it says.";
  }

  /**
   * Shows a message. The login stays unless another is named: what it is told about may stand in a message of another one.
   *
   * `isMeant`: it is to be read, and not only passed on the way through a list; `rest`: what else is looked at from now on.
   */
  async show(exchange, chosen, { isMeant = true, ...rest } = {}) {
    this.chosen = chosen;
    await this.go({ exchange, flow: this.head?.id ?? null, view: this.at.view === "compare" ? "flow" : this.at.view, ...rest });
    if (isMeant) this.shell.revealMessage();
  }

  /** Who follows a link to a message wants to read that one; in a narrow window it stands far below. */
  revealLinked() {
    if (this.at.exchange !== null) this.shell.revealMessage();
  }

  found(hit) {
    const row = this.report.captures[hit.capture].exchanges[hit.exchange];
    return this.read(hit.exchange, hit, { capture: hit.capture, ...(row.flow ? { flow: row.flow } : { view: "exchanges" }) });
  }

  /** Shows a message and goes there, from a place that is left by it. */
  async read(exchange, chosen, rest) {
    await this.show(exchange, chosen, rest);
    this.shell.message.focus({ preventScroll: true });
  }

  /** A value that travels is followed; of one that every login has the places are looked for. */
  follow(value) {
    const { flow } = this.seen;
    const [link] = flow ? Report.ways(flow, value) : [];
    this.chosen = value;
    if (link) return this.go({ value: wayID(link, flow), view: "flow" });
    if (value.value.length < 3) return this.shell.tell(`${value.name} is too short to be looked for.`);
    this.shell.tell(`${value.name} is no value that a login makes: these are the places where it stands.`);
    // A secret is asked for by its place: the value would stand in the field, in the address and in the browser's history.
    return value.secret ? this.find({ same: sameID(this.at.capture, value) }) : this.find({ q: value.value });
  }

  /** Lists some logins alone; where the one that is looked at is none of them, the first of them is looked at. */
  limit(only) {
    const listed = this.capture.flows.filter((flow) => isListed(flow, only));
    const stays = listed.length === 0 || listed.includes(this.head);
    return this.go({ only, ...(stays ? {} : { flow: listed[0].id, exchange: null, value: null }) });
  }

  /** Lists where something stands, a text or the secret of a place. */
  async find({ q = null, same = null }) {
    // What is found is listed beside a login, not beside two.
    await this.go({ q, same, ...((q || same) && this.at.view === "compare" ? { view: "flow" } : {}) });
    this.shell.findings.querySelector(".results li button")?.focus();
  }

  async copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.shell.tell(`${what}${what.includes(",") ? "," : ""} is in the clipboard.`);
    } catch {
      this.shell.open(what, element("textarea", { class: "copied", readonly: true, "aria-label": what, rows: 12, on: { focus: (event) => event.target.select() } }, text));
    }
  }

  /** Carries out what a key or a button asks for. */
  do(asked, value) {
    const { shell, veil, at } = this;
    const { flow, message } = this.seen ?? {};
    const { flows } = this.capture;
    const listed = flows.filter((flow) => flow === this.head || isListed(flow, at.only));
    const index = listed.indexOf(this.head);
    const toFlow = (other) => other && this.go({ flow: other.id, exchange: null, value: null, view: "flow" });
    const hidden = (words) => (veil.isLifted ? "" : `, with ${words} of the secrets`);
    const actions = {
      capture: () => this.go({ capture: value, flow: null, exchange: null, value: null, same: null }),
      find: () => this.find({ q: value || null }),
      "next-flow": () => toFlow(listed[index + 1]),
      "previous-flow": () => toFlow(listed[index - 1]),
      failed: () => {
        if (at.only) return this.limit(null);
        return flows.some((flow) => isListed(flow, "failure")) ? this.limit("failure") : shell.tell("No login failed.");
      },
      logins: () => this.overview.list.node.focus(),
      diagram: async () => {
        await this.drawn;
        ({ exchanges: this.list.list.node, flow: this.diagram.list.node, compare: shell.drawing })[this.view].focus();
      },
      findings: () => shell.findings.focus(),
      message: () => shell.message.focus(),
      search: () => {
        shell.query.focus();
        // What was searched for before is typed over.
        shell.query.select();
      },
      "view-flow": () => this.go({ view: "flow" }),
      "view-exchanges": () => this.go({ view: "exchanges" }),
      "view-compare": () => this.go({ view: "compare", q: null, same: null }),
      scale: () => this.go({ scale: !at.scale }),
      present: () => this.go({ present: !at.present }),
      secrets: () => {
        if (veil.isPresenting) return shell.tell("A presentation shows no secret: P ends it.");
        veil.toggle();
        return this.redraw();
      },
      "copy-curl": () => message && this.copy(curl(message, veil), `The request as curl${hidden("names in the place")}`),
      "copy-markdown": () => flow && this.copy(markdown(flow, veil), `The diagnosis as Markdown${hidden("the beginnings")}`),
      "copy-mermaid": () => flow && this.copy(flow.mermaid, "The diagram as Mermaid"),
      share: () => shell.open("Share without secrets", sharePanel({ name: this.capture.name, index: this.report.captures.indexOf(this.capture), isRedacted: Boolean(this.capture.redacted) && !this.capture.redacted.partial }, this.source, { copy: (text, what) => this.copy(text, what) })),
      help: () => shell.open("Keys", help()),
      leave: () => (at.value !== null ? this.go({ value: null }) : (at.q ?? at.same) !== null && this.find({})),
    };
    return actions[asked]();
  }

  key(event) {
    const asked = command(event);
    // A dialog closes itself, and keeps everything else to itself.
    if (!asked || this.shell.isOpen) return;
    if (event.target === this.shell.query) this.shell.query.blur();
    event.preventDefault();
    this.do(asked);
  }

  /** Draws a recording while it goes on. */
  live() {
    const tell = (state) => this.shell.live(state, this.report.captures);
    if (this.report.isRecorded) tell("live");
    follow(this.source, this.report.revision, {
      take: (change) => {
        this.report.update(change);
        return this.draw();
      },
      tell,
      keep: async () => {
        this.source = (await kept(this.source, this.report)) ?? this.source;
        this.report.comparisons = this.source.comparisons;
      },
    });
  }
}

function tool(words, title, click, isPressed) {
  return element("button", { type: "button", title, "aria-pressed": isPressed === undefined ? null : String(isPressed), on: { click } }, words);
}

function help() {
  const rows = KEYS.map(([keys, what]) => element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, what)));
  return element("table", { class: "keys" }, element("tbody", {}, ...rows));
}

async function start() {
  const source = sourceOfPage();
  try {
    const viewer = new Viewer(source, new Report(await source.overview()));
    await viewer.draw();
    viewer.revealLinked();
    performance.mark("drawn");
    if (source.isLive) viewer.live();
  } catch (error) {
    document.body.append(element("p", { role: "alert" }, `The viewer cannot show this: ${error.message}`));
    throw error;
  }
}

start();
