/**
 * JSON with line breaks, in the very characters in which it was sent: numbers keep their digits, members that are there twice
 * are there twice.
 *
 * @param {string} text
 * @returns {string} the text itself where it is no JSON, or deeper or longer than anybody wants to read indented
 */
export function indented(text) {
  if (text.length > LONGEST || !isJSON(text)) return text;
  const parts = [];
  let depth = 0;
  const line = () => parts.push("\n", "  ".repeat(depth));
  for (const [token] of text.matchAll(TOKENS)) {
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth -= 1;
    const last = parts.at(-1);
    if (isEnd ? last !== "{" && last !== "[" : last === "{" || last === "[") line();
    parts.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") depth += 1;
    if (depth > DEEPEST) return text;
    if (token === ",") line();
  }
  return parts.join("");
}

/** Deeper or longer JSON is left as it came: indented it would be many times as long. */
const DEEPEST = 40;
const LONGEST = 500_000;

/** Of valid JSON: a string, a sign, or a number or word. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

function isJSON(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
