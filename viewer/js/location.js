/**
 * What is being looked at, as it stands behind the number sign of the address, so that a link opens the same place.
 *
 * @typedef {{flow: string | null, exchange: number | null, value: string | null}} Place
 */

/**
 * @param {string} hash with or without `#`
 * @returns {Place}
 */
export function parse(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const exchange = parts.get("exchange");
  return {
    flow: parts.get("flow"),
    exchange: exchange !== null && /^\d{1,9}$/.test(exchange) ? Number(exchange) : null,
    value: parts.get("value"),
  };
}

/**
 * @param {Place} place
 * @returns {string} without `#`; empty where nothing is looked at
 */
export function format(place) {
  const parts = new URLSearchParams();
  if (place.flow !== null) parts.set("flow", place.flow);
  if (place.exchange !== null) parts.set("exchange", String(place.exchange));
  if (place.value !== null) parts.set("value", place.value);
  return parts.toString();
}
