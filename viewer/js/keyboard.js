/** Every key, with what it does, in the order in which the help lists them. */
export const KEYS = [
  ["↓ ↑", "the next or the previous message"],
  ["Home End", "the first or the last message"],
  ["n p", "the next or the previous login"],
  ["f", "to the findings"],
  ["d", "to the diagram"],
  ["m", "to the message"],
  ["s", "show or hide secrets"],
  ["Esc", "follow no value any more, close this help"],
  ["?", "this help"],
];

const COMMANDS = new Map([
  ["n", "next-flow"], ["p", "previous-flow"], ["f", "findings"], ["d", "diagram"], ["m", "message"], ["s", "secrets"], ["?", "help"], ["Escape", "leave"],
]);

/**
 * What a key asks for; null where it is somebody else's, or typed into a field.
 *
 * @param {{key: string, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, target?: {tagName?: string} | null}} event
 * @returns {string | null}
 */
export function command(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (["INPUT", "TEXTAREA", "SELECT"].includes(event.target?.tagName ?? "")) return null;
  return COMMANDS.get(event.key) ?? null;
}
