import { element, headed } from "#viewer/dom.js";
import { mask } from "#viewer/mask.js";
import { placeID, placesOf } from "#viewer/report.js";
import { shortNames } from "#viewer/words.js";

/** Of one message so many places are told. */
const MOST = 4;
/** Characters on both sides of what was found. */
const CONTEXT = 40;

/**
 * Where a text stands in a message, as decoded: as `ViewerSearch` has it where there is a server.
 *
 * @param {string} query
 * @param {object | null} message
 * @returns {{where: string, name: string, before: string, match: string, after: string, secret?: boolean, open?: boolean}[]} `open`: nothing around it
 *   is a secret, though it has no name
 */
export function hits(query, message) {
  if (query === "" || !message) return [];
  // Upper and lower case have different lengths in some scripts: what is cut is the text itself.
  const wanted = new RegExp(query.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"), "i");
  const found = [];
  for (const text of texts(message)) {
    if (found.length >= MOST) break;
    // What a value's own place tells need not be told by the header or body around it.
    if (text.isWhole && found.length > 0) continue;
    const hit = hitIn(wanted, text);
    if (hit) found.push(hit);
  }
  return found;
}

function* texts(message) {
  for (const { where, name, value, secret } of message.values) {
    yield { where, name, text: name };
    yield { where, name, text: value, secret };
  }
  for (const token of message.tokens) {
    for (const part of ["header", "claims"]) {
      for (const member of token[part] ?? []) {
        const name = `${token.name} ${member.name}`;
        yield { where: "token", name, text: member.name };
        yield { where: "token", name, text: member.text, secret: token.secret.includes(member.name) };
      }
    }
  }
  yield { where: "url", name: "", text: message.address ?? "", isWhole: true, open: true };
  yield { where: "url", name: "", text: message.url, isWhole: true };
  for (const side of ["request", "response"]) {
    for (const { name, value, open } of message[side]?.headers ?? []) {
      yield { where: side, name, text: `${name}: ${value}`, isWhole: true, open };
    }
    const body = message[side]?.body;
    yield { where: `${side}.body`, name: "", text: body?.text ?? "", isWhole: true, open: body?.open };
  }
  for (const [index, { text, open }] of (message.socket?.messages ?? []).entries()) {
    yield { where: "websocket", name: String(index + 1), text: text ?? "", isWhole: true, open };
  }
}

function hitIn(wanted, { where, name, text, secret, open }) {
  const found = wanted.exec(text);
  if (!found) return null;
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  return {
    where, name, match: found[0], ...(secret ? { secret } : {}), ...(open ? { open } : {}),
    before: before.length > CONTEXT ? `…${before.slice(-CONTEXT)}` : before,
    after: after.length > CONTEXT ? `${after.slice(0, CONTEXT)}…` : after,
  };
}

/**
 * The value that stands at a place.
 *
 * @param {object | null} message
 * @param {string} id of the place, as `placeID` has it
 * @returns {string | null}
 */
export function valueAt(message, id) {
  return message ? (placesOf(message).find((place) => placeID(place) === id)?.value ?? null) : null;
}

/**
 * The place of a secret as it stands in an address; the search is through all captures, so its own is named.
 *
 * @param {number} capture
 * @param {object} place as `placesOf` has it
 * @returns {string} `0/3/request.query/state`
 */
export function sameID(capture, place) {
  return `${capture}/${placeID(place)}`;
}

/** @returns {{capture: number, exchange: number, id: string, name: string} | null} what `sameID` wrote; `id`: as `placeID` has it */
function sought(same) {
  const parts = /^(\d{1,4})\/((\d{1,9})\/[^/]*\/(.*))$/s.exec(same);
  return parts ? { capture: Number(parts[1]), id: parts[2], exchange: Number(parts[3]), name: parts[4] } : null;
}

/**
 * The secret that is searched for.
 *
 * @param {string} same its place, as `sameID` has it
 * @param {{exchanges: object[]}[]} captures
 * @param {{message: (capture: number, exchange: number) => Promise<object>}} source
 * @returns {Promise<string | null>} null where there is no such place
 */
export async function secretOf(same, captures, source) {
  const place = sought(same);
  if (!place || place.exchange >= (captures[place.capture]?.exchanges.length ?? 0)) return null;
  return valueAt(await source.message(place.capture, place.exchange), place.id);
}

/**
 * What was found, each place a button.
 *
 * @param {{query: string | null, same: string | null}} asked a text, or the place of a secret, as `sameID` has it; the value is not told
 * @param {{hits: object[], more: boolean}} result
 * @param {{veil: import("#viewer/veil.js").Veil, captures: {name: string}[], go: (hit: object) => void, leave: () => void}} options
 * @returns {HTMLElement}
 */
export function searchResults({ query, same }, { hits: found, more }, options) {
  const words = same === null ? `“${query}”` : `The value of ${sought(same)?.name ?? "this place"}`;
  const names = shortNames(options.captures.map(({ name }) => name));
  return element(
    "section",
    { class: "results", "aria-label": "Found" },
    headed(
      found.length === 0 ? `${words} stands nowhere` : `${words} in ${found.length}${more ? " and more" : ""} place${found.length === 1 ? "" : "s"}`,
      element("button", { type: "button", on: { click: options.leave } }, "Close (Esc)"),
    ),
    more ? element("p", { class: "nothing" }, "Only the first are listed: ask for something longer.") : null,
    element(
      "ul",
      {},
      ...found.map((hit) =>
        element(
          "li",
          {},
          element(
            "button",
            { type: "button", on: { click: () => options.go(hit) } },
            element("span", { class: "place" }, `${names.length > 1 ? `${names[hit.capture]} ` : ""}[${hit.exchange}] ${hit.where} ${hit.name}`),
            element("code", {}, ...excerpt(hit, { isLifted: options.veil.isLifted, isPresenting: options.veil.isPresenting, isSecret: same !== null }).map((part, index) => (index === 1 ? element("mark", {}, part) : part))),
          ),
        ),
      ),
    ),
  );
}

/**
 * What stands on the screen of a hit.
 *
 * @param {object} hit
 * @param {{isLifted: boolean, isPresenting?: boolean, isSecret: boolean}} shown `isSecret`: a secret was looked for
 * @returns {string[]} what is before it, itself and what is behind it; one text where all of it is a secret
 */
export function excerpt(hit, { isLifted, isPresenting = false, isSecret }) {
  const { before, match, after } = hit;
  if (isLifted) return [before, match, after];
  if (hit.secret) return [mask(before + match + after)];
  const own = isSecret ? mask(match) : match;
  // Where there is nothing around it, nothing is hidden.
  const hidden = (text) => (text === "" ? "" : mask(text));
  // Header lines, whole bodies and what a WebSocket brought may hold secrets that have no name here, unless they are known to open nothing; a value with a
  // name is known to be none.
  const isOpen = hit.open && !isPresenting;
  const mayHoldSecrets = !isOpen && (/^(request|response|url|websocket)$/.test(hit.where) || (/^(request|response)\.body$/.test(hit.where) && hit.name === ""));
  return mayHoldSecrets ? [hidden(before), own, hidden(after)] : [before, own, after];
}
