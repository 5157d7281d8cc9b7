/** How long nobody wonders whether anything goes on, in milliseconds. */
const PATIENCE = 400;

/**
 * Has it said that something is waited for, where that takes a while.
 *
 * @template T
 * @param {T | Promise<T>} wanted
 * @param {(isWaiting: boolean) => void} say true once the wait is long, false when such a one is over
 * @param {number} [patience] in milliseconds
 * @returns {Promise<T>}
 */
export async function waited(wanted, say, patience = PATIENCE) {
  let isSaid = false;
  const timer = setTimeout(() => {
    isSaid = true;
    say(true);
  }, patience);
  try {
    return await wanted;
  } finally {
    clearTimeout(timer);
    if (isSaid) say(false);
  }
}
