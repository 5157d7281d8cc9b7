import { element } from "#viewer/dom.js";
import { Diagram } from "#viewer/diagram.js";
import { findingsPanel } from "#viewer/findings.js";
import { command, KEYS } from "#viewer/keyboard.js";
import * as place from "#viewer/location.js";
import { messagePanel } from "#viewer/message.js";
import { overview } from "#viewer/overview.js";
import { embeddedDocument, Report, wayID } from "#viewer/report.js";

/** The page: what is looked at, and what is drawn of it. */
class Viewer {
  constructor(report) {
    this.report = report;
    this.at = place.parse(location.hash);
    this.isShown = false;
    /** The place of a value in the message that is marked. */
    this.chosen = null;
    this.parts = {
      overview: element("div", { class: "part logins" }),
      diagram: element("section", { class: "part drawing", "aria-label": "Diagram" }),
      findings: element("section", { class: "part what-is-wrong", "aria-label": "Findings", tabindex: -1 }),
      message: element("section", { class: "part one-message", "aria-label": "Message", tabindex: -1 }),
      help: element("dialog", { class: "help", "aria-label": "Keys" }),
    };
    this.secretsButton = element("button", { type: "button", "aria-pressed": "false", on: { click: () => this.toggleSecrets() } }, "Show secrets");
    const redacted = report.redacted ? element("span", { class: "redacted" }, "redacted: its secrets are stand-ins") : null;
    document.body.append(
      element(
        "header",
        {},
        element("h1", {}, report.name),
        redacted,
        this.secretsButton,
        element("button", { type: "button", on: { click: () => this.help() } }, "Keys (?)"),
      ),
      element("main", {}, this.parts.overview, this.parts.diagram, this.parts.findings, this.parts.message),
      this.parts.help,
    );
    document.title = `${report.name} · authreel`;
    addEventListener("hashchange", () => {
      this.at = place.parse(location.hash);
      this.draw();
    });
    addEventListener("keydown", (event) => this.key(event));
    this.draw();
  }

  /** The flow that is looked at: the one of the address, else the first that failed, else the first. */
  get flow() {
    const { flows } = this.report;
    return this.report.flow(this.at.flow) ?? flows.find((flow) => flow.outcome === "failure") ?? flows[0] ?? null;
  }

  get link() {
    return this.flow?.links.find((link) => wayID(link) === this.at.value) ?? null;
  }

  go(change) {
    this.at = { ...this.at, ...change };
    history.replaceState(null, "", `#${place.format(this.at)}`);
    this.draw();
  }

  draw() {
    const { parts, report, flow } = this;
    parts.overview.replaceChildren(overview(report, flow?.id ?? null, (id) => this.go({ flow: id, exchange: null, value: null })));
    if (this.diagram?.flow !== flow) {
      this.diagram = flow ? new Diagram(flow, (exchange) => this.show(exchange, null)) : null;
      parts.diagram.replaceChildren(...(this.diagram ? [this.diagram.node] : []));
    }
    this.diagram?.follow(this.link);
    if (this.at.exchange !== null) this.diagram?.show(this.at.exchange);
    const options = { isShown: this.isShown, go: (exchange, evidence) => this.show(exchange, evidence) };
    parts.findings.replaceChildren(...(flow ? [element("h2", {}, "Findings"), findingsPanel(flow.findings, options)] : []));
    this.drawMessage();
  }

  drawMessage() {
    const message = this.at.exchange === null ? null : this.report.message(this.at.exchange);
    this.parts.message.replaceChildren(
      message
        ? messagePanel(message, { isShown: this.isShown, chosen: this.chosen, follow: (value) => this.follow(value) })
        : element("p", { class: "nothing" }, "Choose a message to see what it says."),
    );
  }

  show(exchange, evidence) {
    this.chosen = evidence;
    this.go({ exchange });
    this.parts.message.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
  }

  follow(value) {
    const [link] = this.flow ? this.report.ways(this.flow, { ...value, exchange: this.at.exchange }) : [];
    this.chosen = value;
    this.go({ value: link ? wayID(link) : null });
  }

  toggleSecrets() {
    this.isShown = !this.isShown;
    this.secretsButton.textContent = this.isShown ? "Hide secrets" : "Show secrets";
    this.secretsButton.setAttribute("aria-pressed", String(this.isShown));
    this.draw();
  }

  help() {
    const rows = KEYS.map(([keys, what]) => element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, what)));
    this.parts.help.replaceChildren(element("table", {}, element("tbody", {}, ...rows)), element("button", { type: "button", on: { click: () => this.parts.help.close() } }, "Close"));
    this.parts.help.showModal();
  }

  key(event) {
    const asked = command(event);
    if (!asked || (this.parts.help.open && asked !== "leave")) return;
    const { flows } = this.report;
    const index = flows.indexOf(this.flow);
    const actions = {
      "next-flow": () => flows[index + 1] && this.go({ flow: flows[index + 1].id, exchange: null, value: null }),
      "previous-flow": () => flows[index - 1] && this.go({ flow: flows[index - 1].id, exchange: null, value: null }),
      findings: () => this.parts.findings.focus(),
      diagram: () => this.diagram?.list.node.focus(),
      message: () => this.parts.message.focus(),
      secrets: () => this.toggleSecrets(),
      help: () => this.help(),
      leave: () => this.at.value !== null && this.go({ value: null }),
    };
    actions[asked]();
  }
}

const found = embeddedDocument();
if (found) new Viewer(new Report(found));
else document.body.append(element("p", {}, "This page holds no report."));
