const MARK = "•";

/**
 * What stands on the screen for a secret: its length, and nothing of it.
 *
 * @param {string} value
 * @returns {string}
 */
export function mask(value) {
  const length = [...value].length;
  return length <= 12 ? MARK.repeat(Math.max(3, length)) : `${MARK.repeat(8)} (${length})`;
}

/**
 * Where two values begin and end to differ.
 *
 * @returns {{start: string, one: string, other: string, end: string}}
 */
export function difference(one, other) {
  const [first, second] = [[...one], [...other]];
  let head = 0;
  while (head < first.length && head < second.length && first[head] === second[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(first.length, second.length) - head && first.at(-1 - tail) === second.at(-1 - tail)) tail += 1;
  return {
    start: first.slice(0, head).join(""),
    one: first.slice(head, first.length - tail).join(""),
    other: second.slice(head, second.length - tail).join(""),
    end: first.slice(first.length - tail).join(""),
  };
}
