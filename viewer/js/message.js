import { element } from "#viewer/dom.js";
import { mask, maskAll, secrets } from "#viewer/mask.js";
import { count, duration } from "#viewer/words.js";
import { tokenPanel } from "#viewer/token.js";

/**
 * One exchange: what it says by name, its tokens, and on demand as it was sent.
 *
 * @param {object} message
 * @param {{isShown: boolean, chosen: object | null, follow: (place: object) => void}} options `chosen`: the place of a value
 *   that is to be marked; `follow`: a value's way is asked for
 * @returns {HTMLElement}
 */
export function messagePanel(message, options) {
  const known = options.isShown ? [] : secrets(message);
  const hidden = (text) => maskAll(text, known);
  const request = message.values.filter((place) => place.where.startsWith("request"));
  const answer = message.values.filter((place) => place.where.startsWith("response"));
  return element(
    "article",
    { class: "message-panel", "aria-label": `Message ${message.exchange}` },
    element("h2", {}, `[${message.exchange}] ${message.steps[0] ?? message.method}`),
    element("p", { class: "line-of-request" }, element("b", {}, message.method), " ", element("code", {}, hidden(message.url))),
    element("p", { class: "facts" }, facts(message)),
    values("Request", request, options),
    message.response
      ? element(
          "section",
          {},
          element("h3", {}, `Answer ${message.response.status} ${message.response.statusText}`),
          table(answer, options),
        )
      : element("p", { class: "failure" }, `No answer. ${message.failure ?? ""}`),
    ...message.tokens.map((token) => tokenPanel(token, message, options)),
    raw("Headers of the request", message.request.headers, hidden),
    bodyOf("Body of the request", message.request.body, hidden),
    message.response ? raw("Headers of the answer", message.response.headers, hidden) : null,
    message.response ? bodyOf("Body of the answer", message.response.body, hidden) : null,
  );
}

function facts(message) {
  const parts = [message.started.replace("T", " ").replace(/Z$/, " UTC")];
  if (message.time !== null) parts.push(`answered after ${duration(message.time / 1000)}`);
  if (message.client) parts.push(`sent by ${message.client}`);
  return parts.join(" · ");
}

function values(title, places, options) {
  return element("section", {}, element("h3", {}, title), table(places, options));
}

function table(places, options) {
  if (places.length === 0) return element("p", { class: "nothing" }, "Nothing with a name.");
  return element(
    "table",
    { class: "values" },
    element(
      "tbody",
      {},
      ...places.map((place) => {
        const isChosen = options.chosen !== null && place.where === options.chosen.where && place.name === options.chosen.name;
        return element(
          "tr",
          { class: isChosen ? "chosen" : null },
          element("th", { scope: "row" }, place.name, element("span", { class: "where" }, place.where.split(".")[1])),
          element(
            "td",
            {},
            element("code", {}, place.secret && !options.isShown ? mask(place.value) : place.value),
            place.raw && (options.isShown || !place.secret) ? element("span", { class: "raw" }, `as sent: ${place.raw}`) : null,
          ),
          element(
            "td",
            {},
            element(
              "button",
              { type: "button", "aria-label": `Follow ${place.name}`, on: { click: () => options.follow(place) } },
              "follow",
            ),
          ),
        );
      }),
    ),
  );
}

function raw(title, headers, hidden) {
  return element(
    "details",
    {},
    element("summary", {}, `${title} (${headers.length})`),
    element("pre", {}, headers.map((header) => `${header.name}: ${hidden(header.value)}`).join("\n")),
  );
}

function bodyOf(title, body, hidden) {
  if (!body) return null;
  const kind = [body.type, body.size === null || body.size === undefined ? null : count(body.size, "byte")].filter(Boolean).join(", ");
  const content = body.base64
    ? element("img", { src: `data:${body.type.split(";")[0]};base64,${body.base64}`, alt: "the picture that was answered" })
    : element("pre", {}, body.text === undefined ? "No text; it is not shown." : hidden(pretty(body)));
  return element(
    "details",
    {},
    element("summary", {}, kind ? `${title} (${kind})` : title),
    content,
    body.cut ? element("p", { class: "nothing" }, "Only the first mebibyte is shown.") : null,
  );
}

/** JSON with line breaks; everything else as it came. */
export function pretty(body) {
  if (!/json/i.test(body.type ?? "") && !/^\s*[[{]/.test(body.text)) return body.text;
  try {
    return JSON.stringify(JSON.parse(body.text), null, 2);
  } catch {
    return body.text;
  }
}
