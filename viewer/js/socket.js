import { element } from "#viewer/dom.js";
import { valueOnScreen } from "#viewer/secret.js";
import { count, duration } from "#viewer/words.js";

/**
 * What was said over the WebSocket that an exchange opened; made when it is unfolded. A message that may hold secrets is asked for.
 *
 * @param {object} message the exchange
 * @param {{veil: import("#viewer/veil.js").Veil, redraw: () => void, marks: Set<string>}} options
 * @returns {HTMLElement | null} null where nothing was kept
 */
export function socketPanel(message, { veil, redraw, marks }) {
  const { socket } = message;
  if (!socket) return null;
  const { messages, more } = socket;
  const content = element("div", {});
  const row = (said, index) =>
    element(
      "li",
      { class: marks.has(`socket/${index + 1}`) ? "chosen" : null },
      element("span", { class: "where" }, spoken(said)),
      said.text ? valueOnScreen(said.text, { isSecret: !said.open, place: `${message.exchange}/socket/${index}`, name: `WebSocket message ${index + 1}`, veil, redraw }) : null,
    );
  const fill = () =>
    content.childNodes.length === 0 &&
    content.append(
      element("ol", { class: "said" }, ...messages.map(row)),
      ...(more > 0 ? [element("p", { class: "nothing" }, `${more} more are in the capture.`)] : []),
    );
  const isMeant = [...marks].some((mark) => mark.startsWith("socket/"));
  if (isMeant) fill();
  return element("details", { open: isMeant, on: { toggle: fill } }, element("summary", {}, `WebSocket (${count(messages.length + more, "message")})`), content);
}

/**
 * Who said it, when and how much.
 *
 * @param {{from: string | null, after: number | null, kind: string, size: number, cut?: boolean}} said
 * @returns {string} `server → client · after 1.2 s · 12 bytes`
 */
export function spoken({ from, after, kind, size, cut }) {
  const way = { client: "client → server", server: "server → client" }[from] ?? "who said it is not recorded";
  const when = after === null ? null : `after ${duration(Math.max(0, after) / 1000)}`;
  const what = kind === "text" ? count(size, "byte") : `${kind}, ${count(size, "byte")}`;
  return [way, when, what, cut ? "only its beginning is shown" : null].filter(Boolean).join(" · ");
}
