/**
 * Messages and flows as text for a terminal or a ticket.
 */
import { namedURL } from "#viewer/url.js";

/** Fields that curl writes itself, or that belong to one connection only. */
const OWN = new Set(["host", "content-length", "connection", "proxy-connection", "transfer-encoding", "te", "upgrade", "keep-alive"]);

/**
 * A word of a command line that bash and zsh take as it is, whatever it holds, and that ends its quotes in no other shell.
 *
 * A quote inside of quotes is written differently in each of them, so there is none: what holds one, a backslash or a control
 * character is written with escapes.
 */
export function shellWord(text) {
  if (/^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text)) return text;
  if (!/['\\\u0000-\u001f\u007f-\u009f]/.test(text)) return `'${text}'`;
  const escaped = text.replace(/['\\\u0000-\u001f\u007f-\u009f]/g, (sign) => {
    const code = sign.codePointAt(0);
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
  return `$'${escaped}'`;
}

/**
 * A file as a word of a command of ours, also where its name begins as an option does.
 */
export function fileWord(name) {
  return shellWord(name.startsWith("-") ? `./${name}` : name);
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
  const url = isLifted ? message.url.replace(/#.*$/s, "") : namedURL(message);
  const isCoding = (name) => name.toLowerCase() === "accept-encoding";
  const isToken = (text) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
  const words = ["curl", "--globoff"];
  // What is asked for in a coding has to be decoded by whoever asks; curl offers what it can decode.
  if (message.request.headers.some(({ name }) => isCoding(name))) words.push("--compressed");
  const body = message.request.body;
  // Told by -X alone, curl waits for the content that an answer to HEAD announces and does not have.
  if (message.method === "HEAD" && !body) words.push("--head");
  else if (message.method !== (body ? "POST" : "GET") && isToken(message.method)) words.push("-X", shellWord(message.method));
  const lines = [`${words.join(" ")} --url ${shellWord(url)}`];
  for (const { name, value, open } of message.request.headers) {
    // A name with an at sign would make curl read a file.
    if (OWN.has(name.toLowerCase()) || isCoding(name) || !isToken(name)) continue;
    // With a colon curl would send no field at all.
    lines.push(`  -H ${shellWord(value.trim() === "" ? `${name};` : `${name}: ${isLifted || open ? value : hidden(name, value)}`)}`);
  }
  // Else curl says that a body is a form.
  const isTyped = message.request.headers.some(({ name }) => name.toLowerCase() === "content-type");
  if (body && !isTyped) lines.push(`  -H ${shellWord(body.type ? `Content-Type: ${body.type}` : "Content-Type:")}`);
  const isForm = /^application\/x-www-form-urlencoded/i.test(body?.type ?? "");
  // In another charset the bytes are others than those of the text.
  if (body?.text !== undefined && !body.charset) lines.push(`  --data-raw ${shellWord(isLifted || body.open ? body.text : isForm ? named(body.text) : "<body>")}`);
  else if (body) lines.push("  --data-binary @body.bin");
  return lines.join(" \\\n");
}

function hidden(name, value) {
  if (/^cookie$/i.test(name)) return value.split(/;\s*/).map((cookie) => (cookie.includes("=") ? `${cookie.split("=")[0]}=<cookie>` : "<cookie>")).join("; ");
  if (/^(proxy-)?authorization$/i.test(name) && value.includes(" ")) return `${value.split(" ")[0]} <credentials>`;
  return `<${name.toLowerCase()}>`;
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
  const known = [...names].filter(([value]) => value.length > 0).sort((one, other) => other[0].length - one[0].length);
  return known.reduce((masked, [value, name]) => masked.split(value).join(`<${name}>`), text);
}

/**
 * The diagnosis of a flow for a ticket, with the beginnings of secrets unless they are shown.
 *
 * @param {object} flow
 * @param {{isLifted: boolean}} veil
 * @returns {string}
 */
export function markdown(flow, { isLifted }) {
  return isLifted ? flow.markdown : flow.openMarkdown;
}
