import { element, printable, prose } from "#viewer/dom.js";
import { choices, isListed, loginFilter } from "#viewer/logins.js";
import { isWrong } from "#viewer/report.js";
import { count, duration } from "#viewer/words.js";
import { WindowedList } from "#viewer/windowed.js";

/** Height of a login in the list, in pixels. */
const HEIGHT = 112;

/** @returns {string} what a list says of a flow */
export function summary(flow) {
  if (flow.first) return flow.first.title;
  return flow.settled ? flow.lead : (flow.lead ?? "still going on");
}

/**
 * What is to be said of a whole capture in one line.
 *
 * @param {{flows: object[], exchanges: object[]}} capture
 * @param {boolean} [isRecorded] while somebody records
 * @returns {{words: string, isGood: boolean}}
 */
export function verdict(capture, isRecorded = false) {
  const { flows } = capture;
  if (flows.length === 0 && isRecorded) return { words: capture.exchanges.length === 0 ? "Nothing has come through yet: what the recorder sees appears here." : "No login yet.", isGood: false };
  if (flows.length === 0) return { words: `No ${capture.exchanges.length === 0 ? "exchange" : "login"} in this capture.`, isGood: false };
  const wrong = flows.filter(isWrong);
  const failed = wrong.filter((flow) => flow.outcome === "failure").length;
  const open = flows.filter((flow) => !flow.settled).length;
  if (wrong.length > 0) return { words: flows.length === 1 ? ofOne(failed > 0) : ofMany(flows.length, failed, wrong.length - failed), isGood: false };
  if (open > 0) return { words: `${count(open, "login")} still going on.`, isGood: false };
  const succeeded = flows.filter((flow) => flow.outcome === "success").length;
  const notes = flows.reduce((sum, flow) => sum + flow.findings, 0);
  const end = notes > 0 ? `, with ${count(notes, "note")}.` : ".";
  if (succeeded === flows.length) return { words: (flows.length === 1 ? "The login is healthy" : `All ${flows.length} logins are healthy`) + end, isGood: true };
  // A note may say why it did not finish.
  const nothing = notes > 0 ? "" : "Nothing wrong found";
  if (flows.length === 1) return { words: nothing ? `${nothing}, but the login did not finish.` : "The login did not finish.", isGood: false };
  return { words: `${nothing ? `${nothing}; ` : ""}${succeeded} of ${flows.length} logins succeeded.`, isGood: false };
}

/**
 * @param {{flows: object[], advice: string | null}} capture
 * @param {boolean} [isRecorded] what is not there may come
 * @returns {string | null} what to do about a capture without a login
 */
export function advice(capture, isRecorded = false) {
  return capture.flows.length === 0 && capture.advice && !isRecorded ? `What to do: ${capture.advice}.` : null;
}

function ofOne(isFailed) {
  return isFailed ? "The login failed." : "Something is wrong with the login.";
}

/** Those that failed are what a person looks for: a warning at each of the others does not hide them. */
function ofMany(all, failed, doubtful) {
  if (failed === 0) return `${count(doubtful, "login")} of ${all} with something wrong.`;
  if (failed === all) return `All ${all} logins failed.`;
  return `${count(failed, "login")} of ${all} failed${doubtful > 0 ? `, ${doubtful} more with something wrong` : ""}.`;
}

/** The logins of a capture. */
export class Overview {
  /**
   * @param {(flow: string) => void} choose
   * @param {(only: string | null) => void} limit other logins are to be listed
   */
  constructor(choose, limit) {
    this.flows = [];
    this.limit = limit;
    this.list = new WindowedList({
      label: "Logins", name: "login",
      row: (index) => this.row(this.flows[index]),
      choose: (index) => choose(this.flows[index].id),
    });
    this.words = element("p", { class: "verdict", role: "status" });
    this.rest = element("p", { class: "nothing" });
    this.choice = element("div", { class: "which" });
    this.node = element("nav", { class: "overview", "aria-label": "Logins" }, this.words, this.choice, this.list.node, this.rest);
  }

  /**
   * @param {object} capture
   * @param {object} options
   * @param {string | null} options.chosen id of the flow that is looked at
   * @param {string | null} options.only which logins are listed, as `isListed` has it
   * @param {boolean} options.isLarge in a presentation
   * @param {boolean} options.isRecorded while somebody records, what is not there may come
   */
  show(capture, { chosen, only, isLarge, isRecorded }) {
    this.flows = capture.flows.filter((flow) => isListed(flow, only));
    this.showChoice(capture.flows, only);
    const { words, isGood } = verdict(capture, isRecorded);
    if (this.words.textContent !== words) this.words.textContent = words;
    this.words.className = isGood ? "verdict good" : "verdict";
    this.list.node.hidden = this.flows.length === 0;
    this.list.setRows(this.flows.length, () => (isLarge ? HEIGHT * 1.2 : HEIGHT));
    this.list.mark(this.flows.findIndex((flow) => flow.id === chosen), JSON.stringify([chosen, only]));
    const told = new Set(capture.flows.flatMap((flow) => flow.exchanges));
    const others = capture.exchanges.length - told.size;
    this.rest.textContent = printable([
      this.flows.length === 0 && only ? "No such login in this capture." : "",
      others > 0 ? `${count(others, "exchange")} belong${others === 1 ? "s" : ""} to no login.` : "",
      ...capture.losses.map((loss) => `Not whole: ${loss}`),
    ].filter(Boolean).join(" "));
  }

  /** Drawn anew where there is something else to choose, so that a list that is open stays so while a recording goes on. */
  showChoice(flows, only) {
    const offered = JSON.stringify([choices(flows), only]);
    if (this.offered === offered) return;
    this.offered = offered;
    const isFocused = this.choice.contains(document.activeElement);
    this.choice.replaceChildren(...loginFilter(flows, only, this.limit));
    if (isFocused) this.choice.firstChild?.focus();
  }

  row(flow) {
    const who = [flow.provider === "generic" ? null : flow.provider, flow.client_id ? `client ${flow.client_id}` : null].filter(Boolean).join(" · ");
    // A grant's own URN says nothing before its last word.
    const how = [flow.grant.split(":").at(-1), flow.duration === null ? null : duration(flow.duration / 1000)].filter(Boolean).join(" · ");
    const severity = flow.first?.severity ?? "none";
    return element(
      "div",
      { class: `row login ${flow.outcome} of-${severity}${flow.inside ? " inside" : ""}`, "aria-label": `${flow.id}, ${flow.outcome}, ${who}, ${how}: ${summary(flow).replaceAll("`", "")}` },
      element("b", {}, `${flow.id} · ${flow.outcome}`, flow.inside ? element("span", { class: "note" }, ` in ${flow.inside}`) : null),
      element("span", {}, who),
      element("span", {}, how),
      element("span", { class: "first" }, ...prose(summary(flow))),
    );
  }
}
