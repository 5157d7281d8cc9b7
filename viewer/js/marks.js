/** Which part of a message's panel is marked: where evidence, a link or something that was found points. */

import { partID, placesOf } from "#viewer/report.js";

/** Of a token, in the order in which they are shown. */
const PARTS = ["encryption", "header", "claims"];

/** What begins as the header of a JWT does (RFC 7515, section 3.1). */
const TOKEN = /^(Bearer |DPoP )?eyJ[\w-]*\./i;

/**
 * @typedef {{where: string, name: string, value?: string, full?: string, match?: string, ordinal?: number}} Chosen a place of evidence,
 *   of a link, of a hit or of a message, with the value that stands there or the words that were found; `full`: the value where
 *   `value` is cut; `ordinal`: as `placesOf` has it
 */

/**
 * @param {Chosen | null} chosen
 * @param {object} message
 * @returns {Set<string>} `value/request.body/code`, `value/request.body:2/code`, `header/request/3`, `headers/request`, `body/response`,
 *   `token/0/claims/nonce`, `token/0`, `socket/2`, `url`, `status`, `facts`, `failure`
 */
export function marksOf(chosen, message) {
  if (chosen === null) return new Set();
  const { where, name } = chosen;
  // What the panel lists by name is marked there.
  const listed = /^(request|response)\./.test(where) ? placesOf(message).filter((place) => place.where === where && place.name === name) : [];
  if (listed.length > 0) return new Set(meantOf(listed, chosen).map((place) => `value/${partID(place)}`));
  return new Set(others(chosen, message));
}

/** Of several of one name the one that was chosen, else those with its value, else all. */
function meantOf(places, { ordinal, value, full = value }) {
  const meant = places.filter((place) => (ordinal === undefined ? place.value === full : place.ordinal === ordinal));
  return meant.length > 0 ? meant : places;
}

function others(chosen, message) {
  const { where, name } = chosen;
  const side = where.split(".")[0];
  switch (where) {
    case "url":
    case "request.url":
    case "request.query":
      return ["url"];
    case "request.cookie":
      return headers("request", "cookie", message);
    case "request":
    case "response":
    case "request.header":
    case "response.header":
      return headers(side, name, message);
    case "response.location":
      return headers("response", "location", message);
    case "request.body":
    case "response.body":
      return message[side]?.body ? [`body/${side}`] : headers(side, "", message);
    case "response.status":
      return [message.response ? "status" : "failure"];
    case "tls":
      return [message.failure === null ? "facts" : "failure"];
    case "websocket":
      return [`socket/${name}`];
    case "timing":
      return ["facts"];
    case "token":
      return members(message, PARTS, name.slice(name.indexOf(" ") + 1), (_, token) => name.startsWith(`${token.name} `));
    case "jwt.header":
      return members(message, ["header", "encryption"], name, (text) => text === chosen.value);
    case "jwt.claims":
      return members(message, ["claims"], name, (text) => text === chosen.value);
    default:
      return [];
  }
}

/** Fields of a name, cookies that are set under it; all of them where there is none. */
function headers(side, name, message) {
  const all = message[side]?.headers ?? [];
  const isMeant = (field) => field.name.toLowerCase() === name.toLowerCase() || (/^set-cookie$/i.test(field.name) && field.value.startsWith(`${name}=`));
  const found = all.flatMap((field, index) => (name !== "" && isMeant(field) ? [`header/${side}/${index}`] : []));
  return [`headers/${side}`, ...found];
}

/** A member of the tokens: the one that is meant, else each of that name; the tokens themselves where none has it or none was read. */
function members(message, parts, name, isMeant) {
  const { tokens } = message;
  const found = tokens.flatMap((token, index) =>
    parts.flatMap((part) => (token[part] ?? []).filter((member) => member.name === name).map(({ text }) => ({ id: `token/${index}/${part}/${name}`, isMeant: isMeant(text, token) }))),
  );
  if (found.length === 0 && tokens.length > 0) return tokens.map((_, index) => `token/${index}`);
  if (found.length === 0) return placesOf(message).filter((place) => TOKEN.test(place.value)).map((place) => `value/${partID(place)}`);
  const meant = found.filter((member) => member.isMeant);
  return (meant.length > 0 ? meant : found).map((member) => member.id);
}
