import { claim, header } from "#viewer/claims.js";
import { element, rowHead } from "#viewer/dom.js";
import { valueOnScreen } from "#viewer/secret.js";
import { time } from "#viewer/words.js";

/** Of more claims only the first are listed. */
const MOST = 200;

const SIGNS = { passed: "✓", failed: "✗", skipped: "–" };

/**
 * A token: header, claims with times in words, and every check with its outcome.
 *
 * @param {object} token
 * @param {{started: string | null, exchange: number}} message the one that carries it
 * @param {{veil: import("#viewer/veil.js").Veil, redraw: () => void, isMarked: (member: string | null) => boolean, now?: number}} options
 *   `isMarked`: a member, `claims/nonce`, or all of it (null) is pointed at; `now`: seconds since 1970
 * @returns {HTMLElement}
 */
export function tokenPanel(token, message, options) {
  const reference = message.started === null ? null : Date.parse(message.started) / 1000;
  const now = options.now ?? Date.now() / 1000;
  const place = (member) => `${message.exchange}/${token.name}/${member}`;
  const none = { words: () => null, isSecret: () => false, place, ...options };
  const headers = { ...none, isMarked: (name) => options.isMarked(`header/${name}`) };
  const claims = { ...none, words: (name, value) => time(name, value, reference, now), isSecret: (name) => token.secret.includes(name), isMarked: (name) => options.isMarked(`claims/${name}`) };
  return element(
    "section",
    { class: "token" },
    element("h3", { class: options.isMarked(null) ? "chosen" : null }, `${token.name}: signature ${token.signature.replaceAll("_", " ")}`),
    token.encryption ? members("Encryption", token.encryption, header, { ...none, isMarked: (name) => options.isMarked(`encryption/${name}`) }) : null,
    token.header ? members("Header", token.header, header, headers) : null,
    token.claims ? members("Claims", token.claims, claim, claims) : null,
    element(
      "ul",
      { class: "checks", "aria-label": "Checks" },
      ...token.deviations.map((deviation) => element("li", { class: "failed" }, `✗ ${deviation.part}: ${deviation.what} (${deviation.source})`)),
      ...token.checks.map((check) =>
        element(
          "li",
          { class: check.outcome, title: `${check.requirement} (${check.source})` },
          `${SIGNS[check.outcome] ?? "·"} ${check.name}: ${check.detail}`,
          check.outcome === "failed" ? element("span", { class: "meaning" }, `${check.requirement} (${check.source})`) : null,
        ),
      ),
    ),
  );
}

function members(title, list, explain, { words, isSecret, isMarked, place, veil, redraw }) {
  return element(
    "table",
    { class: "values" },
    element("caption", {}, title),
    element(
      "tbody",
      {},
      ...list.slice(0, MOST).map(({ name, text, number }) => {
        const meaning = explain(name);
        const inWords = words(name, number ? Number(text) : text);
        return element(
          "tr",
          { class: isMarked(name) ? "chosen" : null },
          rowHead(name, null, meaning),
          element(
            "td",
            {},
            valueOnScreen(text, { isSecret: isSecret(name), place: place(name), name, veil, redraw }),
            inWords ? element("span", { class: "raw" }, inWords) : null,
            meaning ? element("span", { class: "meaning" }, meaning) : null,
          ),
        );
      }),
    ),
  );
}
