/**
 * Messages and flows as text for a terminal or a ticket.
 */
import { secrets } from "#viewer/mask.js";

/** Fields that curl writes itself, or that belong to one connection only. */
const OWN = new Set(["host", "content-length", "connection", "proxy-connection", "transfer-encoding", "te", "upgrade", "keep-alive"]);

/** A word of a command line that a POSIX shell takes as it is, whatever it holds. */
export function shellWord(text) {
  if (text !== "" && /^[\w@%+=:,./-]+$/.test(text)) return text;
  // Control characters would act on the terminal that it is pasted into.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) {
    const escaped = text.replace(/[\\']/g, "\\$&").replace(/[\u0000-\u001f\u007f-\u009f]/g, (sign) => {
      const code = sign.codePointAt(0);
      return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
    });
    return `$'${escaped}'`;
  }
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The request of a message as a command for curl.
 *
 * @param {object} message
 * @param {{isLifted: boolean}} veil without it names stand for secrets
 * @returns {string}
 */
export function curl(message, { isLifted }) {
  const named = isLifted ? (text) => text : (text) => withNames(text, message);
  const isToken = (text) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
  const words = ["curl", "--globoff"];
  const body = message.request.body;
  if (message.method !== (body ? "POST" : "GET") && isToken(message.method)) words.push("-X", message.method);
  const lines = [words.map(shellWord).join(" ") + ` ${shellWord(named(message.url.replace(/#.*$/s, "")))}`];
  for (const { name, value } of message.request.headers) {
    // A name with an at sign would make curl read a file.
    if (OWN.has(name.toLowerCase()) || !isToken(name)) continue;
    const isAccess = /^(authorization|proxy-authorization|cookie)$/i.test(name);
    lines.push(`  -H ${shellWord(`${name}: ${isAccess && !isLifted ? hidden(name, value) : named(value)}`)}`);
  }
  if (body?.text !== undefined) lines.push(`  --data-raw ${shellWord(named(body.text))}`);
  else if (body) lines.push("  --data-binary @body.bin");
  return lines.join(" \\\n");
}

function hidden(name, value) {
  if (/^cookie$/i.test(name)) return value.split(/;\s*/).map((cookie) => `${cookie.split("=")[0]}=<cookie>`).join("; ");
  const [scheme] = value.split(" ");
  return value.includes(" ") ? `${scheme} <credentials>` : "<credentials>";
}

/**
 * A text in which names stand for the secrets of a message, the longest first.
 *
 * @param {string} text
 * @param {object} message
 * @returns {string}
 */
export function withNames(text, message) {
  const names = new Map(message.tokens.map((token) => [token.text, token.name]));
  for (const place of message.values) {
    if (!place.secret) continue;
    for (const form of [place.value, place.raw, encodeURIComponent(place.value)]) if (form) names.set(form, place.name);
  }
  for (const value of secrets(message)) if (!names.has(value)) names.set(value, "secret");
  const known = [...names].filter(([value]) => value.length >= 4).sort((one, other) => other[0].length - one[0].length);
  return known.reduce((masked, [value, name]) => masked.split(value).join(`<${name}>`), text);
}

/**
 * The diagnosis of a flow for a ticket, with names for secrets unless they are shown.
 *
 * @param {object} flow
 * @param {{isLifted: boolean}} veil
 * @returns {string}
 */
export function markdown(flow, { isLifted }) {
  if (isLifted) return flow.markdown;
  const places = [...flow.links.flatMap((link) => [link.origin, ...link.uses]), ...flow.findings.flatMap((finding) => finding.evidence)];
  return withNames(flow.markdown, { tokens: [], values: places });
}
