import { proposal } from "#viewer/compare.js";
import { side } from "#viewer/location.js";
import { EmbeddedSource, TOGETHER } from "#viewer/source.js";

/** So many characters are kept of a recording at the most. */
const MOST = 1 << 26;
/** Of so many pairs of logins the comparison is kept. */
const MOST_PAIRS = 20;

/**
 * All that a server tells of its captures, for when it is gone: as the page in one file has it.
 *
 * @param {import("#viewer/source.js").ServedSource} source
 * @param {{captures: object[]}} report
 * @param {number} [most] characters
 * @returns {Promise<EmbeddedSource | null>} null where it is too much
 */
export async function kept(source, { captures }, most = MOST) {
  const pieces = new Map();
  let size = 0;
  const keep = (id, text) => {
    if (text === null) return true;
    size += text.length;
    pieces.set(id, text);
    return size <= most;
  };
  for (const [capture, { flows, exchanges }] of captures.entries()) {
    for (const [index, flow] of flows.entries()) {
      if (!keep(`flow-${capture}-${index}`, await source.flowText(capture, flow.id))) return null;
    }
    for (let start = 0; start < exchanges.length; start += TOGETHER) {
      const numbers = Array.from({ length: Math.min(TOGETHER, exchanges.length - start) }, (_, index) => start + index);
      const texts = await Promise.all(numbers.map((exchange) => source.messageText(capture, exchange)));
      if (!keep(`messages-${capture}-${start / TOGETHER}`, `[${texts.map((text) => text ?? "null").join(",")}]`)) return null;
    }
  }
  const comparisons = pairs(captures);
  for (const [index, { expected, seen }] of comparisons.entries()) {
    if (!keep(`comparison-${index}`, await source.comparisonText(expected, seen))) return null;
  }
  pieces.set("overview", JSON.stringify({ captures, comparisons }));
  return new EmbeddedSource((id) => pieces.get(id) ?? null);
}

/** What would be compared of each login where nothing is chosen. */
function pairs(captures) {
  const proposed = captures.flatMap((capture, index) => capture.flows.map((flow) => proposal(captures, { capture: index, flow: flow.id })));
  const texts = new Set(proposed.filter(Boolean).map((pair) => JSON.stringify(pair)));
  return [...texts].slice(0, MOST_PAIRS).map((text) => {
    const [expected, seen] = JSON.parse(text).map(side);
    return { expected, seen };
  });
}
