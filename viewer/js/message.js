import { cookiesPanel } from "#viewer/cookies.js";
import { element } from "#viewer/dom.js";
import { maskAll, secrets } from "#viewer/mask.js";
import { pkcePanel } from "#viewer/pkce.js";
import { placeID } from "#viewer/report.js";
import { valueOnScreen } from "#viewer/secret.js";
import { tokenPanel } from "#viewer/token.js";
import { count, duration } from "#viewer/words.js";

/** Of more values only the first are listed. */
const MOST = 300;

/**
 * One exchange: what it says by name, its tokens, and on demand as it was sent.
 *
 * @param {object} message
 * @param {object} options
 * @param {import("#viewer/veil.js").Veil} options.veil
 * @param {() => void} options.redraw
 * @param {object | null} options.chosen the place of a value that is to be marked
 * @param {object | null} options.flow the one that the message belongs to
 * @param {(place: object) => void} options.follow a value's way is asked for
 * @param {(exchange: number) => void} options.go
 * @param {() => void} options.copy the request is asked for as a command for curl
 * @returns {HTMLElement}
 */
export function messagePanel(message, options) {
  const { veil } = options;
  const known = veil.isLifted ? [] : secrets(message);
  const hidden = (text) => maskAll(text, known);
  const request = message.values.filter((place) => place.where.startsWith("request"));
  const answer = message.values.filter((place) => place.where.startsWith("response"));
  const proofs = (options.flow?.pkce ?? []).filter((proof) => [proof.asked, proof.proved].includes(message.exchange));
  return element(
    "article",
    { class: "message-panel", "aria-label": `Message ${message.exchange}` },
    element(
      "h2",
      {},
      `[${message.exchange}] ${message.steps.join(", ") || message.method} `,
      element("button", { type: "button", title: veil.isLifted ? null : "names stand for the secrets", on: { click: options.copy } }, "Copy as curl"),
    ),
    element("p", { class: "line-of-request" }, element("b", {}, message.method), " ", element("code", {}, hidden(message.url))),
    element("p", { class: "facts" }, facts(message)),
    ...message.malformed.map((what) => element("p", { class: "failure" }, `Not as HTTP wants it: ${what}`)),
    element("section", {}, element("h3", {}, "Request"), table(request, message, options)),
    message.response
      ? element("section", {}, element("h3", {}, `Answer ${message.response.status} ${message.response.statusText}`), table(answer, message, options))
      : element("p", { class: "failure" }, `No answer. ${message.failure ?? ""}`),
    ...proofs.map((proof) => pkcePanel(proof, options)),
    ...message.tokens.map((token) => tokenPanel(token, message, options)),
    cookiesPanel(message.cookies, options),
    // What has no name may be secret as well.
    ...(veil.isPresenting ? [element("p", { class: "nothing" }, "Headers and bodies are not shown in a presentation.")] : whole(message, hidden)),
  );
}

function whole(message, hidden) {
  return [
    headersOf("Headers of the request", message.request.headers, hidden),
    bodyOf("Body of the request", message.request.body, hidden),
    message.response ? headersOf("Headers of the answer", message.response.headers, hidden) : null,
    message.response ? bodyOf("Body of the answer", message.response.body, hidden) : null,
  ];
}

function facts(message) {
  const parts = [message.started.replace("T", " ").replace(/Z$/, " UTC")];
  if (message.time !== null) parts.push(`answered after ${duration(message.time / 1000)}`);
  if (message.client) parts.push(`sent by ${message.client}`);
  return parts.join(" · ");
}

function table(all, message, { veil, redraw, chosen, flow, follow }) {
  const isMeant = (place) => chosen !== null && place.where === chosen.where && place.name === chosen.name;
  // What was found or pointed at is shown wherever it stands.
  const places = all.length > MOST ? [...all.slice(0, MOST), ...all.slice(MOST).filter(isMeant).slice(0, MOST)] : all;
  if (places.length === 0) return element("p", { class: "nothing" }, "Nothing with a name.");
  return element(
    "table",
    { class: "values" },
    element(
      "tbody",
      {},
      ...places.map((place) => {
        const isChosen = isMeant(place);
        const id = placeID({ ...place, exchange: message.exchange });
        return element(
          "tr",
          { class: isChosen ? "chosen" : null },
          element("th", { scope: "row" }, place.name || "(no name)", element("span", { class: "where" }, place.where.split(".")[1])),
          element(
            "td",
            {},
            valueOnScreen(place.value, { isSecret: Boolean(place.secret), place: id, name: place.name, veil, redraw }),
            place.raw && (!place.secret || veil.shows(id)) ? element("span", { class: "raw" }, `as sent: ${place.raw}`) : null,
          ),
          element(
            "td",
            {},
            flow ? element("button", { type: "button", "aria-label": `Follow ${place.name}`, on: { click: () => follow(place) } }, "follow") : null,
          ),
        );
      }),
      all.length > places.length ? element("tr", {}, element("td", { colspan: 3, class: "nothing" }, `${all.length - places.length} more are in the headers and the body below, and found by a search.`)) : null,
    ),
  );
}

function headersOf(title, headers, hidden) {
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

/** JSON with line breaks, a form with one field a line; everything else as it came. */
export function pretty(body) {
  if (/^application\/x-www-form-urlencoded/i.test(body.type ?? "")) return body.text.replaceAll("&", "&\n");
  if (!/json/i.test(body.type ?? "") && !/^\s*[[{]/.test(body.text)) return body.text;
  try {
    return JSON.stringify(JSON.parse(body.text), null, 2);
  } catch {
    return body.text;
  }
}
