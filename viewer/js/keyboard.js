/** Every key, with what it does, in the order in which the help lists them. */
export const KEYS = [
  ["↓ ↑", "the next or the previous message, login or exchange of the list that has the focus"],
  ["Home End", "the first or the last of them"],
  ["n p", "the next or the previous login"],
  ["F", "only the logins that failed, or all of them"],
  ["l", "to the logins"],
  ["d", "to the diagram, or the list of exchanges"],
  ["f", "to the findings"],
  ["m", "to the message"],
  ["/", "search in everything"],
  ["1 2 3", "one login, all exchanges, two logins side by side"],
  ["w", "waits to scale, or not"],
  ["s", "show or hide secrets"],
  ["P", "present: no secret on the screen, larger; again to end it"],
  ["c", "copy the message as curl"],
  ["C", "copy the diagnosis as Markdown"],
  ["M", "copy the diagram as Mermaid"],
  ["x", "share: the capture without its secrets"],
  ["Esc", "follow no value any more, close what is open"],
  ["?", "this help"],
];

const COMMANDS = new Map([
  ["n", "next-flow"], ["p", "previous-flow"], ["F", "failed"], ["l", "logins"], ["d", "diagram"], ["f", "findings"], ["m", "message"], ["/", "search"],
  ["1", "view-flow"], ["2", "view-exchanges"], ["3", "view-compare"], ["w", "scale"], ["s", "secrets"], ["P", "present"], ["c", "copy-curl"],
  ["C", "copy-markdown"], ["M", "copy-mermaid"], ["x", "share"], ["?", "help"], ["Escape", "leave"],
]);

/** Those that are done again and again while a key is held; the others would be undone, or done twice. */
const STEPS = new Set(["next-flow", "previous-flow"]);

/**
 * What a key asks for; null where it is somebody else's, held, or typed into a field.
 *
 * @param {{key: string, repeat?: boolean, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, target?: {tagName?: string, type?: string} | null}} event
 * @returns {string | null}
 */
export function command(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const { tagName, type } = event.target ?? {};
  const isTyped = ["TEXTAREA", "SELECT"].includes(tagName) || (tagName === "INPUT" && type !== "checkbox");
  if (isTyped && event.key !== "Escape") return null;
  const asked = COMMANDS.get(event.key) ?? null;
  return event.repeat && !STEPS.has(asked) ? null : asked;
}
