/**
 * What is being looked at, as it stands behind the number sign of the address, so that a link opens the same place.
 *
 * @typedef {object} Place
 * @property {number} capture
 * @property {"flow" | "exchanges" | "compare"} view
 * @property {string | null} flow
 * @property {number | null} exchange
 * @property {string | null} value the place where a value was made whose way is followed
 * @property {string | null} q what is searched for
 * @property {string | null} same the place of a secret that is searched for, `0/3/request.query/state` with its capture before it: the value
 *   itself stands in no address
 * @property {string | null} who filters: participant, kind, host and rule
 * @property {string | null} kind
 * @property {string | null} host
 * @property {string | null} rule
 * @property {string | null} only which logins are listed, as `isListed` of `logins.js` has it
 * @property {string | null} a the flow that is compared with, `0/flow-1`
 * @property {string | null} b
 * @property {boolean} scale waits are drawn to scale
 * @property {boolean} present nothing secret is shown
 */

const VIEWS = ["flow", "exchanges", "compare"];
const TEXTS = ["flow", "value", "q", "same", "who", "kind", "host", "rule", "only", "a", "b"];
const FLAGS = ["scale", "present"];

/**
 * @param {string} hash with or without `#`
 * @param {number} [captures] how many there are
 * @returns {Place} of a capture that there is
 */
export function parse(hash, captures = Infinity) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name) => (/^\d{1,9}$/.test(parts.get(name) ?? "") ? Number(parts.get(name)) : null);
  const place = {
    capture: Math.max(0, Math.min(number("capture") ?? 0, captures - 1)),
    view: VIEWS.includes(parts.get("view")) ? parts.get("view") : "flow",
    exchange: number("exchange"),
  };
  for (const name of TEXTS) place[name] = parts.get(name) || null;
  for (const name of FLAGS) place[name] = parts.get(name) === "1";
  return place;
}

/**
 * @param {Partial<Place>} place
 * @returns {string} without `#`; empty where nothing is looked at
 */
export function format(place) {
  const parts = new URLSearchParams();
  if (place.capture) parts.set("capture", String(place.capture));
  if (place.view && place.view !== "flow") parts.set("view", place.view);
  if (place.exchange !== null && place.exchange !== undefined) parts.set("exchange", String(place.exchange));
  for (const name of TEXTS) if (place[name]) parts.set(name, place[name]);
  for (const name of FLAGS) if (place[name]) parts.set(name, "1");
  return parts.toString();
}

/** @returns {boolean} whether the same message is looked at, or none at both places */
export function isSameMessage(one, other) {
  return one.capture === other.capture && one.exchange === other.exchange;
}

/** @returns {{capture: number, flow: string} | null} a side of a comparison, of `0/flow-1` */
export function side(text) {
  const parts = /^(\d{1,4})\/(.+)$/.exec(text ?? "");
  return parts ? { capture: Number(parts[1]), flow: parts[2] } : null;
}
