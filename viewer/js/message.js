import { cookiesPanel } from "#viewer/cookies.js";
import { element, headed, rowHead } from "#viewer/dom.js";
import { indented } from "#viewer/json.js";
import { marksOf } from "#viewer/marks.js";
import { pkcePanel } from "#viewer/pkce.js";
import { partID, placeID, placesOf } from "#viewer/report.js";
import { valueOnScreen } from "#viewer/secret.js";
import { socketPanel } from "#viewer/socket.js";
import { tokenPanel } from "#viewer/token.js";
import { shownURL } from "#viewer/url.js";
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
 * @param {import("#viewer/marks.js").Chosen | null} options.chosen what is to be marked
 * @param {boolean} options.isOfFlow whether it belongs to the login that is looked at
 * @param {object[]} options.proofs of PKCE, as `proofsOf` has them
 * @param {(place: object) => void} options.follow the way of a value is asked for, of a place as `placesOf` has it
 * @param {(exchange: number) => void} options.go
 * @param {() => void} options.copy the request is asked for as a command for curl
 * @returns {HTMLElement}
 */
export function messagePanel(message, given) {
  const marks = marksOf(given.chosen, message);
  const options = { ...given, marks };
  const { veil } = options;
  const marked = (part, ...names) => [...names, ...(marks.has(part) ? ["chosen"] : [])].join(" ") || null;
  const places = placesOf(message);
  const request = places.filter((place) => place.where.startsWith("request"));
  const answer = places.filter((place) => place.where.startsWith("response"));
  return element(
    "article",
    { class: "message-panel", "aria-label": `Message ${message.exchange}` },
    headed(
      `[${message.exchange}] ${[...new Set(message.steps)].join(", ") || message.method}`,
      element("button", { type: "button", title: veil.isLifted ? null : "names stand for the secrets", on: { click: options.copy } }, "Copy as curl"),
    ),
    element("p", { class: marked("url", "line-of-request") }, element("b", {}, message.method), " ", element("code", {}, shownURL(message, veil))),
    element("p", { class: marked("facts", "facts") }, facts(message)),
    ...message.malformed.map((what) => element("p", { class: "failure" }, `Not as HTTP wants it: ${what}`)),
    element("section", {}, element("h3", {}, "Request"), table(request, message.more, message, options)),
    message.response
      ? element("section", {}, element("h3", { class: marked("status") }, `Answer ${message.response.status} ${message.response.statusText}`), table(answer, 0, message, options))
      : null,
    message.response && message.failure === null ? null : element("p", { class: marked("failure", "failure") }, ending(message)),
    ...options.proofs.map((proof) => pkcePanel(proof, options)),
    ...message.tokens.map((token, index) => tokenPanel(token, message, { ...options, isMarked: (member) => marks.has(member === null ? `token/${index}` : `token/${index}/${member}`) })),
    cookiesPanel(message.cookies, options),
    // What has no name may be secret as well.
    ...(veil.isPresenting ? [element("p", { class: "nothing" }, "Headers and bodies are not shown in a presentation.")] : whole(message, options)),
  );
}

function whole(message, options) {
  const sides = ["request", "response"].filter((side) => message[side]).flatMap((side) => {
    const title = side === "request" ? "of the request" : "of the answer";
    return [headersOf(`Headers ${title}`, message, side, options), bodyOf(`Body ${title}`, message, side, options)];
  });
  return [...sides, socketPanel(message, options)];
}

/** How an exchange ended that did not end well. */
function ending({ response, failure, broken }) {
  if (!response) return `No answer. ${failure ?? ""}`;
  return broken ? `The answer broke off: ${failure}` : `Not whole: ${failure}`;
}

function facts(message) {
  const parts = [message.started === null ? "time not recorded" : message.started.replace("T", " ").replace(/Z$/, " UTC")];
  if (message.time !== null) parts.push(`answered after ${duration(message.time / 1000)}`);
  if (message.client) parts.push(`sent by ${message.client}`);
  return parts.join(" · ");
}

function table(all, more, message, { veil, redraw, marks, isOfFlow, follow }) {
  const isMeant = (place) => marks.has(`value/${partID(place)}`);
  // What was found or pointed at is shown wherever it stands.
  const places = all.length > MOST ? [...all.slice(0, MOST), ...all.slice(MOST).filter(isMeant).slice(0, MOST)] : all;
  if (places.length === 0) return element("p", { class: "nothing" }, "Nothing with a name.");
  return element(
    "table",
    { class: "values sent" },
    element(
      "tbody",
      {},
      ...places.map((place) => {
        const id = placeID(place);
        return element(
          "tr",
          { class: isMeant(place) ? "chosen" : null },
          rowHead(place.name || "(no name)", place.where.split(".")[1]),
          element(
            "td",
            {},
            valueOnScreen(place.value, { isSecret: Boolean(place.secret), place: id, name: place.name, veil, redraw }),
            place.raw && (!place.secret || veil.shows(id)) ? element("span", { class: "raw" }, "as sent: ", element("code", {}, place.raw)) : null,
          ),
          element(
            "td",
            {},
            isOfFlow ? element("button", { type: "button", "aria-label": `Follow ${place.name}`, on: { click: () => follow(place) } }, "follow") : null,
          ),
        );
      }),
      all.length + more > places.length ? element("tr", {}, element("td", { colspan: 3, class: "nothing" }, `${all.length + more - places.length} more are in the headers and the body below.`)) : null,
    ),
  );
}

/** Of header fields that are not known to open nothing the values are masked. */
function headersOf(title, message, side, { veil, redraw, marks }) {
  const { headers } = message[side];
  const isMeant = (index) => marks.has(`header/${side}/${index}`);
  const isOpen = marks.has(`headers/${side}`);
  // Where there is no field of that name, it is all of them that are meant.
  const areAllMeant = isOpen && !headers.some((_, index) => isMeant(index));
  return element(
    "details",
    { open: isOpen },
    element("summary", { class: areAllMeant ? "chosen" : null }, `${title} (${headers.length})`),
    element(
      "dl",
      { class: "headers" },
      ...headers.flatMap(({ name, value, open }, index) => [
        element("dt", { class: isMeant(index) ? "chosen" : null }, name),
        element("dd", { class: isMeant(index) ? "chosen" : null }, valueOnScreen(value, { isSecret: !open, place: `${message.exchange}/${side}/${index}`, name, veil, redraw })),
      ]),
    ),
  );
}

/** A body is made when it is unfolded; one that may hold secrets is asked for once more. */
function bodyOf(title, message, side, { veil, redraw, marks, chosen }) {
  const { body } = message[side];
  if (!body) return null;
  const kind = [body.type, body.charset ? `read as ${body.charset}` : null, body.size === null || body.size === undefined ? null : count(body.size, "byte")].filter(Boolean).join(", ");
  const content = element("div", {});
  const place = `${message.exchange}/${side}/body`;
  const isMeant = marks.has(`body/${side}`);
  const fill = () => content.childNodes.length === 0 && content.append(bodyContent(body, { place, veil, redraw, words: isMeant ? chosen.match ?? chosen.value : null }));
  if (isMeant) fill();
  return element(
    "details",
    { open: isMeant, on: { toggle: fill } },
    element("summary", { class: isMeant ? "chosen" : null }, kind ? `${title} (${kind})` : title),
    content,
    ...lacks(body, message).map((words) => element("p", { class: "nothing" }, words)),
  );
}

/**
 * What is not to be seen of a body.
 *
 * @returns {string[]} in sentences
 */
export function lacks(body, message) {
  return [
    body.truncated ? (message.failure ? "Not all of it came." : "Only its beginning is in the capture.") : null,
    body.coding ? `It is coded (${body.coding}), and that could not be undone.` : null,
    body.cut ? "Only the first mebibyte is shown." : null,
  ].filter(Boolean);
}

function bodyContent(body, { place, veil, redraw, words }) {
  if (body.base64) return element("img", { src: `data:${body.type.split(";")[0]};base64,${body.base64}`, alt: "the picture that was answered" });
  if (body.text === undefined) return element("p", { class: "nothing" }, "No text; it is not shown.");
  if (body.open || veil.shows(place)) return element("pre", {}, ...withMark(pretty(body), words));
  const show = () => {
    veil.lift(place);
    redraw();
  };
  return element("button", { type: "button", on: { click: show } }, "Show it as it was sent: it may hold secrets");
}

/** The text with the words that are meant marked where they stand first. */
function withMark(text, words) {
  const start = words ? text.indexOf(words) : -1;
  if (start < 0) return [text];
  const end = start + words.length;
  return [text.slice(0, start), element("span", { class: "chosen" }, text.slice(start, end)), text.slice(end)];
}

/** JSON with line breaks, a form with one field a line; everything else as it came. */
function pretty({ type, text }) {
  if (/^application\/x-www-form-urlencoded/i.test(type ?? "")) return text.replaceAll("&", "&\n");
  return /json/i.test(type ?? "") || /^\s*[[{]/.test(text) ? indented(text) : text;
}
