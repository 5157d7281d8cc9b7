import { mask } from "#viewer/mask.js";

/**
 * An address as it may stand on the screen: values of secret parameters masked, fragment and user information as well; in a
 * presentation without its query.
 *
 * @param {{url: string, values: {where: string, name: string, secret?: boolean}[]}} message
 * @param {import("#viewer/veil.js").Veil} veil
 * @returns {string}
 */
export function shownURL({ url, values }, veil) {
  if (veil.isLifted) return url;
  const [, start, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url);
  const bare = start.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
  if (veil.isPresenting) return bare;
  const secret = new Set(values.filter((place) => place.where === "request.query" && place.secret).map((place) => place.name));
  const parts = (query ?? "").split("&").map((part) => {
    const [name, ...rest] = part.split("=");
    if (rest.length === 0) return mask(name);
    return secret.has(decoded(name)) ? `${name}=${mask(rest.join("="))}` : part;
  });
  return bare + (query === undefined ? "" : `?${parts.join("&")}`) + (fragment === undefined ? "" : `#${mask(fragment)}`);
}

/** @returns {string} a name as it was meant; as it stands where it is not well encoded */
export function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
