const UNITS = [["day", 86400], ["h", 3600], ["min", 60], ["s", 1]];

/**
 * A length of time as a person says it, by its two largest units.
 *
 * @param {number} seconds
 * @returns {string} `1 h 5 min`, `0.25 s`
 */
export function duration(seconds) {
  const length = Math.abs(seconds);
  if (length < 10) return `${Number(length.toFixed(3))} s`;
  const parts = [];
  let rest = Math.round(length);
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}${unit === "day" && count > 1 ? "s" : ""}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/**
 * A time since a beginning, to the millisecond however long ago that is, the rest cut off as `authreel show` does; before it,
 * roughly.
 *
 * @param {number} milliseconds
 * @returns {string} `+8.22 s`, `+9:58.015`, `+1:09:58.015`, `−7 h 2 min`
 */
export function offset(milliseconds) {
  return milliseconds < 0 ? `−${duration(milliseconds / 1000)}` : `+${since(milliseconds)}`;
}

function since(milliseconds) {
  const seconds = Math.floor(milliseconds) / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(3))} s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = (seconds % 60).toFixed(3).padStart(6, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/**
 * A time against another one.
 *
 * @param {number} time seconds since 1970
 * @param {number} reference seconds since 1970
 * @returns {string} `5 min after`, `3 s before`, `at the same time`
 */
export function against(time, reference) {
  const seconds = time - reference;
  if (Math.abs(seconds) < 0.0005) return "at the same time";
  return `${duration(seconds)} ${seconds > 0 ? "after" : "before"}`;
}

/** Claims whose value is a time (RFC 7519, section 4.1; OpenID Connect Core, section 2). */
const TIMES = new Set(["exp", "iat", "nbf", "auth_time", "updated_at"]);

/**
 * What a claim's number says, where it is a time.
 *
 * @param {string} name of the claim
 * @param {unknown} value
 * @param {number | null} reference when the message was sent, in seconds since 1970; null where nobody knows
 * @param {number} [now] in seconds since 1970
 * @returns {string | null} `2026-03-15 09:15:08 UTC, 10 min after this message, 251 days ago`
 */
export function time(name, value, reference, now) {
  if (!TIMES.has(name) || typeof value !== "number" || Math.abs(value) > 8.64e12) return null;
  const date = new Date(value * 1000).toISOString().replace("T", " ").replace(/(\.000)?Z$/, " UTC");
  const relation = reference === null ? null : against(value, reference);
  const message = relation === null ? date : `${date}, ${relation}${relation.startsWith("at") ? " as" : ""} this message`;
  return now === undefined ? message : `${message}, ${duration(value - now)} ${value > now ? "from now" : "ago"}`;
}

/** @returns {string} `1 exchange`, `3 exchanges` */
export function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/**
 * Names of files without the folders that all of one name have in common.
 *
 * @param {string[]} names
 * @returns {string[]} `login.har`; `monday/login.har` where another one is called so as well
 */
export function shortNames(names) {
  const parts = names.map((name) => name.split("/"));
  const last = (index, depth) => parts[index].slice(-depth).join("/");
  return names.map((name, index) => {
    const others = names.flatMap((other, place) => (other === name ? [] : [place]));
    let depth = 1;
    while (depth < parts[index].length && others.some((other) => last(other, depth) === last(index, depth))) depth += 1;
    return last(index, depth);
  });
}

/**
 * What a shared capture is said to be.
 *
 * @param {{partial?: boolean} | null} mark `log._authreel.redacted`
 * @returns {string} empty without a mark
 */
export function redaction(mark) {
  if (!mark) return "";
  return mark.partial ? "redacted in part: it was merged with a capture that has its own secrets" : "redacted: its secrets are stand-ins";
}
