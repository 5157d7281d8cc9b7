import { element } from "#viewer/dom.js";
import { claim, header } from "#viewer/claims.js";
import { mask } from "#viewer/mask.js";
import { time } from "#viewer/words.js";

const SIGNS = { passed: "✓", failed: "✗", skipped: "–" };

/**
 * A token: header, claims with times in words, and every check with its outcome.
 *
 * @param {object} token
 * @param {{started: string}} message the one that carries it
 * @param {{isShown: boolean}} options
 * @returns {HTMLElement}
 */
export function tokenPanel(token, message, options) {
  const reference = Date.parse(message.started) / 1000;
  return element(
    "section",
    { class: "token" },
    element("h3", {}, `${token.name}: signature ${token.signature}`),
    token.encryption ? members("Encryption", token.encryption, header, () => null, []) : null,
    token.header ? members("Header", token.header, header, () => null, []) : null,
    token.claims ? members("Claims", token.claims, claim, (name, value) => time(name, value, reference), options.isShown ? [] : token.secret) : null,
    element(
      "ul",
      { class: "checks" },
      ...token.deviations.map((deviation) => element("li", { class: "failed" }, `✗ ${deviation.part}: ${deviation.what} (${deviation.source})`)),
      ...token.checks.map((check) =>
        element(
          "li",
          { class: check.outcome, title: `${check.requirement} (${check.source})` },
          `${SIGNS[check.outcome] ?? "·"} ${check.name}: ${check.detail}`,
        ),
      ),
    ),
  );
}

function members(title, object, explain, words, hidden) {
  return element(
    "table",
    { class: "values" },
    element("caption", {}, title),
    element(
      "tbody",
      {},
      ...Object.entries(object).map(([name, value]) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        const meaning = explain(name);
        const inWords = words(name, value);
        return element(
          "tr",
          {},
          element("th", { scope: "row", title: meaning }, name),
          element(
            "td",
            {},
            element("code", {}, hidden.includes(name) ? mask(text) : text),
            inWords ? element("span", { class: "raw" }, inWords) : null,
            meaning ? element("span", { class: "meaning" }, meaning) : null,
          ),
        );
      }),
    ),
  );
}
