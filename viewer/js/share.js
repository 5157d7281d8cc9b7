import { fileWord } from "#viewer/copy.js";
import { element } from "#viewer/dom.js";
import { count } from "#viewer/words.js";

/** What can be chosen: the name of the option, and what it is called. */
const OPTIONS = [
  ["all", "Keep the exchanges that belong to no login, redacted like the others"],
  ["keepPersonal", "Keep names, e-mail addresses, phone numbers and IP addresses"],
  ["shiftTimes", "Move all times by one random offset"],
];

/**
 * The redaction of a capture: first its report, then the file.
 *
 * @param {{name: string, index: number, isRedacted: boolean}} capture
 * @param {import("#viewer/source.js").ServedSource | import("#viewer/source.js").EmbeddedSource} source
 * @param {{copy: (text: string, what: string) => void}} options
 * @returns {HTMLElement} what stands in the dialog
 */
export function sharePanel(capture, source, { copy }) {
  if (!source.canShare) {
    const { words, command } = elsewhere(capture);
    return element(
      "div",
      {},
      element("p", {}, words),
      element("pre", {}, command),
      element("button", { type: "button", on: { click: () => copy(command, "The command") } }, "Copy the command"),
    );
  }
  const boxes = OPTIONS.map(([name, title]) => ({ name, input: element("input", { type: "checkbox", name }), title }));
  const outcome = element("div", { class: "outcome", role: "status" });
  const run = async (event) => {
    event.preventDefault();
    outcome.replaceChildren(element("p", {}, "Redacting, and proving that nothing is left …"));
    const wanted = Object.fromEntries(boxes.map(({ name, input }) => [name, input.checked]));
    try {
      const answer = await source.share({ capture: capture.index, ...wanted });
      outcome.replaceChildren(answer.refused ? refusal(answer.refused) : report(answer, copy));
    } catch (error) {
      outcome.replaceChildren(element("p", { class: "failed" }, `It could not be shared: ${error.message}`));
    }
  };
  return element(
    "form",
    { on: { submit: run } },
    element("p", {}, "Codes, tokens, cookies, passwords and people become stand-ins; the diagnosis stays the same. Nothing is saved before you have seen what was replaced."),
    ...boxes.map(({ input, title }) => element("label", { class: "option" }, input, element("span", {}, title))),
    element("button", { type: "submit", class: "main" }, "Redact"),
    outcome,
  );
}

/**
 * What is said by a page that cannot redact, and the command that does.
 *
 * A capture that was shared may have been recorded into since, or merged with another: its mark is then of a part of it.
 *
 * @param {{name: string, isRedacted: boolean}} capture
 * @returns {{words: string, command: string}}
 */
export function elsewhere({ name, isRedacted }) {
  const words = isRedacted
    ? "authreel share has made stand-ins of the secrets of this capture, so the page can be handed on, unless something was recorded into it or merged with it since. This redacts that as well:"
    : "This page holds the capture as it is, secrets included. Alone it redacts nothing; this does:";
  return { words, command: `authreel share ${fileWord(name)} --out ${isRedacted ? "shared-again.har" : "shared.har"}` };
}

function refusal(reasons) {
  return element(
    "div",
    {},
    element("p", { class: "failed" }, "It cannot be shared: a secret would be left, or the diagnosis be another one. Nothing was saved."),
    element("ul", {}, ...reasons.map((reason) => element("li", {}, reason))),
  );
}

function report({ report: told, name, size, file }, copy) {
  return element(
    "div",
    {},
    element("p", { class: "good" }, "No secret is left, and the diagnosis is the same."),
    element("p", {}, `${told.kept} of ${count(told.all, "exchange")} are shared.`),
    element(
      "table",
      { class: "values replaced" },
      element("thead", {}, element("tr", {}, ...["Replaced", "Different", "Places", "Exchanges"].map((title) => element("th", { scope: "col" }, title)))),
      element(
        "tbody",
        {},
        ...told.rows.map((row) => element("tr", {}, element("th", { scope: "row" }, row.kind), ...[row.values, row.places, row.exchanges].map((value) => element("td", {}, String(value))))),
      ),
    ),
    told.open.length > 0 ? element("p", {}, "Kept, since they open nothing: ", ...told.open.flatMap((value, index) => [index > 0 ? ", " : "", element("code", {}, value)])) : null,
    told.personal ? element("p", { class: "failed" }, "Kept on purpose: names and addresses of people.") : null,
    element(
      "p",
      { class: "actions" },
      element("a", { class: "button main", href: file, download: name }, `Save ${name} (${count(size, "byte")})`),
      element("button", { type: "button", on: { click: () => copy(told.markdown, "The report") } }, "Copy the report as Markdown"),
    ),
  );
}
