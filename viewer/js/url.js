import { mask } from "#viewer/mask.js";

/**
 * An address as it may stand on the screen: values of secret parameters masked, fragment and user information as well; in a
 * presentation without its query.
 *
 * @param {Message} message
 * @param {import("#viewer/veil.js").Veil} veil
 * @returns {string}
 */
export function shownURL(message, veil) {
  if (veil.isLifted) return message.url;
  const { start, query, fragment } = parts(message.url);
  if (veil.isPresenting || query === undefined) return start + (fragment === undefined || veil.isPresenting ? "" : `#${mask(fragment)}`);
  const shown = withStandIns(query, message, (name, value) => (name === null ? mask(value) : `${name}=${mask(value)}`));
  return `${start}?${shown}${fragment === undefined ? "" : `#${mask(fragment)}`}`;
}

/**
 * An address to be asked again, with names in the place of secrets, without user information and fragment.
 *
 * @param {Message} message
 * @returns {string}
 */
export function namedURL(message) {
  const { start, query } = parts(message.url);
  if (query === undefined) return start;
  return `${start}?${withStandIns(query, message, (name) => (name === null ? "<parameter>" : `${name}=<${decoded(name)}>`))}`;
}

/**
 * @typedef {{url: string, more?: number, values: {where: string, name: string, secret?: boolean}[]}} Message `more`: how many
 *   of its values are not listed
 */

/** Up to the query without user information, the query and the fragment. */
function parts(url) {
  const [, start, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url);
  return { start: start.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1"), query, fragment };
}

/** A query in which something else stands for what is secret, and for what has no name. */
function withStandIns(query, { values, more }, standIn) {
  const places = values.filter((place) => place.where === "request.query");
  const [secret, open] = [true, false].map((isSecret) => new Set(places.filter((place) => Boolean(place.secret) === isSecret).map((place) => place.name)));
  // Where not all values are listed, those that are not may be anything.
  const isOpen = (name) => !secret.has(name) && (!more || open.has(name));
  return query
    .split("&")
    .map((part) => {
      const [name, ...rest] = part.split("=");
      if (rest.length === 0) return standIn(null, name);
      return isOpen(decoded(name)) ? part : standIn(name, rest.join("="));
    })
    .join("&");
}

/** A name as it was meant; as it stands where it is not well encoded. */
function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
